/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A walk through code by branch outcomes, both of the input: a byte says the rules, two how many
 * bytes are code, then comes the code, then branch outcomes: the kind, how many bits, and two bytes
 * of an address or of bits.  Properties: the walk ends, within its bounds; each bit and target is
 * followed or lost, none twice; each row lies in the code or where it was left; where branch
 * outcomes are cut into flows does not matter.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/walker.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LOAD         UINT64_C(0x7f0000000000)
#define CODE_MOST    4096
#define ANSWERS_MOST 4096

static uint8_t file[CODE_MOST];

struct outcome {
	struct walk_sums sums;
	uint64_t rows, count, hash;
};

struct given {
	enum flow_rules rules;
	bool waits_ask;
	size_t code_size;
	struct flow_answer answers[ANSWERS_MOST];
	size_t count;
};

/* An address in the code, mostly. */
static uint64_t address_of(uint16_t value)
{
	return value >= 0xff00 ? UINT64_C(0xffffffff00000000) + value :
	       value >= 0xfe00 ? value :
				 LOAD + value % CODE_MOST;
}

static void read_answers(const uint8_t *data, size_t size, struct given *given)
{
	for (; size >= 4 && given->count < ANSWERS_MOST; data += 4, size -= 4) {
		uint16_t value = (uint16_t)(data[2] | data[3] << 8);
		struct flow_answer *answer = &given->answers[given->count++];
		*answer = (struct flow_answer){.kind = data[0] % (FLOW_FROM + 1)};
		if (answer->kind == FLOW_BITS) {
			answer->count = data[1] % 64 + 1;
			answer->value = value * UINT64_C(0x1000100010001) &
					UINT64_MAX >> (64 - answer->count);
		} else if (answer->kind != FLOW_LOST && !(answer->kind == FLOW_STOP && value % 3)) {
			answer->value = address_of(value);
		}
	}
}

/* Where a flow can end: not between bits and the targets of branches among them. */
static bool can_end_before(const struct flow_answer *answer)
{
	return answer->kind != FLOW_BITS && answer->kind != FLOW_TARGET;
}

static void note_rows(const struct counts *counts, struct outcome *out)
{
	for (size_t s = 0; s < COUNTS_SHARDS; s++)
		for (size_t i = 0; i < counts->shards[s].capacity; i++) {
			const struct count_row *row = &counts->shards[s].rows[i];
			if (!row->count)
				continue;
			assert(row->key[0] && row->extra <= row->count);
			assert(!row->key[2] || row->key[2] - LOAD < CODE_MOST);
			assert(row->key[1] || row->key[2]);
			out->rows++;
			out->count += row->count;
			out->hash += hash_end(
				hash_mix(hash_mix(hash_mix(row->count, row->key[0]), row->key[1]),
					 row->key[2]));
		}
}

static struct outcome walk(const struct given *given, bool cut)
{
	struct segment segment = {0x1000, 0, given->code_size, given->code_size, 0x1000, true};
	const struct image image = {.file = {file, given->code_size},
				    .machine = given->rules == FLOW_PT ? MACHINE_X86_64 :
									 MACHINE_AARCH64,
				    .position_independent = true,
				    .segments = &segment,
				    .segment_count = 1};
	const struct given_code code = {&image, {.binary_path = "prog"}};
	struct code_images *images = code_images_make(&code, 1, NULL);
	struct walker *walker = images ? walker_make(images) : NULL;
	struct mapped_file mapped = {0};
	struct mapping mapping = {.start = LOAD, .end = LOAD + CODE_MOST};
	struct map_set *maps = NULL;
	struct walk_calls calls = {.credit = WALK_BLOCKS_FREE};
	struct walk_way way = walk_way_begin();
	struct counts counts;
	struct outcome out = {0};

	counts_init(&counts);
	if (walker &&
	    strings_intern(&code_images_files(images)->texts, text_of("/prog"), &mapped.path) &&
	    mapped_files_intern(code_images_files(images), &mapped, &mapping.file) &&
	    map_set_replace(&maps, mapping.start, mapping.end, &mapping)) {
		for (size_t i = 0; i < given->count;) {
			size_t end = i + 1;
			while (end < given->count && !(cut && can_end_before(&given->answers[end])))
				end++;
			const struct walk_step step = {
				maps,    false,  given->rules, given->waits_ask, given->answers + i,
				end - i, &calls, &way,         &counts};
			if (!walker_go(walker, &step))
				abort();
			i = end;
		}
		assert(walker_end(walker, &way, &counts) && walker_flush(walker));
		assert(calls.credit > -(int64_t)(2 * given->count + 2));
		out.sums = *walker_sums(walker);
		note_rows(&counts, &out);
	}
	counts_free(&counts);
	map_set_release(maps);
	walker_free(walker);
	code_images_free(images);
	return out;
}

static void check_sums(const struct given *given, const struct outcome *out)
{
	uint64_t asked = 0, answered = out->sums.walked;

	for (size_t i = 0; i < given->count; i++) {
		const struct flow_answer *answer = &given->answers[i];
		asked += answer->kind == FLOW_BITS ?
				 answer->count :
				 answer->kind == FLOW_TARGET || answer->kind == FLOW_FROM;
	}
	for (size_t i = 0; i < LOSS_COUNT; i++)
		answered += out->sums.lost[i];
	assert(asked == answered);
	assert(out->rows <= out->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct given given;

	if (size < 3)
		return 0;
	given.rules = data[0] % 3;
	given.waits_ask = data[0] & 0x80;
	given.code_size = (size_t)(data[1] | data[2] << 8) % CODE_MOST + 1;
	given.count = 0;
	data += 3;
	size -= 3;
	memset(file, given.rules == FLOW_PT ? 0x90 : 0, sizeof(file));
	size_t code = size < given.code_size ? size : given.code_size;
	if (code)
		memcpy(file, data, code);
	read_answers(data + code, size - code, &given);
	struct outcome whole = walk(&given, false), cut = walk(&given, true);
	check_sums(&given, &whole);
	assert(whole.hash == cut.hash && whole.count == cut.count &&
	       whole.sums.walked == cut.sums.walked);
	return 0;
}
