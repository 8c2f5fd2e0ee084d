/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/binary_open.h"

#include "src/base/parallel.h"

typedef bool decode_fn(const uint8_t *desc, size_t size, struct bat_table *out, struct bat_error *err);

static bool decode(struct binary *binary, decode_fn *how, struct bc_error *err)
{
	struct bat_error bat_err = {0};

	if (how(binary->desc.data, binary->desc.size, &binary->bat, &bat_err))
		return true;
	if (bat_err.code == BAT_NOMEM)
		return bc_fail_nomem(err);
	return bc_fail(err, BC_FORMAT, "BAT section: %s", bat_err.text);
}

/* Conversions read the section but once. */
static bool decode_and_release(struct binary *binary, decode_fn *how, struct bc_error *err)
{
	bool ok = decode(binary, how, err);

	file_release(binary->desc.data, binary->desc.size);
	return ok;
}

/* The rest of opening, from a file that was taken on. */
struct opening {
	struct binary *binary;
	enum binary_kind last; /* of the kinds without a BAT the last that will do */
	bool (*read)(struct binary *binary, struct bc_error *err); /* the BAT from its desc */
};

static bool read_bat(const struct opening *opening, struct bc_error *err)
{
	struct binary *binary = opening->binary;
	bool has_none = binary->kind == BINARY_UNTOUCHED || binary->kind == BINARY_LOST;

	if (has_none && binary->kind <= opening->last)
		return true;
	return binary_find_note(binary, err) && opening->read(binary, err);
}

/* The two halves of it that do not need each other. */
static bool open_half(void *ctx, size_t half, struct bc_error *err)
{
	const struct opening *opening = ctx;

	return half ? binary_build_functions(opening->binary, err) : read_bat(opening, err);
}

static bool finish(struct opening opening, struct bc_error *err)
{
	return parallel_parts(2, open_half, &opening, err) && binary_settle(opening.binary, err);
}

static bool read_offsets(struct binary *binary, struct bc_error *err)
{
	return decode_and_release(binary, bat_decode_offsets, err);
}

static bool read_blocks(struct binary *binary, struct bc_error *err)
{
	return decode_and_release(binary, bat_decode, err);
}

static bool read_as_stored(struct binary *binary, struct bc_error *err)
{
	return decode(binary, bat_decode, err) && binary_keep_parents(binary, err);
}

/* Fills in the rest of a binary of which only the file is open yet. */
typedef bool fill_fn(struct binary *binary, struct bc_error *err);

static bool fill_to_convert(struct binary *binary, struct bc_error *err)
{
	return binary_take_image(binary, err) &&
	       finish((struct opening){binary, BINARY_UNTOUCHED, read_offsets}, err);
}

static bool fill_any(struct binary *binary, struct bc_error *err)
{
	return binary_take_image(binary, err) &&
	       finish((struct opening){binary, BINARY_LOST, read_offsets}, err);
}

static bool fill_table(struct binary *binary, struct bc_error *err)
{
	return binary_take_image_or_section(binary, err) &&
	       finish((struct opening){binary, BINARY_BOLTED, read_as_stored}, err);
}

static bool fill_or_close(struct binary binary, fill_fn *fill, struct binary *out, struct bc_error *err)
{
	if (fill(&binary, err)) {
		*out = binary;
		return true;
	}
	binary_close(&binary);
	return false;
}

static bool open_bytes(struct bytes file, fill_fn *fill, struct binary *out, struct bc_error *err)
{
	return fill_or_close((struct binary){.file = file}, fill, out, err);
}

static bool open_mapped(const char *path, struct file_map map, fill_fn *fill, struct binary *out,
			struct bc_error *err)
{
	struct binary binary = {.map = map, .file = {map.data, map.size}};

	return fill_or_close(binary, fill, out, err) || bc_fail_prefix(err, path);
}

static bool open_file(const char *path, fill_fn *fill, struct binary *out, struct bc_error *err)
{
	struct file_map map;

	return file_map(path, &map, err) && open_mapped(path, map, fill, out, err);
}

bool binary_open(const char *path, struct binary *out, struct bc_error *err)
{
	return open_file(path, fill_to_convert, out, err);
}

bool binary_open_any(const char *path, struct binary *out, struct bc_error *err)
{
	return open_file(path, fill_any, out, err);
}

static bool open_named(const char *path, enum named_by by, fill_fn *fill, struct binary *out,
		       struct bc_error *err)
{
	struct file_map map;

	return file_map_named(path, by, &map, err) && open_mapped(path, map, fill, out, err);
}

bool binary_open_named(const char *path, enum named_by by, struct binary *out, struct bc_error *err)
{
	return open_named(path, by, fill_any, out, err);
}

bool binary_map_named(const char *path, enum named_by by, struct binary *out, struct bc_error *err)
{
	return open_named(path, by, binary_take_image_or_section, out, err);
}

/* The same steps with a debug file between image and functions. */
static bool open_with_debug(const char *path, struct binary binary, const struct debug_dirs *dirs,
			    struct opening opening, struct binary *out, struct bc_error *err)
{
	binary.file = (struct bytes){binary.map.data, binary.map.size};
	opening.binary = &binary;
	if (binary_take_image(&binary, err) && (!dirs || binary_find_debug(&binary, path, dirs, err)) &&
	    finish(opening, err)) {
		*out = binary;
		return true;
	}
	binary_close(&binary);
	return bc_fail_prefix(err, path);
}

bool binary_open_parts(const char *path, const struct binary_parts *parts, struct binary *out,
		       struct bc_error *err)
{
	struct opening opening = {NULL, BINARY_UNTOUCHED, parts->blocks ? read_blocks : read_offsets};
	struct binary binary = {.numbers_by_address = parts->numbers_by_address};

	return file_map(path, &binary.map, err) &&
	       open_with_debug(path, binary, parts->debug, opening, out, err);
}

bool binary_open_debug(const char *path, const struct debug_dirs *dirs, struct binary *out, struct bc_error *err)
{
	struct opening opening = {NULL, BINARY_LOST, read_offsets};
	struct binary binary = {0};

	return file_map(path, &binary.map, err) && open_with_debug(path, binary, dirs, opening, out, err);
}

bool binary_open_named_debug(const char *path, enum named_by by, const struct debug_dirs *dirs,
			     struct binary *out, struct bc_error *err)
{
	struct opening opening = {NULL, BINARY_LOST, read_offsets};
	struct binary binary = {0};

	return file_map_named(path, by, &binary.map, err) && open_with_debug(path, binary, dirs, opening, out, err);
}

bool binary_open_table(const char *path, struct binary *out, struct bc_error *err)
{
	return open_file(path, fill_table, out, err);
}

bool binary_open_bytes(struct bytes file, struct binary *out, struct bc_error *err)
{
	return open_bytes(file, fill_to_convert, out, err);
}

bool binary_map(const char *path, struct binary *out, struct bc_error *err)
{
	return open_file(path, binary_take_image_or_section, out, err);
}

bool binary_map_bytes(struct bytes file, struct binary *out, struct bc_error *err)
{
	return open_bytes(file, binary_take_image_or_section, out, err);
}

bool binary_has_bat(const char *path, bool *has, struct bc_error *err)
{
	struct binary binary = {0};

	*has = false;
	err->code = BC_OK;
	if (!file_map_named(path, NAMED_BY_FOLDER, &binary.map, err))
		return err->code != BC_NOMEM && err->code != BC_IO;
	binary.file = (struct bytes){binary.map.data, binary.map.size};
	*has = binary_take_image(&binary, err) && binary_find_note(&binary, err);
	binary_close(&binary);
	return *has || err->code != BC_NOMEM;
}
