/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/footprint.h"

static const uint64_t units[] = {64, 4096, UINT64_C(2) << 20};

static bool write_one(struct json *json, const char *key, const struct heat *bytes, uint64_t unit)
{
	BC_AUTO(heat_free) struct heat larger = {0};
	BC_AUTO(heat_run_vec_free) struct heat_run_vec hottest = {0};

	if (!bytes) {
		json_null(json, key);
		return true;
	}
	if (!heat_zoom(bytes, unit, &larger) || !heat_hottest(&larger, &hottest))
		return false;
	json_open(json, key, '{');
	json_number(json, "all", larger.buckets);
	json_number(json, "held", heat_working_set(&larger, &hottest, FOOTPRINT_HELD_PERCENT));
	json_close(json, '}');
	return true;
}

bool footprint_write(struct json *json, const char *key, const struct heat *output, const struct heat *input)
{
	bool ok = true;

	json_open(json, key, '[');
	for (size_t i = 0; ok && i < BC_COUNT(units); i++) {
		json_open(json, NULL, '{');
		json_number(json, "unit", units[i]);
		ok = write_one(json, "output", output, units[i]) && write_one(json, "input", input, units[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
	return ok;
}
