/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/layout.h"

#include <assert.h>

static const struct {
	const char *name;
	struct bat_features features;
} layouts[BAT_LAYOUT_COUNT] = {
	[BAT_FIXED] = { .name = "fixed" },
	[BAT_DELTA] = { .name = "delta" },
	[BAT_EQUAL] = { .name = "equal", .features = { .equal_hot = true } },
	[BAT_HASHED] = { .name = "hashed",
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
	assert(layout < BAT_LAYOUT_COUNT);
	return layouts[layout].name;
}

const struct bat_features *bat_layout_features(enum bat_layout layout)
{
	assert(layout < BAT_LAYOUT_COUNT);
	return &layouts[layout].features;
}
