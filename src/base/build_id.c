/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/build_id.h"

#include <string.h>

#include "src/base/counts.h"

/* What perf keeps of a build-id. */
#define PERF_BUILD_ID_SIZE 20

void build_id_format(const struct build_id *id, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < id->size; i++) {
		*out++ = digits[id->data[i] >> 4];
		*out++ = digits[id->data[i] & 15];
	}
	*out = '\0';
}

bool build_id_parse(struct text hex, struct build_id *out)
{
	struct build_id id = {.size = 0};

	if (!hex.len || hex.len % 2 || hex.len > (size_t)2 * BUILD_ID_MAX)
		return false;
	for (; hex.len; hex = text_from(hex, 2)) {
		uint64_t byte;
		if (!text_hex(text_first(hex, 2), &byte))
			return false;
		id.data[id.size++] = (uint8_t)byte;
	}
	*out = id;
	return true;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
	while (size && !bytes[size - 1])
		size--;
	return !size;
}

bool build_id_same(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	const struct build_id *longer = a->size < b->size ? b : a;
	size_t common = a->size < b->size ? a->size : b->size;

	if (!common || memcmp(a->data, b->data, common))
		return false;
	return common == longer->size || common == PERF_BUILD_ID_SIZE ||
	       (longer->size == PERF_BUILD_ID_SIZE &&
		all_zero(longer->data + common, longer->size - common));
}

bool build_id_is_marked(const struct build_id *input, const struct build_id *output)
{
	struct build_id marked = *input;

	if (!marked.size || marked.size != output->size)
		return false;
	marked.data[marked.size - 1] ^= 1;
	if (!memcmp(marked.data, output->data, marked.size))
		return true;
	marked.data[0] ^= 0x80;
	return !memcmp(marked.data, output->data, marked.size);
}

/* ---- whether files belong together ---- */

double disagreement_percent(struct disagreement d)
{
	return percent_of(d.differ, d.compared);
}

enum belonging belonging_judge(struct disagreement d, double limit, bool by_id)
{
	if (disagreement_percent(d) <= limit)
		return BELONGS;
	if (by_id)
		return BELONGS_BY_ID;
	return d.differ <= DISAGREE_FEW && d.differ <= d.compared / 2 ? BELONGS_PERHAPS :
									BELONGS_NOT;
}

const char *belonging_although(enum belonging belonging)
{
	switch (belonging) {
	case BELONGS_BY_ID: return ", but the build-ids fit";
	case BELONGS_PERHAPS: return ", but these are few";
	case BELONGS:
	case BELONGS_NOT: break;
	}
	return "";
}
