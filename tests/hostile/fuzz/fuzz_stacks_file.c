/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Stacks from a file of any format, as batconv stacks resolves them: as a recording
 * (perf.data, text of perf script), and as raw stacks against fixed maps.
 *
 * An error is one line that names the file.  Every address that is given gets a frame: one
 * in a region lies in it, at the region's offset; one in none is the kernel's, unknown or no
 * address; of the demo the frame has the function that the symbols give for its vaddr.  The counts
 * are those of the frames, of perf.data a stack for every sample that was delivered; and looking
 * for functions changes nothing else.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <string.h>

#include "src/samples/maps_text.h"
#include "src/elf/binary.h"
#include "src/address/resolver.h"
#include "tests/hostile/fuzz/support/mutators.h"
#include "tests/support/bytes_file.h"
#include "tests/support/convert_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define DEMO BATCONV_SOURCE_DIR "/inputs/demo/demo.bolt"

static const char maps_text[] =
	"55e11c26a000-55e11c26c000 r-xp 00001000 00:00 1 /srv/demo/demo.bolt\n"
	"55e11c26f000-55e11c272000 r-xp 00006000 00:00 1 /srv/demo/demo.bolt\n"
	"7f0000000000-7f0000004000 rw-p 00000000 00:00 0\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";

static struct given_binary demo = {.path = DEMO};

static void open_demo(void)
{
	struct bc_error err = {0};

	if (!demo.binary.file.data)
		assert(binary_open(DEMO, &demo.binary, &err));
}

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

/* What was taken: the counts by the frames themselves, and where they are in one number. */
struct seen {
	struct stack_counts counts;
	uint64_t hash;
	bool ok;
	char error[sizeof(((struct bc_error *)0)->text)];
};

static void add(struct seen *seen, uint64_t value)
{
	seen->hash = (seen->hash ^ value) * 0x100000001b3u;
	seen->hash ^= seen->hash >> 29;
}

static void check_mapping(const struct frame *f)
{
	uint64_t at = f->raw.v - f->is_return;

	assert(at - f->mapping->start < f->mapping->end - f->mapping->start);
	assert(f->offset.v == mapping_offset(f->mapping, f->raw).v);
	assert(f->mapping->file || text_is(f->library, "[anon]"));
}

static void check_function(const struct frame *f)
{
	struct output_place place =
		binary_place(&demo.binary, (struct vaddr){f->vaddr.v - f->is_return}, NULL);
	struct input_place input;

	assert(f->has_vaddr && place.function);
	if (binary_translate(&demo.binary, place, false, &input) && input.function) {
		assert(!strcmp(f->function, input.function->printed));
		assert(f->function_offset == (uint64_t)input.offset + f->is_return);
	} else {
		assert(!strcmp(f->function, place.function->printed));
		assert(f->function_offset == (uint64_t)place.offset + f->is_return);
	}
}

static void check_frame(struct seen *seen, const struct frame *f)
{
	bool kernel = text_is(f->library, FRAME_KERNEL);

	assert(f->library.len);
	seen->counts.kernel += kernel;
	bool impossible = text_is(f->library, FRAME_IMPOSSIBLE);
	seen->counts.impossible += impossible;
	seen->counts.unknown += !f->mapping && !kernel && !impossible;
	if (f->mapping)
		check_mapping(f);
	else
		assert((kernel || impossible || text_is(f->library, FRAME_UNKNOWN)) &&
		       !f->has_vaddr);
	assert(f->mapping || kernel == (f->raw.v >> 56 == 255));
	assert(f->mapping || impossible == (f->raw.v >> 56 && f->raw.v >> 56 != 255));
	if (f->function)
		check_function(f);
	add(seen, f->raw.v);
	add(seen, f->is_return + 2 * (uint64_t)f->has_vaddr + 4 * (uint64_t)(f->mapping != NULL));
	add(seen, f->has_vaddr ? f->vaddr.v : f->offset.v);
	for (size_t i = 0; i < f->library.len; i++)
		add(seen, (unsigned char)f->library.at[i]);
}

static bool take(void *ctx, const struct stack *stack, struct bc_error *err)
{
	struct seen *seen = ctx;

	(void)err;
	seen->counts.stacks++;
	seen->counts.frames += stack->count;
	add(seen, stack->time);
	add(seen, stack->pid);
	for (size_t i = 0; i < stack->count; i++) {
		assert(i || !stack->frames[i].is_return);
		check_frame(seen, &stack->frames[i]);
	}
	return true;
}

static void check_counts(const struct stack_counts *told, const struct stack_counts *seen)
{
	assert(told->stacks == seen->stacks && told->frames == seen->frames);
	assert(told->kernel == seen->kernel && told->unknown == seen->unknown);
	assert(told->impossible == seen->impossible);
	assert(told->no_map <= told->stacks);
}

static bool resolve_file(struct resolver *resolver, const char *path, bool raw,
			 struct bc_error *err)
{
	struct reader_report report;

	if (raw)
		return resolver_raw_file(resolver, path, err);
	if (!resolver_recording(resolver, path, &report, err))
		return false;
	assert(report.format != INPUT_AUTO);
	assert(report.format != INPUT_PERF_DATA ||
	       report.perf.delivered == resolver->counts.stacks);
	return true;
}

static void run(const char *path, bool raw, bool functions, struct seen *seen)
{
	struct snapshots all = {0};
	struct resolver resolver;
	struct bc_error err = {0};

	*seen = (struct seen){0};
	if (raw)
		add_maps(&all);
	resolver_init(&resolver, &all);
	resolver.libraries.given = &demo;
	resolver.libraries.given_count = 1;
	resolver.options = (struct frame_options){.functions = functions, .input = functions};
	resolver.take = take;
	resolver.ctx = seen;
	seen->ok = resolve_file(&resolver, path, raw, &err);
	if (!seen->ok) {
		error_check(&err);
		assert(strstr(err.text, path));
		memcpy(seen->error, err.text, sizeof(seen->error));
	}
	check_counts(&resolver.counts, &seen->counts);
	resolver_free(&resolver);
	snapshots_free(&all);
}

static void check(const char *path, bool raw)
{
	struct seen plain, named;

	run(path, raw, false, &plain);
	run(path, raw, true, &named);
	assert(plain.ok == named.ok && plain.hash == named.hash &&
	       !strcmp(plain.error, named.error));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	open_demo();
	struct bytes_file file = bytes_file_open(data, size);
	check(file.path, false);
	check(file.path, true);
	bytes_file_close(&file);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_perf_data(data, size, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
				 uint8_t *out, size_t most, unsigned seed)
{
	return cross_perf_data(a, a_size, b, b_size, out, most, seed);
}
