/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/shard_name.h"

#include "src/elf/binary.h"
#include "src/samples/snapshots.h"

#define SUFFIX        ".zst"
#define BINARY_MOST   100 /* characters of a binary's name */
#define DIGEST_DIGITS ((size_t)2 * CODE_DIGEST_SHOWN)
#define TIME_LAST     INT64_C(253402300799) /* of year 9999 */

#define DIGITS  "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* ---- writing ---- */

/* Only letters that represent themselves on any system: others become '_'. */
static void plain_letters(struct text from, char *to, size_t size)
{
	size_t len = from.len < size - 1 ? from.len : size - 1;

	for (size_t i = 0; i < len; i++) {
		bool first = i == 0 && (from.at[i] == '.' || from.at[i] == '-');
		bool plain = from.at[i] && strchr(DIGITS LETTERS "._+-", from.at[i]);
		to[i] = '_';
		if (plain && !first)
			to[i] = from.at[i];
	}
	to[len] = '\0';
	if (!len)
		snprintf(to, size, "_");
}

void shard_host(const char *name, char host[SHARD_HOST_SIZE])
{
	plain_letters(text_of(*name ? name : "localhost"), host, SHARD_HOST_SIZE);
	for (char *part = host, *dot; (dot = strchr(part, '.')); part = dot + 1)
		if ((size_t)(dot - part) == DIGEST_DIGITS &&
		    strspn(part, DIGITS "abcdef") == DIGEST_DIGITS)
			*dot = '_';
}

void shard_name_format(const struct shard_name *name, char out[SHARD_NAME_SIZE])
{
	char binary[BINARY_MOST + 1], digest[2 * BUILD_ID_MAX + 1], when[32] = "", more[16] = "";
	struct build_id first = name->digest;
	time_t since = name->since < 0 ? 0 : name->since > TIME_LAST ? TIME_LAST : name->since;
	struct tm utc;

	plain_letters(path_without_deleted(text_basename(text_of(name->path))), binary,
		      sizeof(binary));
	first.size = first.size < CODE_DIGEST_SHOWN ? first.size : CODE_DIGEST_SHOWN;
	build_id_format(&first, digest);
	if (gmtime_r(&since, &utc))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%SZ", &utc);
	if (name->number)
		snprintf(more, sizeof(more), ".%u", name->number);
	snprintf(out, SHARD_NAME_SIZE, "%s.%.*s.%.*s.%s%s" SUFFIX, binary, (int)DIGEST_DIGITS,
		 digest, SHARD_HOST_SIZE - 1, name->host, when, more);
}

/* ---- reading, from the end ---- */

static bool take_end(struct text *name, const char *end)
{
	if (!text_ends(*name, end))
		return false;
	name->len -= strlen(end);
	return true;
}

/* How many letters of `set` the name ends with. */
static size_t ends_with_of(struct text name, const char *set)
{
	size_t len = 0;

	while (len < name.len && name.at[name.len - 1 - len] &&
	       strchr(set, name.at[name.len - 1 - len]))
		len++;
	return len;
}

static bool take_digits(struct text *name, size_t count, const char *set)
{
	if (ends_with_of(*name, set) < count)
		return false;
	name->len -= count;
	return true;
}

static bool take_time(struct text *name)
{
	struct text rest = *name;

	if (!take_end(&rest, "Z") || !take_digits(&rest, 6, DIGITS) || !take_end(&rest, "T") ||
	    !take_digits(&rest, 8, DIGITS) || !take_end(&rest, "."))
		return false;
	*name = rest;
	return true;
}

static bool take_number(struct text *name)
{
	size_t digits = ends_with_of(*name, DIGITS);

	return digits >= 1 && digits <= 3 && name->at[name->len - digits] != '0' &&
	       take_digits(name, digits, DIGITS) && take_end(name, ".");
}

bool shard_name_is(struct text name, const char *host)
{
	return take_end(&name, SUFFIX) &&
	       (take_time(&name) || (take_number(&name) && take_time(&name))) &&
	       take_end(&name, host) && take_end(&name, ".") &&
	       take_digits(&name, DIGEST_DIGITS, DIGITS "abcdef") && take_end(&name, ".") &&
	       name.len;
}

bool shard_name_is_unfinished(struct text name, const char *host)
{
	return take_digits(&name, 6, DIGITS LETTERS) && take_end(&name, ".") &&
	       shard_name_is(name, host);
}
