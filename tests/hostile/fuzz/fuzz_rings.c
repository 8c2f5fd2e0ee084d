/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes as saved rings, replayed through the recorder.  Properties: errors are of the input's
 * kind; every sample and every branch is kept or has a named reason; every shard that comes out is
 * one; and where records are cut in the rings makes no difference.
 */
#define _GNU_SOURCE /* memfd_create() */
#undef NDEBUG       /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/profile/shard.h"
#include "src/record/recorder.h"
#include "tests/support/build_elf.h"
#include "tests/support/ledger_balances.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every file of a host is this one, except for those that are none or gone, by the last letter of
 * their path. */
static const struct bytes *program(void)
{
	static const uint8_t text[4096] = {0x90};
	static const struct build_section sections[] = {{.name = ".text",
							 .type = SHT_PROGBITS,
							 .flags = SHF_ALLOC | SHF_EXECINSTR,
							 .addr = 0x1000,
							 .data = text,
							 .size = sizeof(text)},
							{0}};
	static struct bytes made;

	if (!made.data)
		made = build_elf(&(struct build_elf){.sections = sections});
	return &made;
}

static enum file_answer open_file(void *ctx, const struct map_event *map, int *fd)
{
	char last = map->path.len ? map->path.at[map->path.len - 1] : 0;
	const struct bytes *file = program();

	(void)ctx;
	if (last == 'x' || last == 'z')
		return last == 'x' ? FILE_LEFT_OUT : FILE_GONE;
	*fd = memfd_create("fuzz", MFD_CLOEXEC);
	assert(*fd >= 0 && write(*fd, file->data, last == 'q' ? 64 : file->size) > 0);
	return FILE_OPENED;
}

/* All shards, one after the other. */
struct shards {
	char *text;
	size_t size;
	FILE *to;
	uint64_t count;
};

static void check_shard(const char *text, size_t size)
{
	struct file_stream stream = {
		.name = "shard", .fd = -1, .size = size, .memory = (const uint8_t *)text};
	struct bc_error err = {0};
	struct shard shard;
	bool is;

	assert(shard_look(&stream, &is, &shard, &err) && is && shard.kind == KIND_PREAGG);
}

static bool take(void *ctx, struct recorded *recorded, struct bc_error *err)
{
	struct shards *shards = ctx;
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	assert(to && recorded_shard(recorded, to, err));
	fclose(to);
	check_shard(text, size);
	fwrite(text, 1, size, shards->to);
	free(text);
	shards->count++;
	return true;
}

/* In parts of so many bytes; 0: as they are. */
static bool feed(struct recorder *recorder, struct rings_reader *reader, size_t cut,
		 struct bc_error *err)
{
	struct rings_part part;
	bool ended = false;

	while (!cut && !ended)
		if (!recorder_replay(recorder, reader, &ended, err))
			return false;
	while (cut && rings_next(reader, &part, err)) {
		if (part.ring == RINGS_END)
			return recorder_drain(recorder, err);
		if (part.ring == RINGS_ROUND && !recorder_round(recorder, err))
			return false;
		if (part.ring >= RINGS_SCAN)
			continue;
		for (; part.bytes.size; part.bytes = bytes_from(part.bytes, cut))
			if (!recorder_ring(recorder, part.ring, bytes_first(part.bytes, cut), err))
				return false;
	}
	return ended;
}

static void check_stats(const struct recorder *recorder)
{
	struct recorder_stats stats = recorder_stats(recorder);

	assert(ledger_balances(&stats.samples));
	assert(ledger_balances(&stats.branches));
}

static bool replay(const uint8_t *data, size_t size, size_t cut, uint64_t memory,
		   struct shards *out)
{
	struct file_stream stream = {.name = "fuzz", .fd = -1, .size = size, .memory = data};
	const struct recorded_taker to = {.ctx = out, .take = take};
	struct rings_reader reader;
	struct recorder *recorder = NULL;
	struct bc_error err = {0};

	bool ok = rings_open(&stream, &reader, &err);
	const struct recorder_options options = {.attr = {reader.attr, reader.attr_size},
						 .rings = reader.rings,
						 .memory = memory,
						 .files = {.open = open_file}};
	ok = ok && recorder_open(&options, &recorder, &err);
	ok = ok && feed(recorder, &reader, cut, &err);
	assert(ok || err.code == BC_FORMAT || err.code == BC_UNSUPPORTED);
	if (recorder)
		check_stats(recorder);
	if (ok) {
		while (recorder_look(recorder, 0))
			;
		assert(recorder_flush(recorder, &to, &err));
		check_stats(recorder);
		uint64_t count = out->count;
		assert(recorder_flush(recorder, &to, &err) && out->count == count);
	}
	recorder_free(recorder);
	rings_close(&reader);
	return ok;
}

static bool has_scan(const uint8_t *data, size_t size)
{
	static const uint8_t scan[] = {0xfd, 0xff, 0xff, 0xff};

	return memmem(data, size, scan, sizeof(scan));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shards whole = {0}, cut = {0}, small = {0};

	if (size > 1u << 18 ||
	    packing_of(data, size) != PACKING_NONE) /* compressed data is for fuzz_unpack */
		return 0;
	whole.to = open_memstream(&whole.text, &whole.size);
	cut.to = open_memstream(&cut.text, &cut.size);
	small.to = open_memstream(&small.text, &small.size);
	assert(whole.to && cut.to && small.to);
	bool ok = replay(data, size, 0, 0, &whole);
	bool same = replay(data, size, 1 + size % 29, 0, &cut);
	(void)replay(data, size, 0, 4096, &small);
	fclose(whole.to);
	fclose(cut.to);
	fclose(small.to);
	if (!has_scan(data, size))
		assert(ok == same && whole.size == cut.size &&
		       !memcmp(whole.text, cut.text, whole.size));
	free(whole.text);
	free(cut.text);
	free(small.text);
	return 0;
}
