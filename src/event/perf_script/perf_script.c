/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/perf_script.h"

#include "src/event/perf_script/block.h"
#include "src/event/perf_script/head.h"
#include "src/event/perf_script/record.h"
#include "src/event/perf_script/perf_text.h"

/* Addresses from here on are the kernel's. */
#define KERNEL_BEGIN (UINT64_C(1) << 63)

void perf_script_init(struct perf_script *script, struct sample_sink *sink,
		      struct reader_report *report)
{
	*script = (struct perf_script){.sink = sink, .report = report};
}

void perf_script_fini(struct perf_script *script)
{
	threads_free(&script->threads);
	branch_vec_free(&script->branches);
	chain_vec_free(&script->chain);
	file_vec_free(&script->files);
	path_vec_free(&script->paths);
}

/* The buffer of paths stands now: lengths become texts. */
static const struct text *place_files(struct perf_script *script)
{
	const char *at = script->paths.at ? script->paths.at : "";

	for (size_t i = 0; i < script->files.len; i++) {
		script->files.at[i].at = at;
		at += script->files.at[i].len;
	}
	return script->files.len ? script->files.at : NULL;
}

/* Kernel code has its address, and so has what is in no file that perf knows. */
static bool may_be_offset(uint64_t at, struct text file)
{
	return at < KERNEL_BEGIN && file.len && !text_is(file, "[unknown]");
}

/* The address of a sample that has none but in its chain. */
static struct run_addr chain_ip(const struct perf_script *script)
{
	const struct sample *sample = &script->sample;
	size_t i = script->inlined < sample->chain_count ? script->inlined : 0;
	uint64_t at = sample->chain[i];

	if (!script->places.find || !may_be_offset(at, sample->chain_files[i]))
		return (struct run_addr){at};
	return script->places.find(script->places.ctx, sample->pid, sample->chain_files[i], at);
}

static bool deliver_sample(struct perf_script *script, struct bc_error *err)
{
	struct sample *sample = &script->sample;

	script->open = OPEN_NOTHING;
	sample->chain = script->chain.at;
	sample->chain_count = script->chain.len;
	sample->chain_files = place_files(script);
	if (script->chain_has_ip && sample->chain_count)
		sample->ip = chain_ip(script);
	if (script->sink->time)
		script->sink->time(script->sink->ctx, sample->time);
	return script->sink->sample(script->sink->ctx, sample, err);
}

/* Whatever is open ends here. */
static bool close_open(struct perf_script *script, struct bc_error *err)
{
	if (script->open == OPEN_SAMPLE)
		return deliver_sample(script, err);
	script->open = OPEN_NOTHING;
	return true;
}

/* Deliver what a record says. */
static bool tell_record(struct perf_script *script, const struct record *record,
			struct bc_error *err)
{
	struct sample_sink *sink = script->sink;

	switch (record->kind) {
	case RECORD_MAP:
		return sink->map(sink->ctx, &record->map, err);
	case RECORD_EXEC:
		return sink->exec(sink->ctx, record->pid, err);
	case RECORD_FORK:
		return sink->fork(sink->ctx, record->parent, record->pid, err);
	case RECORD_EXIT:
		return sink->exit(sink->ctx, record->pid, record->tid, err);
	case RECORD_COMM:
	case RECORD_OTHER:
		break;
	}
	script->report->ignored++;
	return true;
}

static bool read_record(struct perf_script *script, const struct line *line, size_t at,
			struct bc_error *err)
{
	struct record record;

	if (!record_parse(line, at, &record, err))
		return false;
	if (record.kind == RECORD_OTHER) {
		script->open = OPEN_RECORD;
	} else if (record.pid == NO_PID) { /* the kernel's own */
		script->report->ignored++;
		return true;
	} else if (!threads_learn(&script->threads, record.pid, record.tid)) {
		return bc_fail_nomem(err);
	}
	return tell_record(script, &record, err);
}

/* The event's name must outlive its line. */
static struct text keep_event(struct perf_script *script, struct text event)
{
	struct text kept = text_first(event, sizeof(script->event));

	if (kept.len)
		memcpy(script->event, kept.at, kept.len);
	return (struct text){script->event, kept.len};
}

static bool refuse_symbols(const struct line *line, const char *at, struct bc_error *err)
{
	return line_fail(err, BC_UNSUPPORTED, line, at,
			 "branch stacks with symbols have no addresses "
			 "(run perf script with -F pid,ip,brstack): expected addresses");
}

/* Read what stands before the stack of a sample, and open the sample. */
static bool open_sample(struct perf_script *script, const struct line *line, size_t stack,
			struct bc_error *err)
{
	struct head head;

	if (!head_parse(line, stack, &head, err)) {
		if (stack == line->text.len && stack_is_symbolic(line->text))
			return refuse_symbols(line, line->text.at, err);
		return false;
	}
	if (stack == line->text.len && stack_is_symbolic(head.rest))
		return refuse_symbols(line, head.rest.at, err);
	if (head.has_time)
		script->report->timeless = false;
	uint32_t pid = head.has_tid ? head.pid : threads_pid(&script->threads, head.pid);
	script->sample = (struct sample){
		.pid = pid,
		.time = head.time,
		.ip = head.ip,
		.data = head.data,
		.event = keep_event(script, head.event),
	};
	script->chain_has_ip = !head.ip.v;
	script->chain.len = 0;
	script->inlined = 0;
	script->files.len = 0;
	script->paths.len = 0;
	script->open = OPEN_SAMPLE;
	return true;
}

/* The stack of the line at hand. */
static bool take_branches(struct perf_script *script, const struct line *line, size_t at,
			  struct bc_error *err)
{
	const struct script_line *read = script->read_before;
	struct sample *sample = &script->sample;

	if (read && read->branch_count != SCRIPT_LINE_BAD) {
		sample->branches = script->branches_before + read->first_branch;
		sample->branch_count = read->branch_count;
		sample->memory = script->memory;
		return true;
	}
	script->branches.len = 0;
	if (!stack_parse(line, at, &script->branches, err))
		return false;
	sample->branches = script->branches.at;
	sample->branch_count = script->branches.len;
	return true;
}

/* The stack ends a sample. */
static bool read_stack(struct perf_script *script, const struct line *line, size_t at,
		       struct bc_error *err)
{
	script->sample.has_stack = true;
	return take_branches(script, line, at, err) && deliver_sample(script, err);
}

static bool read_sample(struct perf_script *script, const struct line *line, size_t stack,
			struct bc_error *err)
{
	return close_open(script, err) && open_sample(script, line, stack, err) &&
	       (stack == line->text.len || read_stack(script, line, stack, err));
}

/* The path at the end of a line of a call chain, "... (/srv/app)": a symbol can
 * have brackets, too. */
static struct text chain_file(struct text line)
{
	line = text_trim(line);
	if (text_ends(line, ")"))
		for (size_t i = line.len - 1; i-- > 1;)
			if (line.at[i - 1] == ' ' && line.at[i] == '(' &&
			    (line.at[i + 1] == '/' || line.at[i + 1] == '['))
				return text_first(text_from(line, i + 1), line.len - i - 2);
	return (struct text){line.at, 0};
}

static bool keep_chain(struct perf_script *script, uint64_t ip, struct text file)
{
	for (size_t i = 0; i < file.len; i++)
		if (!path_vec_push(&script->paths, file.at[i]))
			return false;
	return chain_vec_push(&script->chain, ip) &&
	       file_vec_push(&script->files, (struct text){NULL, file.len});
}

/* A line of a call chain, or of a record that takes several. */
static bool read_continuation(struct perf_script *script, const struct line *line,
			      struct bc_error *err)
{
	struct text rest = line->text;
	uint64_t ip;

	script->report->ignored++;
	if (script->open != OPEN_SAMPLE || !text_hex(text_word(&rest), &ip))
		return true;
	if (text_is(text_word(&rest), "insn:"))
		return line_fail(err, BC_UNSUPPORTED, line, text_trim(line->text).at,
				 "a listing of instructions (brstackinsn) holds no branches; use -F pid,ip,brstack");
	/* These stand before the code that they are a part of. */
	if (script->inlined == script->chain.len && text_ends(text_trim(line->text), "(inlined)"))
		script->inlined++;
	return keep_chain(script, ip, chain_file(line->text)) || bc_fail_nomem(err);
}

/* A line whose stack, if there is one, begins at byte `stack`. */
static bool take_line(struct perf_script *script, const struct line *line, size_t stack,
		      struct bc_error *err)
{
	struct text text = line->text;

	if (!text_trim(text_first(text, stack)).len) {
		if (stack < text.len && script->open == OPEN_SAMPLE)
			return read_stack(script, line, stack, err);
		if (stack < text.len)
			return line_fail(err, BC_FORMAT, line, text.at + stack,
					 "expected a process id before the branch stack");
		script->report->ignored++;
		return close_open(script, err);
	}
	if (text_starts(text, "#")) {
		script->report->ignored++;
		return true;
	}
	if (text_starts(text, "\t") && script->open != OPEN_NOTHING) {
		return read_continuation(script, line, err);
	}
	size_t record = record_find(text, stack);
	if (record < stack)
		return close_open(script, err) && read_record(script, line, record, err);
	return read_sample(script, line, stack, err);
}

bool perf_script_line(struct perf_script *script, const struct line *line, struct bc_error *err)
{
	return take_line(script, line, stack_find(line->text), err);
}

bool perf_script_end(struct perf_script *script, struct bc_error *err)
{
	return close_open(script, err);
}

bool perf_script_fits(const struct line *line)
{
	struct text text = line->text;
	size_t stack = stack_find(text);
	struct head head;
	struct bc_error err;

	if (!text_trim(text).len || text_starts(text, "#"))
		return false;
	return stack < text.len || record_find(text, stack) < stack ||
	       head_parse(line, stack, &head, &err) || stack_is_symbolic(text);
}

static bool take_map(void *ctx, const struct map_event *event, struct bc_error *err)
{
	(void)ctx, (void)event, (void)err;
	return true;
}

static bool take_exec(void *ctx, uint32_t pid, struct bc_error *err)
{
	(void)ctx, (void)pid, (void)err;
	return true;
}

static bool take_task(void *ctx, uint32_t a, uint32_t b, struct bc_error *err)
{
	(void)ctx, (void)a, (void)b, (void)err;
	return true;
}

static bool take_sample(void *ctx, const struct sample *sample, struct bc_error *err)
{
	(void)ctx, (void)sample, (void)err;
	return true;
}

/* Would this line be an error?  Nothing is delivered. */
static bool is_damaged(const struct perf_script *script, const struct line *line, size_t stack)
{
	struct sample_sink nobody = {.map = take_map, .exec = take_exec, .fork = take_task,
				     .exit = take_task, .sample = take_sample};
	struct reader_report ignored = {0};
	struct perf_script probe;
	struct bc_error err;

	perf_script_init(&probe, &nobody, &ignored);
	probe.open = script->open;
	bool damaged = !take_line(&probe, line, stack, &err) && err.code == BC_FORMAT;
	perf_script_fini(&probe);
	return damaged;
}

/* Without its newline the last line of a text can be whole all the same.  One that cannot be
 * read is what was left of a line when its writer died, unless there is nothing else.  (What
 * can be read counts: a number that was cut is a number.) */
static bool is_cut(const struct perf_script *script, const struct text_block *block,
		   const struct script_line *at, const struct line *line)
{
	return script->cut_will_do && at->at + at->len == block->text.len && line->number > 1 &&
	       (is_damaged(script, line, at->stack) ||
		stack_ends_early(text_from(line->text, at->stack)));
}

static void note_cut(struct reader_report *report, const struct text_block *block,
		     const struct line *line)
{
	report->cut = true;
	report->cut_line = line->number;
	report->cut_at = block->all->lines->bytes - line->text.len; /* all was given out */
}

static bool read_block(struct perf_script *script, struct text_block *block, const char *file,
		       struct bc_error *err)
{
	const struct script_block *parsed = block->parsed;

	script->branches_before = parsed->branches.at;
	script->memory = &block->memory;
	for (size_t i = 0; i < parsed->lines.len; i++) {
		const struct script_line *at = &parsed->lines.at[i];
		struct line line = {{block->text.at + at->at, at->len}, file, block->first_line + i};
		if (is_cut(script, block, at, &line)) {
			note_cut(script->report, block, &line);
			break;
		}
		script->read_before = at;
		script->report->lines = line.number;
		if (!take_line(script, &line, at->stack, err))
			return false;
	}
	return !parsed->no_memory || bc_fail_nomem(err);
}

static bool read_blocks(struct perf_script *script, struct text_blocks *blocks,
			struct bc_error *err)
{
	struct text_block *block;

	while (text_blocks_next(blocks, &block, err)) {
		bool ok = read_block(script, block, blocks->lines->stream->name, err);
		script->read_before = NULL;
		text_block_release(block);
		if (!ok)
			return false;
	}
	return err->code == BC_OK && perf_script_end(script, err);
}

static bool read_lines(struct perf_script *script, struct lines *lines, struct pool *pool,
		       struct bc_error *err)
{
	BC_AUTO(text_blocks_fini) struct text_blocks blocks;

	text_blocks_init(&blocks, lines, pool, &script_block_parser, NULL);
	return sample_sink_settle(script->sink, read_blocks(script, &blocks, err), err);
}

bool perf_script_read(struct lines *lines, const struct reader_options *options,
		      struct sample_sink *sink, struct reader_report *report,
		      struct bc_error *err)
{
	BC_AUTO(perf_script_fini) struct perf_script script;
	struct text start;

	perf_script_init(&script, sink, report);
	script.cut_will_do = options->cut_will_do;
	script.places = options->places;
	report->timeless = true; /* until a time is seen */
	if (!lines_peek(lines, strlen(PERF_TEXT_MAGIC), &start, err))
		return false;
	return text_starts(start, PERF_TEXT_MAGIC) ? perf_text_lines(&script, lines, err)
						   : read_lines(&script, lines, options->pool, err);
}
