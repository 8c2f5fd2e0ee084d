/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/layout.h"

#include <assert.h>

static const struct {
	const char *name;
	struct bat_features features;
} layouts[BAT_LAYOUT_COUNT] = {
	[BAT_LAYOUT_FIXED] = { .name = "fixed" },
	[BAT_LAYOUT_DELTA] = { .name = "delta" },
	[BAT_LAYOUT_EQUAL] = { .name = "equal", .features = { .equal_hot = true } },
	[BAT_LAYOUT_HASHED] = { .name = "hashed",
			 .features = { .equal_hot = true,
				       .equal_cold = true,
				       .hashed = true } },
};

uint32_t bat_version(void)
{
	return BAT_VERSION_NUMBER;
}

const char *bat_layout_name(enum bat_layout layout)
{
	return (unsigned)layout < BAT_LAYOUT_COUNT ? layouts[layout].name : NULL;
}

const struct bat_features *bat_layout_features(enum bat_layout layout)
{
	assert((unsigned)layout < BAT_LAYOUT_COUNT);
	return &layouts[layout].features;
}
