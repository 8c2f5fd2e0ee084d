/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_script/perf_script.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/map.h"
#include "src/base/sort.h"
#include "src/samples/text_blocks.h"

/* The most parts that are sorted, or looked at in addition to some for each address. */
#define WORK_MOST   (UINT64_C(1) << 26)
#define WORK_ALWAYS 64

void script_processes_free(struct script_processes *processes)
{
	mapping_process_vec_free(&processes->all);
	map_free(&processes->by_pid);
	process_part_vec_free(&processes->parts);
	*processes = (struct script_processes){0};
}

DEFINE_FIELD_MAP(by_pid, struct mapping_process, pid);

static bool find_or_add(struct script_processes *processes, uint32_t pid, uint32_t *number)
{
	if (by_pid_find(&processes->by_pid, processes->all.at, pid, number))
		return true;
	if (!map_reserve(&processes->by_pid, 1) ||
	    !mapping_process_vec_push(&processes->all, (struct mapping_process){pid, 0}))
		return false;
	*number = (uint32_t)processes->all.len - 1;
	by_pid_put(&processes->by_pid, pid, *number);
	return true;
}

bool script_processes_map(struct script_processes *processes, const struct map_event *map)
{
	uint32_t number;

	if (map->pid == NO_PID || !map->size)
		return true;
	if (!find_or_add(processes, map->pid, &number))
		return false;
	processes->sorted = false;
	return process_part_vec_push(&processes->parts,
				     (struct process_part){
					     .start = map->start.v,
					     .last = map->start.v + (map->size - 1),
					     .path = hash_bytes(0, map->path.at, map->path.len),
					     .begin = map->start.v - map->offset.v,
					     .process = number,
					     .program = processes->all.at[number].programs,
					     .order = processes->parts.len,
				     });
}

void script_processes_exec(struct script_processes *processes, uint32_t pid)
{
	uint32_t number;

	if (by_pid_find(&processes->by_pid, processes->all.at, pid, &number))
		processes->all.at[number].programs++;
}

static bool part_less(const struct process_part *a, const struct process_part *b)
{
	return a->start != b->start ? a->start < b->start : a->order < b->order;
}
DEFINE_SORT(sort_parts, struct process_part, part_less)
DEFINE_SEARCH(parts_from, struct process_part, uint64_t, item->start <= key)

static void sort(struct script_processes *processes)
{
	struct process_part_vec *parts = &processes->parts;
	uint64_t most = 0;

	sort_parts(parts->at, parts->len);
	for (size_t i = 0; i < parts->len; i++) {
		most = parts->at[i].last > most ? parts->at[i].last : most;
		parts->at[i].most_last = most;
	}
	processes->work += parts->len;
	processes->sorted = true;
}

/* The part that was mapped last of those that have an address, or NULL.  *differ: they are of
 * different files. */
static const struct process_part *find_part(struct script_processes *processes, uint64_t address,
					    bool *differ)
{
	const struct process_part_vec *parts = &processes->parts;
	const struct process_part *found = NULL;
	size_t looked = 0;

	*differ = false;
	for (size_t i = parts_from(parts->at, parts->len, address);
	     i-- && parts->at[i].most_last >= address;) {
		const struct process_part *part = &parts->at[i];
		processes->work += looked++ >= WORK_ALWAYS;
		if (address > part->last ||
		    part->program != processes->all.at[part->process].programs)
			continue;
		*differ |= found && found->process != part->process &&
			   (found->path != part->path || found->begin != part->begin);
		if (!found || part->order > found->order)
			found = part;
	}
	return found;
}

struct search {
	const struct process_part *found;
	bool differed;
};

static void look_at(struct script_processes *processes, uint64_t address, struct search *search)
{
	bool differ;
	const struct process_part *part = address ? find_part(processes, address, &differ) : NULL;

	if (!part)
		return;
	if (differ)
		search->differed = true;
	else if (!search->found || part->order > search->found->order)
		search->found = part;
}

enum process_found script_processes_find(struct script_processes *processes,
					 const struct sample *sample, uint32_t *pid)
{
	struct search search = {0};

	if (!processes->all.len)
		return PROCESS_NONE;
	*pid = processes->all.at[0].pid;
	if (processes->all.len == 1)
		return PROCESS_FOUND;
	if (processes->work > WORK_MOST)
		return PROCESS_WORK;
	if (!processes->sorted)
		sort(processes);
	look_at(processes, sample->ip.v, &search);
	for (size_t i = 0; i < sample->branch_count; i++) {
		look_at(processes, sample->branches[i].from, &search);
		look_at(processes, sample->branches[i].to, &search);
	}
	if (search.found)
		*pid = processes->all.at[search.found->process].pid;
	return search.found || !search.differed ? PROCESS_FOUND : PROCESS_SEVERAL;
}

/* 32-bit members keep the array small: a text can have nearly as many lines as bytes. */
struct script_line {
	uint32_t number;                     /* of the line in the block, from 0 */
	uint32_t at, len;                    /* in the block's text */
	uint32_t stack;                      /* where its branch stack begins, or its length */
	uint32_t first_branch, branch_count; /* in the block's branches */
};
#define SCRIPT_LINE_BAD UINT32_MAX /* branch_count: it cannot be read; stack_parse() says why */
DEFINE_VEC(script_line_vec, struct script_line);

/* text_block.parsed */
struct script_block {
	struct script_line_vec lines;
	struct branch_vec branches;
	uint64_t blank; /* lines that follow a blank one, and are blank: they are not in `lines` */
	bool no_memory; /* for further lines: out of memory */
};

void threads_free(struct thread_table *table)
{
	thread_vec_free(&table->all);
	map_free(&table->by_tid);
}

DEFINE_FIELD_MAP(by_tid, struct thread, tid);

bool threads_learn(struct thread_table *table, uint32_t pid, uint32_t tid)
{
	uint32_t number;

	/* Most threads are the first of their process: nothing to remember,
	 * unless the number was another process's thread before. */
	if (!tid || threads_pid(table, tid) == pid)
		return true;
	if (by_tid_find(&table->by_tid, table->all.at, tid, &number)) {
		table->all.at[number].pid = pid;
		return true;
	}
	if (!map_reserve(&table->by_tid, 1) ||
	    !thread_vec_push(&table->all, (struct thread){tid, pid}))
		return false;
	by_tid_put(&table->by_tid, tid, (uint32_t)table->all.len - 1);
	return true;
}

uint32_t threads_pid(const struct thread_table *table, uint32_t tid)
{
	uint32_t number;

	return by_tid_find(&table->by_tid, table->all.at, tid, &number) ?
		       table->all.at[number].pid :
		       tid;
}

static void *create(void)
{
	return calloc(1, sizeof(struct script_block));
}

static void destroy(void *parsed)
{
	struct script_block *p = parsed;

	script_line_vec_free(&p->lines);
	branch_vec_free(&p->branches);
	free(p);
}

/* Line and branches of a block fit into 32 bits.  Returns false when out of memory. */
static bool parse_line(struct script_block *parsed, struct text block, struct text text,
		       uint64_t number)
{
	struct line line = {.text = text, .file = ""};
	struct script_line out = {.number = (uint32_t)number,
				  .at = (uint32_t)(text.at - block.at),
				  .len = (uint32_t)text.len,
				  .stack = (uint32_t)stack_find(text),
				  .first_branch = (uint32_t)parsed->branches.len};
	struct bc_error err;

	if (out.stack < text.len) {
		bool ok = stack_parse(&line, out.stack, &parsed->branches, &err);
		if (!ok && err.code == BC_NOMEM)
			return false;
		out.branch_count =
			ok ? (uint32_t)parsed->branches.len - out.first_branch : SCRIPT_LINE_BAD;
	}
	return script_line_vec_push(&parsed->lines, out);
}

static void parse(struct text_block *block)
{
	struct script_block *parsed = block->parsed;
	struct text rest = block->text, line;
	uint64_t number = 0, blank;

	parsed->lines.len = parsed->branches.len = 0;
	parsed->blank = 0;
	parsed->no_memory = false;
	while (!parsed->no_memory && text_line(&rest, &line)) {
		parsed->no_memory = !parse_line(parsed, block->text, line, number++);
		if (text_trim(line).len)
			continue;
		rest = text_from(rest, text_blank_lines(rest, &blank));
		number += blank;
		parsed->blank += blank;
	}
	block->lines = number;
}

_Static_assert(LINES_LONGEST < UINT32_MAX, "script_line has 32 bits");

static const struct text_parser script_block_parser = {create, destroy, parse};

enum part { PART_BUILD_IDS, PART_MAPS, PART_MAIN, PART_TASKS, PART_MEMORY, PART_COUNT };

static const char *const part_names[PART_COUNT] = {"BUILDIDS", "MMAP", "MAIN", "TASK", "MEM"};

struct part_size {
	enum part part;
	uint64_t left; /* bytes that are still to come */
};

/* A line that is kept until its turn comes; the text is in the buffer. */
struct kept {
	uint64_t time; /* of records */
	uint64_t number;
	size_t at, len;
	bool is_map;
};
DEFINE_VEC(kept_vec, struct kept);
DEFINE_VEC(char_vec, char);

struct held {
	struct part_size parts[PART_COUNT];
	size_t part_count;
	struct kept_vec records, samples;
	struct char_vec text;
};

static void held_free(struct held *held)
{
	kept_vec_free(&held->records);
	kept_vec_free(&held->samples);
	char_vec_free(&held->text);
}

static bool keep(struct held *held, struct kept_vec *list, struct kept kept, struct text text)
{
	kept.at = held->text.len;
	kept.len = text.len;
	for (size_t i = 0; i < text.len; i++)
		if (!char_vec_push(&held->text, text.at[i]))
			return false;
	return kept_vec_push(list, kept);
}

/* "NAME=SIZE" */
static bool parse_part(struct text word, struct part_size *out)
{
	size_t equals = text_find(word, '=');

	for (size_t i = 0; i < PART_COUNT; i++) {
		if (!text_is(text_first(word, equals), part_names[i]))
			continue;
		out->part = (enum part)i;
		return text_hex(text_from(word, equals + 1), &out->left);
	}
	return false;
}

static bool parse_head(const struct line *line, struct held *held, struct bc_error *err)
{
	struct text rest = text_trim(text_from(line->text, sizeof(PERF_TEXT_MAGIC) - 1));

	while (rest.len) {
		size_t len = text_find(rest, ';');
		if (held->part_count == PART_COUNT ||
		    !parse_part(text_first(rest, len), &held->parts[held->part_count++]))
			return line_fail(err, BC_FORMAT, line, rest.at,
					 "expected a part and its size");
		rest = text_from(rest, len + 1);
	}
	return true;
}

/* A record's time is before its name: "comm pid 2432.888138: PERF_RECORD_". */
static uint64_t time_before(struct text text, size_t record)
{
	uint64_t time = 0;
	size_t end = record;

	while (end && (text.at[end - 1] == ' ' || text.at[end - 1] == ':'))
		end--;
	size_t start = end;
	while (start && text.at[start - 1] != ' ')
		start--;
	if (!text_seconds(text_first(text_from(text, start), end - start), &time))
		return 0;
	return time;
}

static bool keep_record(struct held *held, const struct line *line, bool maps)
{
	size_t record = record_find(line->text, line->text.len);
	struct kept kept = {.number = line->number, .is_map = maps};

	if (record == line->text.len ||
	    text_starts(text_from(line->text, record), "PERF_RECORD_MMAP") != maps)
		return true;
	kept.time = time_before(line->text, record);
	return keep(held, &held->records, kept, line->text);
}

static bool keep_line(struct held *held, enum part part, const struct line *line,
		      struct reader_report *report)
{
	switch (part) {
	case PART_MAPS: return keep_record(held, line, true);
	case PART_TASKS: return keep_record(held, line, false);
	case PART_MAIN:
		return keep(held, &held->samples, (struct kept){.number = line->number},
			    line->text);
	default: break;
	}
	report->ignored++;
	return true;
}

/* Each part ends with a line; lines after the last part are ignored. */
static enum part part_of(struct held *held, size_t *at, size_t len)
{
	while (*at < held->part_count && !held->parts[*at].left)
		++*at;
	if (*at == held->part_count)
		return PART_COUNT;
	struct part_size *part = &held->parts[*at];
	part->left -= part->left < len ? part->left : len;
	return part->part;
}

/* Blank lines that follow a blank one say nothing and are not kept, but the sizes of their parts
 * have them. */
static void pass_blank(struct held *held, size_t *at, struct lines *lines,
		       struct reader_report *report)
{
	uint64_t before = lines->number;
	size_t size = lines_skip_blank(lines);

	report->ignored += lines->number - before;
	report->lines = lines->number;
	while (size && *at < held->part_count) {
		uint64_t left = held->parts[*at].left;
		size_t taken = left < size ? (size_t)left : size;
		(void)part_of(held, at, taken);
		size -= taken;
	}
}

static bool read_parts(struct held *held, struct lines *lines, struct reader_report *report,
		       struct bc_error *err)
{
	struct line line = {.file = lines->stream->name};
	size_t at = 0;

	while (lines_next(lines, &line.text, err)) {
		line.number = report->lines = lines->number;
		if (line.number == 1 ? !parse_head(&line, held, err) :
				       !keep_line(held, part_of(held, &at, line.text.len + 1),
						  &line, report) &&
					       !bc_fail_nomem(err))
			return false;
		if (!text_trim(line.text).len)
			pass_blank(held, &at, lines, report);
	}
	return err->code == BC_OK;
}

/* For records with the same time, those that begin a process come before those that map. */
static bool record_less(const struct kept *a, const struct kept *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->is_map != b->is_map ? b->is_map : a->number < b->number;
}
DEFINE_SORT(sort_records, struct kept, record_less)

static bool deliver(struct perf_script *script, const struct held *held,
		    const struct kept_vec *list, const char *file, struct bc_error *err)
{
	const char *text = held->text.at ? held->text.at : ""; /* of empty lines */

	for (size_t i = 0; i < list->len; i++) {
		struct line line = {
			{text + list->at[i].at, list->at[i].len}, file, list->at[i].number};
		if (!perf_script_line(script, &line, stack_find(line.text), NULL, err))
			return false;
	}
	return true;
}

bool perf_text_lines(struct perf_script *script, struct lines *lines, struct bc_error *err)
{
	BC_AUTO(held_free) struct held held = {0};
	const char *file = lines->stream->name;

	if (!read_parts(&held, lines, script->report, err))
		return false;
	sort_records(held.records.at, held.records.len);
	return deliver(script, &held, &held.records, file, err) &&
	       deliver(script, &held, &held.samples, file, err) && perf_script_end(script, err);
}

static bool is_number(struct text word)
{
	uint64_t ignored;

	return text_starts(word, "0x") && text_hex(word, &ignored);
}

/* [0x40]: */
static bool is_size(struct text word)
{
	return word.len > 3 && word.at[0] == '[' && text_ends(word, "]:") &&
	       is_number((struct text){word.at + 1, word.len - 3});
}

/* A path can have blanks: the size is right before "event:", the name of a record or its end.
 */
static bool has_size_before(struct text line, const char *word)
{
	struct text before = {"", 0};

	for (struct text at; (at = text_word(&line)).len; before = at)
		if (is_size(before) && text_starts(at, word))
			return true;
	return false;
}

bool perf_dump_fits(struct text line)
{
	struct text rest = line, first = text_word(&rest);
	size_t at = text_find(first, '@');
	uint64_t ignored;

	if (text_starts(line, ". ... raw event: size "))
		return true;
	if (is_number(text_first(first, at)))
		return has_size_before(line, "event:");
	return (text_dec(first, &ignored) || text_is(first, "-1")) &&
	       has_size_before(line, "PERF_RECORD_");
}

/* Addresses from here on are the kernel's. */
#define KERNEL_BEGIN (UINT64_C(1) << 63)

void perf_script_init(struct perf_script *script, const struct event_sink *sink,
		      struct reader_report *report)
{
	*script = (struct perf_script){.sink = sink, .report = report};
}

void perf_script_fini(struct perf_script *script)
{
	threads_free(&script->threads);
	script_processes_free(&script->processes);
	branch_vec_free(&script->branches);
	callchain_vec_free(&script->callchain);
	file_vec_free(&script->files);
	path_vec_free(&script->paths);
}

/* The buffer of paths does not move any more: make texts of the lengths. */
static const struct text *frame_files(struct perf_script *script)
{
	const char *at = script->paths.at ? script->paths.at : "";

	for (size_t i = 0; i < script->files.len; i++) {
		script->files.at[i].at = at;
		at += script->files.at[i].len;
	}
	return script->files.len ? script->files.at : NULL;
}

/* Can an address of a call chain be an offset in its file?  Not in the kernel, nor where perf
 * printed no file. */
static bool may_be_offset(uint64_t at, struct text file)
{
	return at < KERNEL_BEGIN && file.len && !text_is(file, "[unknown]");
}

/* The address of a sample that has none but that in its call chain. */
static void take_ip(struct perf_script *script)
{
	struct sample *sample = &script->sample;
	size_t i = script->inlined < sample->callchain_count ? script->inlined : 0;

	sample->ip.v = sample->callchain[i];
	sample->no_ip = false;
	if (may_be_offset(sample->ip.v, sample->callchain_files[i]))
		sample->ip_file = sample->callchain_files[i];
}

/* Finds the process of a sample that names none. */
static bool find_process(struct perf_script *script, struct bc_error *err)
{
	static const char *const causes[] = {
		[PROCESS_NONE] = "and no line a mapping",
		[PROCESS_SEVERAL] = "and at its addresses the processes have different files",
		[PROCESS_WORK] = "and the processes have too many mappings to find it",
	};
	enum process_found found =
		script_processes_find(&script->processes, &script->sample, &script->sample.pid);

	if (script->names_processes)
		return bc_fail(err, BC_FORMAT,
			       "%s: line %" PRIu64
			       ", column 1: expected a process, which other samples name",
			       script->file, script->number);
	return found == PROCESS_FOUND ||
	       bc_fail(err, BC_UNSUPPORTED,
		       "%s: line %" PRIu64
		       ", column 1: the sample names no process, %s: print both "
		       "(perf script --show-mmap-events --show-task-events -F pid,ip,brstack)",
		       script->file, script->number, causes[found]);
}

static bool deliver_sample(struct perf_script *script, struct bc_error *err)
{
	struct sample *sample = &script->sample;
	struct event event = {.kind = EVENT_SAMPLE,
			      .time = script->time,
			      .memory = script->memory,
			      .sample = sample};

	script->open.lines = OPEN_DONE;
	sample->callchain = script->callchain.at;
	sample->callchain_count = script->callchain.len;
	sample->callchain_files = frame_files(script);
	if (script->callchain_has_ip && sample->callchain_count)
		take_ip(script);
	return (!script->no_pid || find_process(script, err)) &&
	       event_deliver(script->sink, &event, err);
}

/* Ends the sample or record that is open, and delivers it. */
static bool close_open(struct perf_script *script, struct bc_error *err)
{
	bool ok = script->open.lines != OPEN_SAMPLE || deliver_sample(script, err);

	script->open.lines = OPEN_NOTHING;
	return ok;
}

static bool ignore(struct perf_script *script)
{
	script->report->ignored++;
	return true;
}

static bool deliver_task(struct perf_script *script, enum event_kind kind,
			 const struct script_record *record, struct bc_error *err)
{
	const struct event event = {.kind = kind,
				    .task = {record->pid, record->tid, record->parent}};

	return event_deliver(script->sink, &event, err);
}

/* Deliver what a record says. */
static bool tell_record(struct perf_script *script, const struct script_record *record,
			struct bc_error *err)
{
	const struct event map = {.kind = EVENT_MAP, .map = &record->map};

	switch (record->kind) {
	case RECORD_MAP:
		return (script->names_processes ||
			script_processes_map(&script->processes, &record->map) ||
			bc_fail_nomem(err)) &&
		       event_deliver(script->sink, &map, err);
	case RECORD_EXEC:
		script_processes_exec(&script->processes, record->pid);
		return deliver_task(script, EVENT_EXEC, record, err);
	case RECORD_FORK: return deliver_task(script, EVENT_FORK, record, err);
	case RECORD_EXIT: return deliver_task(script, EVENT_EXIT, record, err);
	case RECORD_COMM:
	case RECORD_OTHER: break;
	}
	return ignore(script);
}

static bool take_record(struct perf_script *script, const struct script_record *record,
			struct bc_error *err)
{
	if (!close_open(script, err))
		return false;
	if (record->kind == RECORD_OTHER)
		script->open.lines = OPEN_DONE;
	else if (record->pid == NO_PID) /* the kernel's own */
		return record->kind == RECORD_MAP ? tell_record(script, record, err) :
						    ignore(script);
	else if (!threads_learn(&script->threads, record->pid, record->tid))
		return bc_fail_nomem(err);
	return tell_record(script, record, err);
}

/* The event's name must outlive its line. */
static struct text keep_event(struct perf_script *script, struct text event)
{
	struct text kept = text_first(event, sizeof(script->event));

	if (kept.len)
		memcpy(script->event, kept.at, kept.len);
	return (struct text){script->event, kept.len};
}

static bool open_sample(struct perf_script *script, const struct line *line,
			const struct head *head, struct bc_error *err)
{
	if (!close_open(script, err))
		return false;
	if (!head->no_pid && !script->names_processes) {
		script_processes_free(&script->processes);
		script->names_processes = true;
	}
	script->no_pid = head->no_pid;
	script->file = line->file;
	script->number = line->number;
	if (head->has_time)
		script->report->timeless = false;
	script->sample = (struct sample){
		.pid = head->has_tid ? head->pid : threads_pid(&script->threads, head->pid),
		.ip = head->ip,
		.no_ip = !head->has_ip,
		.data = head->data,
		.event = keep_event(script, head->event),
	};
	script->time = head->time;
	script->memory = NULL;
	script->callchain_has_ip = !head->ip.v;
	script->callchain.len = 0;
	script->inlined = 0;
	script->files.len = 0;
	script->paths.len = 0;
	script->open = (struct script_open){OPEN_SAMPLE, head->has_ip,
					    head->has_time || head->event.len, false};
	return true;
}

/* A line with a branch stack, which is the last line of its sample. */
static bool take_stack(struct perf_script *script, const struct line *line, size_t at,
		       const struct read_stack *read, struct bc_error *err)
{
	struct sample *sample = &script->sample;

	sample->has_stack = true;
	if (!read) {
		script->branches.len = 0;
		if (!stack_parse(line, at, &script->branches, err))
			return false;
	}
	sample->branches = read ? read->branches : script->branches.at;
	sample->branch_count = read ? read->count : script->branches.len;
	script->memory = read ? read->memory : NULL;
	return deliver_sample(script, err);
}

/* A blank line ends a sample, but where it is before a call chain. */
static bool take_blank(struct perf_script *script, struct bc_error *err)
{
	struct script_open *open = &script->open;
	bool waits = open->lines == OPEN_SAMPLE && !open->has_ip && !open->after_blank &&
		     !script->callchain.len;

	script->report->ignored++;
	open->after_blank = true;
	return waits || close_open(script, err);
}

static bool take_frame(struct perf_script *script, const struct line *line,
		       const struct script_frame *frame, struct bc_error *err)
{
	if (script->open.lines != OPEN_SAMPLE &&
	    !open_sample(script, line, &(struct head){.no_pid = true}, err))
		return false;
	script->report->ignored++;
	script->inlined += frame->inlined && script->inlined == script->callchain.len;
	for (size_t i = 0; i < frame->file.len; i++)
		if (!path_vec_push(&script->paths, frame->file.at[i]))
			return bc_fail_nomem(err);
	return (callchain_vec_push(&script->callchain, frame->at) &&
		file_vec_push(&script->files, (struct text){NULL, frame->file.len})) ||
	       bc_fail_nomem(err);
}

bool perf_script_line(struct perf_script *script, const struct line *line, size_t stack,
		      const struct read_stack *read, struct bc_error *err)
{
	struct script_item item;

	if (!script_parse(line, stack, &script->open, &item, err))
		return false;
	switch (item.kind) {
	case SCRIPT_COMMENT:
	case SCRIPT_REST: return ignore(script);
	case SCRIPT_BLANK: return take_blank(script, err);
	case SCRIPT_RECORD: return take_record(script, &item.record, err);
	case SCRIPT_CALLCHAIN: return take_frame(script, line, &item.frame, err);
	case SCRIPT_STACK: return take_stack(script, line, stack, read, err);
	case SCRIPT_SAMPLE: break;
	}
	return open_sample(script, line, &item.head, err) &&
	       (stack == line->text.len || take_stack(script, line, stack, read, err));
}

bool perf_script_end(struct perf_script *script, struct bc_error *err)
{
	return close_open(script, err);
}

struct reading {
	struct perf_script script;
	struct text_blocks blocks;
	bool cut_will_do; /* as in the reader's options */
};

static bool has_stack(const struct script_line *at)
{
	return at->stack < at->len;
}

/* Is this line an error, or a sample without a branch stack and without an address? */
static bool is_damaged(const struct perf_script *script, const struct script_line *at,
		       const struct line *line)
{
	struct script_item item;
	struct bc_error err;

	if (!script_parse(line, at->stack, &script->open, &item, &err))
		return err.code == BC_FORMAT;
	if (!has_stack(at)) /* the sample has no branches */
		return item.kind == SCRIPT_SAMPLE && !item.head.has_ip;
	return at->branch_count == SCRIPT_LINE_BAD &&
	       (item.kind == SCRIPT_SAMPLE || item.kind == SCRIPT_STACK);
}

/* Is the last line, which has no newline, cut?  A line of compressed data that ends early is.
 * For other text, a line that cannot be read is the rest of a line that its writer did not
 * finish, unless the text has no other line.  A line that can be read counts as whole, although
 * its last number may be cut. */
static bool is_cut(const struct reading *r, const struct text_block *block,
		   const struct script_line *at, const struct line *line)
{
	if (!r->cut_will_do || at->at + at->len != block->text.len || line->number == 1)
		return false;
	return block->all->lines->stream->cut || is_damaged(&r->script, at, line) ||
	       stack_ends_early(text_from(line->text, at->stack));
}

static void note_cut(struct reader_report *report, const struct text_block *block,
		     const struct line *line)
{
	report->cut = true;
	report->cut_line = line->number;
	report->cut_at = block->all->lines->bytes - line->text.len; /* all was given out */
}

static bool read_line(struct reading *r, struct text_block *block, const struct script_line *at,
		      const struct line *line, struct bc_error *err)
{
	const struct script_block *parsed = block->parsed;
	bool was_read = has_stack(at) && at->branch_count != SCRIPT_LINE_BAD;
	bool any = was_read && at->branch_count; /* without branches there may be no array */
	const struct read_stack read = {any ? &parsed->branches.at[at->first_branch] : NULL,
					at->branch_count, &block->memory};

	r->script.report->lines = line->number;
	return perf_script_line(&r->script, line, at->stack, was_read ? &read : NULL, err);
}

static bool read_block(struct reading *r, struct text_block *block, const char *file,
		       struct bc_error *err)
{
	const struct script_block *parsed = block->parsed;

	for (size_t i = 0; i < parsed->lines.len; i++) {
		const struct script_line *at = &parsed->lines.at[i];
		struct line line = {
			{block->text.at + at->at, at->len}, file, block->first_line + at->number};
		if (is_cut(r, block, at, &line)) {
			note_cut(r->script.report, block, &line);
			return true;
		}
		if (!read_line(r, block, at, &line, err))
			return false;
	}
	r->script.report->ignored += parsed->blank;
	r->script.report->lines = block->first_line + block->lines - 1;
	return !parsed->no_memory || bc_fail_nomem(err);
}

static bool read_blocks(struct reading *r, struct bc_error *err)
{
	struct text_blocks *blocks = &r->blocks;
	struct text_block *block;

	while (text_blocks_next(blocks, &block, err)) {
		bool ok = read_block(r, block, blocks->lines->stream->name, err);
		text_block_release(block);
		if (!ok)
			return false;
	}
	return err->code == BC_OK && perf_script_end(&r->script, err);
}

static void reading_fini(struct reading *r)
{
	text_blocks_fini(&r->blocks);
	perf_script_fini(&r->script);
}

static bool is_perf_text(struct lines *lines, bool *out, struct bc_error *err)
{
	struct text start;

	if (!lines_peek(lines, strlen(PERF_TEXT_MAGIC), &start, err))
		return false;
	*out = text_starts(start, PERF_TEXT_MAGIC);
	return true;
}

bool perf_script_read(struct lines *lines, const struct reader_options *options,
		      const struct event_sink *sink, struct reader_report *report,
		      struct bc_error *err)
{
	BC_AUTO(reading_fini) struct reading r = {.cut_will_do = options->cut_will_do};
	const struct event begin = {.kind = EVENT_BEGIN, .recording = options->new_recording};
	bool parts;

	perf_script_init(&r.script, sink, report);
	text_blocks_init(&r.blocks, lines, options->pool, &script_block_parser, NULL);
	report->timeless = true; /* until a time is seen */
	bool ok = is_perf_text(lines, &parts, err) && event_deliver(sink, &begin, err) &&
		  (parts ? perf_text_lines(&r.script, lines, err) : read_blocks(&r, err));
	return event_end(sink, ok, err);
}
