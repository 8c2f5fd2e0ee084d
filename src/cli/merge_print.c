/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/merge_print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/attr.h"
#include "src/base/count_table.h"
#include "src/base/text.h"
#include "src/merge/yaml_items.h"

static const char *const words[] = {"none", "exec", "branches"};

bool merge_print_parse(const char *word, enum merge_print *out)
{
	for (size_t i = 0; i < BC_COUNT(words); i++)
		if (!strcmp(word, words[i])) {
			*out = (enum merge_print)i;
			return true;
		}
	return false;
}

void merge_printer_free(struct merge_printer *printer)
{
	for (size_t i = 0; i < printer->functions.len; i++)
		free(printer->functions.at[i].name);
	printed_vec_free(&printer->functions);
}

static bool add_function(struct merge_printer *p, struct text name, uint64_t count)
{
	char *copy = strndup(name.at, name.len);

	if (copy && printed_vec_push(&p->functions, (struct printed_function){copy, count}))
		return true;
	free(copy);
	return false;
}

bool merge_print_take(void *ctx, enum profile_kind kind, const struct profile_item *item)
{
	struct merge_printer *p = ctx;

	if (kind != KIND_YAML)
		return true;
	struct key_parts key = key_parts(item);
	struct text name = key_take_name(&key);
	uint8_t part = key_take_byte(&key);
	bool is_function = part == YAML_FUNCTION && key.at == key.end;
	p->seen += is_function;
	if (p->what == PRINT_NONE)
		return true;
	if (is_function)
		return add_function(p, name, p->what == PRINT_EXEC ? item->sum[0] : 0);
	if (part == YAML_FUNCTION) /* an unknown key */
		return true;
	key_take_number(&key);
	if (p->what == PRINT_BRANCHES && key_take_byte(&key) == BLOCK_SUCCESSOR) {
		uint64_t *count = &p->functions.at[p->functions.len - 1].count;
		*count = count_add_saturating(*count, item->sum[0]);
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct printed_function *x = a, *y = b;

	return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->name, y->name);
}

void merge_print(struct merge_printer *p, FILE *out)
{
	if (!p->functions.len)
		return;
	qsort(p->functions.at, p->functions.len, sizeof(*p->functions.at), compare);
	fprintf(out, "Functions sorted by %s count:\n", p->what == PRINT_EXEC ? "execution" : "total branch");
	for (size_t i = 0; i < p->functions.len; i++) {
		print_name(text_of(p->functions.at[i].name), out);
		fprintf(out, " : %" PRIu64 "\n", p->functions.at[i].count);
	}
}
