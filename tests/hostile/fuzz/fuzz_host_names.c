/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What programs and hosts are called: parts with zero bytes between.  Properties: the name of a
 * shard has only plain letters, is short enough, and is of its own host alone; any name is of one
 * of two hosts at most, and a shard or unfinished, not both.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "src/record/shard_name.h"

enum { PART_SIZE = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct rest {
	const uint8_t *at;
	size_t left;
} input;

/* The next part, with a zero byte after it. */
static void take(char part[PART_SIZE])
{
	size_t length = strnlen((const char *)input.at, input.left);
	size_t used = length < PART_SIZE ? length : PART_SIZE - 1;

	memcpy(part, input.at, used);
	part[used] = '\0';
	length += length < input.left;
	input.at += length;
	input.left -= length;
}

static void check_made(const char *path, const char *host, const char *other)
{
	struct shard_name parts = {
		path, {32, {0}}, host, 1577836800, (unsigned)(input.left % 1000)};
	char name[SHARD_NAME_SIZE], unfinished[SHARD_NAME_SIZE + 8];

	memcpy(parts.digest.data, path, strlen(path) < 32 ? strlen(path) : 32);
	shard_name_format(&parts, name);
	snprintf(unfinished, sizeof(unfinished), "%s.Abc123", name);
	assert(strlen(unfinished) <= 255 && *name != '.' && *name != '-');
	for (const char *at = name; *at; at++)
		assert((*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') ||
		       (*at >= 'a' && *at <= 'z') || strchr("._+-", *at));
	assert(shard_name_is(text_of(name), host));
	assert(shard_name_is_unfinished(text_of(unfinished), host));
	assert(!strcmp(host, other) || !shard_name_is(text_of(name), other));
	assert(!strcmp(host, other) || !shard_name_is_unfinished(text_of(unfinished), other));
}

static void check_any(const char *name, const char *host, const char *other)
{
	bool is = shard_name_is(text_of(name), host),
	     unfinished = shard_name_is_unfinished(text_of(name), host);

	assert(!is || !unfinished);
	assert(!strcmp(host, other) || !is || !shard_name_is(text_of(name), other));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char part[PART_SIZE], host[SHARD_HOST_SIZE], other[SHARD_HOST_SIZE];

	input = (struct rest){data, size};
	take(part);
	shard_host(part, host);
	take(part);
	shard_host(part, other);
	take(part);
	check_made(part, host, other);
	take(part);
	check_any(part, host, other);
	return 0;
}
