/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Raw stacks: each line is refused with a reason, or is a stack that reads the same
 * when it is written plainly; whatever its addresses are, every one gets a frame, and
 * a profile can be written.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/maps_text.h"
#include "src/address/resolver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char maps_text[] =
	"1000-3000 r-xp 00000000 00:00 1 /a\n"
	"3000-4000 rw-p 00000000 00:00 0\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";

static void add_maps(struct snapshots *all)
{
	struct text rest = text_of(maps_text);
	struct map_set *maps = NULL;
	struct bc_error err = {0};
	uint64_t number = 0;

	assert(maps_text_read(&rest, &number, &all->files, &maps, &err));
	assert(snapshots_add(all, 7, 3, 100, maps, &err) && snapshots_index(all, &err));
	map_set_release(maps);
}

static void check_again(const struct raw_stack *raw)
{
	struct raw_stack again = {0};
	char *line = NULL;
	const char *wrong;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	assert(out);
	fprintf(out, "%" PRIu64 " ", raw->time);
	if (raw->pid != RAW_ANY)
		fprintf(out, "p%" PRIu32, raw->pid);
	if (raw->map != RAW_ANY || raw->pid == RAW_ANY)
		fprintf(out, "m%" PRIu32, raw->map);
	for (size_t i = 0; i < raw->addresses.len; i++)
		fprintf(out, " 0x%" PRIx64, raw->addresses.at[i]);
	assert(!fclose(out));
	assert(raw_stack_parse((struct text){line, size}, &again, &wrong) == RAW_STACK);
	assert(again.time == raw->time && again.pid == raw->pid && again.map == raw->map);
	assert(again.addresses.len == raw->addresses.len);
	assert(!memcmp(again.addresses.at, raw->addresses.at,
		       raw->addresses.len * sizeof(uint64_t)));
	address_list_free(&again.addresses);
	free(line);
}

/* Frame by frame, what a reader of the formats relies on. */
static bool take(void *ctx, const struct stack *stack, struct bc_error *err)
{
	struct stack_writer *writers = ctx;

	for (size_t i = 0; i < stack->count; i++) {
		const struct frame *f = &stack->frames[i];
		assert(f->library.len);
		assert(!f->is_return || i);
		if (f->mapping)
			assert(f->raw.v - f->is_return - f->mapping->start <
			       f->mapping->end - f->mapping->start);
	}
	for (int i = 0; i < 4; i++)
		assert(stack_writer_add(&writers[i], stack, err));
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data, size};
	struct snapshots all = {0};
	struct resolver resolver;
	struct raw_stack raw = {0};
	struct bc_error err = {0};
	struct stack_writer writers[4];
	const char *wrong = NULL;
	FILE *out = fopen("/dev/null", "w");

	assert(out);
	add_maps(&all);
	for (int i = 0; i < 4; i++)
		writers[i] = (struct stack_writer){
			.format = (enum stack_format)i, .files = &all.files, .out = out};
	resolver_init(&resolver, &all);
	resolver.take = take;
	resolver.ctx = writers;
	while (rest.len) {
		size_t len = text_find(rest, '\n');
		switch (raw_stack_parse(text_first(rest, len), &raw, &wrong)) {
		case RAW_STACK:
			check_again(&raw);
			assert(resolver_raw(&resolver, &raw, &err));
			break;
		case RAW_BAD: assert(wrong && *wrong); break;
		case RAW_NOTHING: break;
		}
		rest = text_from(rest, len + 1);
	}
	for (int i = 0; i < 4; i++) {
		assert(stack_writer_finish(&writers[i], &err));
		stack_writer_free(&writers[i]);
	}
	address_list_free(&raw.addresses);
	resolver_free(&resolver);
	snapshots_free(&all);
	fclose(out);
	return 0;
}
