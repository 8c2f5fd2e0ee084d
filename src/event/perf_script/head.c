/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/head.h"

/* perf prints the comm right-aligned in this many columns and a blank. */
#define COMM_COLUMNS 16

static bool parse_id(struct text word, uint32_t *out)
{
	uint64_t value;

	if (text_is(word, "-1")) {
		*out = NO_PID;
		return true;
	}
	if (!text_dec(word, &value) || value > INT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

bool head_parse_task(struct text word, uint32_t *pid, uint32_t *tid)
{
	size_t slash = text_find(word, '/');

	return parse_id(text_first(word, slash), pid) &&
	       parse_id(slash < word.len ? text_from(word, slash + 1) : word, tid);
}

static bool is_dec(struct text word)
{
	uint64_t ignored;

	return text_dec(word, &ignored);
}

/* [003] */
static bool is_cpu(struct text word)
{
	return word.len > 2 && word.at[0] == '[' && word.at[word.len - 1] == ']' &&
	       is_dec((struct text){word.at + 1, word.len - 2});
}

/* Letters for the mode of the processor, "U", "K" and others. */
static bool is_misc(struct text word)
{
	uint64_t ignored;

	if (text_hex(word, &ignored))
		return false;
	for (size_t i = 0; i < word.len; i++)
		if (word.at[i] < 'A' || word.at[i] > 'Z')
			return false;
	return word.len > 0;
}

/* 2752.373629: */
static bool parse_time(struct text word, uint64_t *out)
{
	return word.len && word.at[word.len - 1] == ':' &&
	       text_seconds(text_first(word, word.len - 1), out);
}

static bool is_event(struct text word)
{
	return word.len > 1 && word.at[word.len - 1] == ':';
}

/* The words of a line one by one; `word` is the current one. */
struct walk {
	struct text word, rest;
};

static void step(struct walk *w)
{
	w->word = text_word(&w->rest);
}

/* Do words follow that stand before an address?  Then the word that was read as the pid is a
 * part of the comm. */
static bool has_earlier_fields(struct walk w)
{
	for (; w.word.len; step(&w))
		if (is_cpu(w.word) || is_event(w.word))
			return true;
	return false;
}

/* With addr, ip is the second of two addresses, in a column as wide as the first's:
 * a symbol, which can look like a number, stands right behind one blank. */
#define ADDRESS_COLUMNS 16

static bool parse_second_address(struct text text, const struct walk *w, struct head *out)
{
	struct run_addr second;
	size_t end = (size_t)(w->word.at + w->word.len - text.at);
	const char *column = text.at + (end > ADDRESS_COLUMNS ? end - ADDRESS_COLUMNS : 0);

	if (end <= ADDRESS_COLUMNS || !text_hex(w->word, &second.v) || column[-1] != ' ' ||
	    (w->word.len < ADDRESS_COLUMNS && *column != ' '))
		return false;
	out->data = out->ip;
	out->ip = second;
	return true;
}

/* Read the fields from the pid on.  Returns NULL, or what cannot be read. */
static const char *parse_fields(struct text text, struct head *out)
{
	struct walk w = {.rest = text};
	uint32_t tid;

	*out = (struct head){0};
	step(&w);
	if (!head_parse_task(w.word, &out->pid, &tid))
		return w.word.at;
	out->has_tid = text_find(w.word, '/') < w.word.len;
	step(&w);
	if (is_cpu(w.word))
		step(&w);
	if (is_misc(w.word))
		step(&w);
	out->has_time = parse_time(w.word, &out->time);
	if (out->has_time)
		step(&w);
	struct walk next = w;
	step(&next);
	if (is_dec(w.word) && is_event(next.word)) /* a period */
		w = next;
	if (is_event(w.word)) {
		out->event = w.word;
		step(&w);
	}
	bool anchored = out->has_time || out->event.len;
	out->has_ip = text_hex(w.word, &out->ip.v);
	if (out->has_ip)
		step(&w);
	if (out->has_ip && out->event.len && parse_second_address(text, &w, out))
		step(&w);
	out->rest = (struct text){w.word.at, (size_t)(text.at + text.len - w.word.at)};
	if (!w.word.len || out->event.len) /* tracepoints have no address */
		return NULL;
	return out->has_ip && (anchored || !has_earlier_fields(w)) ? NULL : w.word.at;
}

/* True if the line begins with a comm in perf's own columns. */
static bool has_comm_column(struct text text)
{
	return text.len > COMM_COLUMNS + 1 && text.at[0] == ' ' &&
	       text.at[COMM_COLUMNS - 1] != ' ' && text.at[COMM_COLUMNS] == ' ';
}

static int field_count(const struct head *head)
{
	return head->has_time + head->has_ip + (head->event.len > 0);
}

/* The pid is the first number that the rest fits to. */
static bool parse_anywhere(const struct line *line, struct text text, struct head *out,
			   struct bc_error *err)
{
	struct text rest = text, first = text_trim(text);
	const char *at = NULL;
	uint32_t pid, tid;

	for (;;) {
		struct text from = rest, word = text_word(&rest);
		if (!word.len)
			break;
		if (!head_parse_task(word, &pid, &tid))
			continue;
		const char *failed = parse_fields(from, out);
		if (!failed)
			return true;
		if (!at)
			at = failed;
	}
	if (at)
		return line_fail(err, BC_FORMAT, line, at,
				 "expected a time, an event or an address after the process id");
	return line_fail(err, BC_FORMAT, line, first.at, "expected a process id");
}

/* A comm is recognised by its columns.  As `    7 cpu-clock:  404010` has no comm but text in
 * these columns, the line is read with and without a comm, and the reading that finds more
 * fields is taken. */
bool head_parse(const struct line *line, size_t size, struct head *out, struct bc_error *err)
{
	struct text text = text_first(line->text, size);
	struct head by_columns;

	if (!has_comm_column(text) ||
	    parse_fields(text_from(text, COMM_COLUMNS + 1), &by_columns) != NULL)
		return parse_anywhere(line, text, out, err);
	if (!by_columns.has_time && !by_columns.event.len &&
	    parse_anywhere(line, text, out, err) && field_count(out) > field_count(&by_columns))
		return true;
	*out = by_columns;
	return true;
}
