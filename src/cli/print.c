/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/print.h"

#include <inttypes.h>

#include "src/cli/operands.h"
#include "src/cli/options.h"

void json_hex(struct json *json, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	json_string(json, key, text);
}

void json_bytes(struct json *json, const char *key, struct text bytes)
{
	char hex[2 * BUILD_ID_MAX + 1];
	struct build_id id = {0};

	if (!bytes.len || bytes.len > BUILD_ID_MAX)
		return;
	id.size = (uint8_t)bytes.len;
	memcpy(id.data, bytes.at, bytes.len);
	build_id_format(&id, hex);
	json_string(json, key, hex);
}

void print_bytes(struct text bytes, FILE *out)
{
	for (size_t i = 0; i < bytes.len; i++)
		fprintf(out, "%02x", (unsigned char)bytes.at[i]);
}

int fail(const struct bc_error *why)
{
	struct bc_error explained = *why, *err = &explained;

	operands_explain(NULL, err);
	fprintf(stderr, "batconv: %s\n", err->text);
	return err->code == BC_MISMATCH ? EXIT_WANTING : EXIT_FAILED;
}

int fail_file(const char *file, const struct bc_error *err)
{
	struct bc_error named = *err;

	bc_fail_prefix(&named, file);
	return fail(&named);
}
