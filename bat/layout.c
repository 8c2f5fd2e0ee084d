/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/layout.h"

#include <assert.h>
#include <stdio.h>

static const struct {
	const char *name, *releases;
	struct bat_features features;
} layouts[BAT_LAYOUT_COUNT] = {
	[BAT_LAYOUT_FIXED] = {.name = "fixed",
			      .releases = "LLVM 14 to 17",
			      .features = {.fixed = true}},
	[BAT_LAYOUT_DELTA] = {.name = "delta",
			      .releases = "LLVM 18",
			      .features = {.wrong_parents = true}},
	[BAT_LAYOUT_EQUAL] = {.name = "equal",
			      .releases = "a development version of early 2024",
			      .features = {.equal_hot = true, .wrong_parents = true}},
	[BAT_LAYOUT_HASHED] = {.name = "hashed",
			       .releases = "LLVM 19 to 23",
			       .features = {.equal_hot = true, .equal_cold = true, .hashed = true}},
};

uint32_t bat_version(void)
{
	return BAT_VERSION_NUMBER;
}

const char *bat_layout_name(enum bat_layout layout)
{
	return (unsigned)layout < BAT_LAYOUT_COUNT ? layouts[layout].name : NULL;
}

const char *bat_layout_releases(enum bat_layout layout)
{
	return (unsigned)layout < BAT_LAYOUT_COUNT ? layouts[layout].releases : NULL;
}

bool bat_layout_has(enum bat_layout layout, enum bat_feature feature)
{
	if ((unsigned)layout >= BAT_LAYOUT_COUNT)
		return false;
	switch (feature) {
	case BAT_FEATURE_BLOCKS: return layouts[layout].features.hashed;
	case BAT_FEATURE_HOT_ADDRESSES: return layouts[layout].features.fixed;
	}
	return false;
}

const struct bat_features *bat_layout_features(enum bat_layout layout)
{
	assert((unsigned)layout < BAT_LAYOUT_COUNT);
	return &layouts[layout].features;
}

bool bat_fail_nomem(struct bat_error *err)
{
	if (err)
		*err = (struct bat_error){
			.code = BAT_ERROR_NOMEM, .field = "", .text = "out of memory"};
	return false;
}

bool bat_know_layout(enum bat_layout layout, struct bat_error *err)
{
	if (bat_layout_name(layout))
		return true;
	*err = (struct bat_error){.code = BAT_ERROR_ARGUMENT, .field = ""};
	(void)snprintf(err->text, sizeof(err->text),
		       "layout %u: not known to this release of libbat", (unsigned)layout);
	return false;
}
