/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A random function, another order of its blocks as llvm-bolt makes it (some are left out, the rest
 * in two fragments, without nops), and runs of it: the taken branches of the output give back each
 * step, each instruction and each call of the input's run.  It calls `g`, and `h`, which calls `g`
 * in the input; in the output `g` is inlined there, so that no branch leaves `h` but its return.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/elf/binary.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"
#include "tests/support/convert_all.h"
#include "tests/support/prng.h"

#define INPUT      UINT64_C(0x1000) /* where `f` is */
#define OUTPUT     UINT64_C(0x8000) /* its hot fragment, at the most 0x400 before the cold one */
#define COLD       (OUTPUT + 0x400)
#define G_IN       (INPUT + 0x400)
#define G_OUT      (OUTPUT + 0x800)
#define H_IN       (G_IN + 4)
#define H_OUT      (G_OUT + 4)
#define SIZE       0x410
#define MOST       12
#define MOST_STEPS 60

enum kind {
	END,       /* ret */
	JUMP,      /* jmp ON */
	FALL,      /* on to the block after it */
	CONDITION, /* je AIM, or on */
	BOTH,      /* je AIM; jmp ON */
	ONLY_JUMP, /* jmp ON alone: left out */
	ONLY_NOPS, /* likewise, on to the block after it */
};

enum { NOP, WORK, CALL, JE, JMP, RET };

struct instruction {
	uint8_t what, size;
	bool to_h;       /* a call of `h`, and not of `g` */
	uint32_t at;     /* offset in the input's function */
	uint64_t output; /* vaddr; 0: it is not in the output */
};

struct inserted_block {
	enum kind kind;
	uint32_t aim, on;
	struct instruction insns[8];
	uint32_t count;
	uint64_t output;        /* where it begins there */
	uint64_t je, jmp;       /* vaddrs of the jumps that it ends with there; 0: none */
	uint32_t je_to, jmp_to; /* blocks; where there is neither, `jmp_to` comes after it */
};

static struct {
	struct prng random;
	struct inserted_block blocks[MOST];
	uint32_t block_count, order[MOST], kept, first_cold;
	uint8_t input[SIZE], output[SIZE + 0x400];
	uint32_t size, hot_size, cold_size;
	struct bat_entry entries[2 * MOST * 8];
	struct bat_block hashes[2 * MOST * 8];
	uint32_t entry_count;
	/* The code that was executed, in the input. */
	uint64_t edges[MOST][MOST], ran[SIZE], calls[SIZE], calls_of_h[SIZE], taken[SIZE][MOST],
		runs, runs_of_h;
	char *samples;
} m;

static uint32_t any(uint32_t below)
{
	return (uint32_t)prng_below(&m.random, below);
}

static bool is_left_out(uint32_t block)
{
	return m.blocks[block].kind == ONLY_JUMP || m.blocks[block].kind == ONLY_NOPS;
}

/* The block of the output that a jump to a block leads to; MOST: a loop of jumps. */
static uint32_t past(uint32_t block)
{
	for (uint32_t steps = 0; is_left_out(block); block = m.blocks[block].on)
		if (steps++ == MOST)
			return MOST;
	return block;
}

/* ---- the input ---- */

static void put(struct inserted_block *b, uint8_t what)
{
	static const uint8_t sizes[] = {1, 2, 5, 6, 5, 1};

	b->insns[b->count++] = (struct instruction){
		.what = what, .size = sizes[what], .to_h = what == CALL && any(2)};
}

static bool jumps_on(enum kind kind)
{
	return kind == JUMP || kind == BOTH || kind == ONLY_JUMP;
}

static bool has_two(enum kind kind)
{
	return kind == CONDITION || kind == BOTH;
}

static bool is_aimed_at(uint32_t block)
{
	for (uint32_t i = 0; i < m.block_count; i++)
		if ((has_two(m.blocks[i].kind) && m.blocks[i].aim == block) ||
		    (jumps_on(m.blocks[i].kind) && m.blocks[i].on == block))
			return true;
	return false;
}

/* What is after a block that continues is a block of its own only if a jump leads there: where
 * none does, the block ends with a jump. */
static void choose_kinds(void)
{
	static const enum kind with_jump[] = {
		[FALL] = JUMP, [CONDITION] = BOTH, [ONLY_NOPS] = ONLY_JUMP};

	for (uint32_t i = 0; i < m.block_count; i++) {
		struct inserted_block *b = &m.blocks[i];
		b->kind = i + 1 == m.block_count ? END :
						   (enum kind)any(i ? ONLY_NOPS + 1 : ONLY_JUMP);
		b->aim = any(m.block_count);
		b->on = jumps_on(b->kind) ? any(m.block_count) : i + 1;
	}
	for (uint32_t i = 0; i < m.block_count; i++) {
		struct inserted_block *b = &m.blocks[i];
		if (b->kind != END && !jumps_on(b->kind) && !is_aimed_at(i + 1)) {
			b->kind = with_jump[b->kind];
			b->on = any(m.block_count);
		}
	}
}

static void fill_block(struct inserted_block *b)
{
	if (b->kind == ONLY_NOPS) {
		put(b, NOP);
	} else if (b->kind != ONLY_JUMP) {
		for (uint32_t i = any(3); i; i--)
			put(b, any(3) ? WORK : any(2) ? CALL : NOP);
		put(b, WORK);
	}
	if (has_two(b->kind))
		put(b, JE);
	if (jumps_on(b->kind))
		put(b, JMP);
	if (b->kind == END)
		put(b, RET);
}

/* No two ways of a block lead to the same one, and no jumps lead in a loop. */
static bool is_usable(void)
{
	for (uint32_t i = 0; i < m.block_count; i++) {
		const struct inserted_block *b = &m.blocks[i];
		if (b->kind != END && past(b->on) == MOST)
			return false;
		if (has_two(b->kind) && (past(b->aim) == MOST || past(b->aim) == past(b->on)))
			return false;
	}
	return true;
}

static void place_input(void)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < m.block_count; i++)
		for (uint32_t k = 0; k < m.blocks[i].count; k++) {
			m.blocks[i].insns[k].at = at;
			at += m.blocks[i].insns[k].size;
		}
	m.size = at;
}

static void put_distance(uint8_t *p, uint64_t from, uint64_t to)
{
	uint32_t distance = (uint32_t)(to - from);

	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(distance >> 8 * i);
}

/* Writes one instruction at a vaddr. */
static void encode(uint8_t *p, uint64_t at, uint8_t what, uint64_t target, bool inverted)
{
	switch (what) {
	case NOP: p[0] = 0x90; break;
	case WORK: /* inc %eax */
		p[0] = 0xff;
		p[1] = 0xc0;
		break;
	case CALL:
		p[0] = 0xe8;
		put_distance(p + 1, at + 5, target);
		break;
	case JE:
		p[0] = 0x0f;
		p[1] = inverted ? 0x85 : 0x84;
		put_distance(p + 2, at + 6, target);
		break;
	case JMP:
		p[0] = 0xe9;
		put_distance(p + 1, at + 5, target);
		break;
	default: p[0] = 0xc3;
	}
}

static void write_input(void)
{
	for (uint32_t i = 0; i < m.block_count; i++)
		for (uint32_t k = 0; k < m.blocks[i].count; k++) {
			const struct inserted_block *b = &m.blocks[i];
			const struct instruction *insn = &b->insns[k];
			uint32_t to = insn->what == JE ? b->aim : b->on;
			uint64_t target = insn->what == CALL ? (insn->to_h ? H_IN : G_IN) :
					  to < MOST          ? INPUT + m.blocks[to].insns[0].at :
							       0;
			encode(m.input + insn->at, INPUT + insn->at, insn->what, target, false);
		}
	m.input[G_IN - INPUT] = 0xc3;
	encode(m.input + (H_IN - INPUT), H_IN, WORK, 0, false);
	encode(m.input + (H_IN - INPUT) + 2, H_IN + 2, CALL, G_IN, false);
	m.input[H_IN - INPUT + 7] = 0xc3;
}

/* ---- the output ---- */

static void order_blocks(void)
{
	m.kept = 0;
	for (uint32_t i = 0; i < m.block_count; i++)
		if (!is_left_out(i))
			m.order[m.kept++] = i;
	for (uint32_t i = m.kept; i-- > 2;) {
		uint32_t other = 1 + any(i), block = m.order[i];
		m.order[i] = m.order[other];
		m.order[other] = block;
	}
	m.first_cold = any(2) && m.kept > 1 ? 1 + any(m.kept - 1) : m.kept;
}

static void add_entry(uint64_t fragment, uint64_t output, uint32_t input, bool branch)
{
	m.hashes[m.entry_count] =
		branch ? (struct bat_block){0} :
			 (struct bat_block){.hash = 0x1000 + input, .index = input};
	m.entries[m.entry_count++] =
		(struct bat_entry){(uint32_t)(output - fragment), input << 1 | branch};
}

/* Chooses the jumps of a block and lays it out.  Returns its end. */
static uint64_t place_block(uint32_t i, uint64_t at)
{
	struct inserted_block *b = &m.blocks[m.order[i]];
	uint32_t next = i + 1 == m.kept || i + 1 == m.first_cold ? MOST : m.order[i + 1],
		 on = b->kind == END ? MOST : past(b->on);
	bool two = has_two(b->kind);

	b->output = at;
	b->je_to = two ? past(b->aim) : MOST;
	b->jmp_to = on;
	if (two && b->je_to == next) { /* the condition is turned round */
		b->je_to = on;
		b->jmp_to = next;
	}
	b->je = b->jmp = 0;
	for (uint32_t k = 0; k < b->count; k++) {
		struct instruction *insn = &b->insns[k];
		insn->output = insn->what == NOP || insn->what == JMP ? 0 : at;
		at += insn->output ? insn->size : 0;
		b->je = insn->what == JE ? insn->output : b->je;
	}
	if (b->jmp_to != MOST && b->jmp_to != next) {
		b->jmp = at;
		at += 5;
		if (b->insns[b->count - 1].what == JMP)
			b->insns[b->count - 1].output = b->jmp;
	}
	return at;
}

static void write_block(uint32_t number)
{
	const struct inserted_block *b = &m.blocks[number];
	uint64_t fragment = b->output >= COLD ? COLD : OUTPUT;

	add_entry(fragment, b->output, b->insns[0].at, false);
	for (uint32_t k = 0; k < b->count; k++) {
		const struct instruction *insn = &b->insns[k];
		bool inverted = insn->what == JE && b->je_to != past(b->aim);
		if (!insn->output || insn->what == JMP)
			continue;
		uint64_t target = insn->what == CALL ? (insn->to_h ? H_OUT : G_OUT) :
				  insn->what == JE   ? m.blocks[b->je_to].output :
						       0;
		encode(m.output + (insn->output - OUTPUT), insn->output, insn->what, target,
		       inverted);
		/* The table has one entry for an address: of an instruction that begins a block
		 * there is none. */
		if ((insn->what == CALL || insn->what == JE) && insn->output != b->output)
			add_entry(fragment, insn->output, insn->at, true);
	}
	if (!b->jmp)
		return;
	encode(m.output + (b->jmp - OUTPUT), b->jmp, JMP, m.blocks[b->jmp_to].output, false);
	if (b->insns[b->count - 1].what == JMP)
		add_entry(fragment, b->jmp, b->insns[b->count - 1].at, true);
}

/* The descriptor of the table. */
static uint8_t *write_output(size_t *size)
{
	struct bat_fragment fragments[4] = {
		{.address = OUTPUT, .hash = 77, .block_count = m.block_count}};
	struct bat_table bat = {.layout = BAT_LAYOUT_HASHED,
				.fragments = fragments,
				.hot_count = 3,
				.entries = m.entries,
				.blocks = m.hashes};
	uint32_t g = m.first_cold < m.kept ? 2 : 1;
	struct bat_error err;
	uint8_t *data;

	m.entry_count = 0;
	for (uint32_t i = 0; i < m.kept; i++) {
		if (i == m.first_cold) {
			fragments[0].entry_count = m.entry_count;
			fragments[1] = (struct bat_fragment){
				.address = COLD, .first_entry = m.entry_count, .cold = true};
		}
		write_block(m.order[i]);
	}
	fragments[g - 1].entry_count = m.entry_count - fragments[g - 1].first_entry;
	m.output[G_OUT - OUTPUT] = 0xc3;
	fragments[g] = (struct bat_fragment){.address = G_OUT,
					     .hash = 78,
					     .first_entry = m.entry_count,
					     .entry_count = 1,
					     .block_count = 1,
					     .parent = g};
	add_entry(G_OUT, G_OUT, 0, false);
	encode(m.output + (H_OUT - OUTPUT), H_OUT, WORK, 0, false);
	m.output[H_OUT - OUTPUT + 2] = 0xc3;
	fragments[g + 1] = (struct bat_fragment){.address = H_OUT,
						 .hash = 79,
						 .first_entry = m.entry_count,
						 .entry_count = 1,
						 .block_count = 1,
						 .parent = g + 1};
	add_entry(H_OUT, H_OUT, 0, false);
	bat.fragment_count = g + 2;
	bat.entry_count = m.entry_count;
	assert_true(bat_encode(&bat, BAT_LAYOUT_HASHED, &data, size, &err));
	return data;
}

/* False: two ways of a block cannot be distinguished. */
static bool make(uint64_t seed)
{
	uint64_t at = OUTPUT;

	memset(&m, 0, sizeof(m));
	m.random.state = seed;
	m.block_count = 2 + any(MOST - 2);
	choose_kinds();
	if (!is_usable())
		return false;
	for (uint32_t i = 0; i < m.block_count; i++)
		fill_block(&m.blocks[i]);
	place_input();
	write_input();
	order_blocks();
	for (uint32_t i = 0; i < m.kept; i++) {
		if (i == m.first_cold)
			at = COLD;
		at = place_block(i, at);
		if (i < m.first_cold)
			m.hot_size = (uint32_t)(at - OUTPUT);
		else
			m.cold_size = (uint32_t)(at - COLD);
	}
	return true;
}

/* ---- runs ---- */

/* A taken branch that is not written yet, as it is not known where the code after it ended. */
struct last_branch {
	uint64_t from, to;
	char kind;
	uint32_t number;
};

static void branch(FILE *out, struct last_branch *last, uint64_t from, uint64_t to, char kind)
{
	if (last->from)
		fprintf(out, "%c %llx %llx %llx 1\n", last->kind, (unsigned long long)last->from,
			(unsigned long long)last->to, (unsigned long long)from);
	else
		fprintf(out, "T X:0 %llx %llx 1\n", (unsigned long long)last->to,
			(unsigned long long)from);
	*last = (struct last_branch){from, to, kind, last->number + 1};
}

/* Goes from a block of the input on, through those that are left out, as far as one that is kept.
 */
static uint32_t go(uint32_t from, uint32_t jump_at, uint32_t to)
{
	for (;;) {
		const struct inserted_block *b = &m.blocks[to];
		m.edges[from][to]++;
		if (jump_at != UINT32_MAX)
			m.taken[jump_at][to]++;
		if (!is_left_out(to))
			return to;
		for (uint32_t k = 0; k < b->count; k++)
			m.ran[b->insns[k].at]++;
		jump_at = b->kind == ONLY_JUMP ? b->insns[b->count - 1].at : UINT32_MAX;
		from = to;
		to = b->on;
	}
}

/* Runs a kept block.  Returns the one that runs next; MOST: the function returned. */
static uint32_t run_block(FILE *out, struct last_branch *last, uint32_t number)
{
	const struct inserted_block *b = &m.blocks[number];
	bool aimed = any(2) && has_two(b->kind);

	for (uint32_t k = 0; k < b->count; k++) {
		const struct instruction *insn = &b->insns[k];
		m.ran[insn->at] +=
			!(aimed && insn->what == JMP); /* a jump after a condition that holds */
		if (insn->what == CALL) {
			(insn->to_h ? m.calls_of_h : m.calls)[insn->at]++;
			m.runs_of_h += insn->to_h;
			branch(out, last, insn->output, insn->to_h ? H_OUT : G_OUT, 'T');
			branch(out, last, insn->to_h ? H_OUT + 2 : G_OUT, insn->output + insn->size,
			       'R');
		}
		if (insn->what == RET) {
			branch(out, last, insn->output, 0, 'T');
			return MOST;
		}
	}
	const struct instruction *end = &b->insns[b->count - 1],
				 *condition = b->kind == BOTH ? end - 1 : end;
	uint32_t jump_at = aimed ? condition->at : end->what == JMP ? end->at : UINT32_MAX;
	uint32_t next = go(number, jump_at, aimed ? b->aim : b->on);
	if (next == b->je_to)
		branch(out, last, b->je, m.blocks[next].output, 'T');
	else if (b->jmp)
		branch(out, last, b->jmp, m.blocks[next].output, 'T');
	return next;
}

static void run(FILE *out)
{
	struct last_branch last = {.to = OUTPUT};
	uint32_t block = 0;

	m.runs++;
	for (uint32_t steps = 0; block != MOST && steps < MOST_STEPS; steps++)
		block = run_block(out, &last, block);
	while (block !=
	       MOST) { /* on to a taken branch, and to the first instruction that it leads to */
		uint32_t before = last.number;
		block = run_block(out, &last, block);
		if (block == MOST || last.number == before || last.to != m.blocks[block].output)
			continue;
		branch(out, &last, last.to, 0, 'T');
		for (uint32_t k = 0; !k || m.blocks[block].insns[k - 1].what == NOP; k++)
			m.ran[m.blocks[block].insns[k].at]++;
		return;
	}
}

/* ---- what comes out ---- */

static struct bytes input_file(void)
{
	const struct build_section sections[] = {
		{.name = ".text",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = INPUT,
		 .data = m.input,
		 .size = SIZE},
		{0},
	};
	const struct build_symbol symbols[] = {
		{"f", INPUT, m.size, STT_FUNC, STB_GLOBAL, ".text"},
		{"g", G_IN, 1, STT_FUNC, STB_GLOBAL, ".text"},
		{"h", H_IN, 8, STT_FUNC, STB_GLOBAL, ".text"},
		{0},
	};

	return build_elf(&(struct build_elf){.sections = sections, .symbols = symbols});
}

static struct bytes output_file(void)
{
	static uint8_t note[4096];
	size_t desc_size;
	uint8_t *desc = write_output(&desc_size);

	assert_true(desc_size + 64 < sizeof(note));
	size_t note_size =
		build_note(note, BAT_NOTE_OWNER, BAT_NOTE_TYPE, desc, (uint32_t)desc_size);
	free(desc);
	const struct build_section sections[] = {
		{.name = ".text",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = OUTPUT,
		 .data = m.output,
		 .size = sizeof(m.output)},
		{.name = BAT_SECTION_NAME, .type = SHT_NOTE, .data = note, .size = note_size},
		{0},
	};
	const struct build_symbol cold[] = {
		{"f.cold.0", COLD, m.cold_size, STT_FUNC, STB_LOCAL, ".text"},
		{"f", OUTPUT, m.hot_size, STT_FUNC, STB_GLOBAL, ".text"},
		{"g", G_OUT, 1, STT_FUNC, STB_GLOBAL, ".text"},
		{"h", H_OUT, 3, STT_FUNC, STB_GLOBAL, ".text"},
		{0},
	};

	return build_elf(&(struct build_elf){.sections = sections, .symbols = cold + !m.cold_size});
}

static uint32_t block_of(uint64_t offset)
{
	for (uint32_t i = m.block_count; i--;)
		if (offset >= m.blocks[i].insns[0].at)
			return i;
	return MOST;
}

/* Converts the samples: llvm-profgen's profile, and then fdata. */
static char *convert_samples(unsigned threads)
{
	const struct aggregate_options options = {.threads = 1, .rules = best_rules};
	const struct image_match_options match = {.binary_path = "f.bolt"};
	struct bytes input = input_file(), output = output_file();
	struct aggregate aggregate;
	struct bc_error err = {0};
	struct binary binary;
	struct pair pair;
	char *text;
	size_t size;

	FILE *out = open_memstream(&text, &size);
	if (!binary_open_bytes(output, &binary, &err) ||
	    !pair_open_bytes(input, &binary, true, &pair, &err))
		fail_msg("%s", err.text);
	assert_true(aggregate_init(&aggregate, &pair.output->image, &options, &match, &err));
	if (!convert_read(&aggregate, text_of(m.samples), &err))
		fail_msg("%s", err.text);
	convert_check_pair(&aggregate, pair.output, &pair, threads, out);
	pair_close(&pair);
	binary_close(&binary);
	build_elf_free(&input);
	build_elf_free(&output);
	fclose(out);
	return text;
}

/* The ranges cover each instruction as often as it ran; the branches are those that the input took.
 */
static const char *profgen_is_right(const char *text)
{
	int64_t seen[SIZE] = {0};
	uint64_t taken[SIZE][MOST] = {{0}}, calls[SIZE] = {0}, calls_of_h[SIZE] = {0};
	unsigned long long count, from, to, times;
	int used;

	assert_int_equal(sscanf(text, "%llu\n%n", &count, &used), 1);
	for (text += used; count--; text += used) {
		assert_int_equal(sscanf(text, "%llx-%llx:%llu\n%n", &from, &to, &times, &used), 3);
		for (uint64_t at = from; at <= to; at++)
			seen[at] += (int64_t)times;
	}
	assert_int_equal(sscanf(text, "%llu\n%n", &count, &used), 1);
	for (text += used; count--; text += used) {
		assert_int_equal(sscanf(text, "%llx->%llx:%llu\n%n", &from, &to, &times, &used), 3);
		if (to == G_IN - INPUT) {
			calls[from] += times;
		} else if (to == H_IN - INPUT) {
			calls_of_h[from] += times;
		} else if (from < m.size && to < m.size) {
			assert_int_equal(m.blocks[block_of(to)].insns[0].at, to);
			taken[from][block_of(to)] += times;
		}
	}
	for (uint32_t i = 0; i < m.block_count; i++)
		for (uint32_t k = 0; k < m.blocks[i].count; k++) {
			uint32_t at = m.blocks[i].insns[k].at;
			assert_int_equal(seen[at], m.ran[at]);
			assert_int_equal(calls[at], m.calls[at]);
			assert_int_equal(calls_of_h[at], m.calls_of_h[at]);
			assert_memory_equal(taken[at], m.taken[at], sizeof(taken[at]));
		}
	assert_int_equal(calls[H_IN - INPUT + 2], m.runs_of_h);
	return text;
}

/* Each line, by the blocks that it is of. */
static void fdata_is_right(const char *text)
{
	uint64_t edges[MOST][MOST] = {{0}}, calls[MOST] = {0}, calls_of_h[MOST] = {0},
		 called[MOST] = {0}, called_h[MOST] = {0};
	uint64_t inlined = 0, entered = 0;
	unsigned long long from, to, times;
	char source[32], target[32];

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line += !!line) {
		if (sscanf(line, "%*d %31s %llx 1 %31s %llx %*u %llu", source, &from, target, &to,
			   &times) != 5)
			continue;
		bool from_f = !strcmp(source, "f"), to_f = !strcmp(target, "f");
		if (from_f && to_f) {
			assert_int_equal(m.blocks[block_of(to)].insns[0].at, to);
			edges[block_of(from)][block_of(to)] += times;
		} else if (from_f && !strcmp(target, "g")) {
			calls[block_of(from)] += times;
		} else if (from_f && !strcmp(target, "h")) {
			calls_of_h[block_of(from)] += times;
		} else if (!strcmp(source, "h") && !strcmp(target, "g")) {
			assert_int_equal(from, 2);
			inlined += times;
		} else if (to_f && to == 0) {
			entered += times;
		}
	}
	for (uint32_t i = 0; i < m.block_count; i++)
		for (uint32_t k = 0; k < m.blocks[i].count; k++) {
			called[i] += m.calls[m.blocks[i].insns[k].at];
			called_h[i] += m.calls_of_h[m.blocks[i].insns[k].at];
		}
	assert_memory_equal(edges, m.edges, sizeof(edges));
	assert_memory_equal(calls, called, sizeof(calls));
	assert_memory_equal(calls_of_h, called_h, sizeof(called_h));
	assert_int_equal(inlined, m.runs_of_h);
	assert_int_equal(entered, m.runs);
}

/* Does a block lead to another through blocks that are left out? */
static bool leads_past(uint32_t block, uint32_t to)
{
	const struct inserted_block *b = &m.blocks[block];

	return (b->kind != END && b->on != to && past(b->on) == to) ||
	       (has_two(b->kind) && b->aim != to && past(b->aim) == to);
}

static void random_layouts(void **state)
{
	uint32_t tried = 0, left_out = 0, cold = 0, back = 0, to_start = 0;

	(void)state;
	for (uint64_t seed = 1; tried < 200; seed++) {
		size_t size;
		if (!make(seed))
			continue;
		tried++;
		FILE *out = open_memstream(&m.samples, &size);
		for (uint32_t runs = 1 + any(20); runs; runs--)
			run(out);
		fclose(out);
		char *text = convert_samples(1 + tried % 3);
		fdata_is_right(profgen_is_right(text));
		left_out += m.kept < m.block_count;
		cold += m.first_cold < m.kept;
		for (uint32_t i = 1; i < m.block_count; i++) {
			back += !is_left_out(i) && leads_past(i, i);
			to_start += !is_left_out(i) && leads_past(i, 0);
		}
		free(text);
		free(m.samples);
	}
	assert_true(left_out > 50 && cold > 50 && back > 10 && to_start > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
