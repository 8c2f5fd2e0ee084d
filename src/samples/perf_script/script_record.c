/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_script/script_record.h"

#include "src/base/hex.h"

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

static void head_step(struct walk *w)
{
	w->word = text_word(&w->rest);
}

/* "cycles:u:", or of an event without a name "raw 0x20c4:u:". */
static bool take_event(struct walk *w, struct text *event)
{
	struct walk last = *w;

	if (text_is(last.word, "raw")) {
		head_step(&last);
		if (!text_starts(last.word, "0x"))
			return false;
	}
	if (!is_event(last.word))
		return false;
	*event = (struct text){w->word.at, (size_t)(last.word.at + last.word.len - w->word.at)};
	*w = last;
	head_step(w);
	return true;
}

/* Are words follow that before an address?  Then the word that was read as the pid is a
 * part of the comm. */
static bool has_earlier_fields(struct walk w)
{
	for (; w.word.len; head_step(&w))
		if (is_cpu(w.word) || is_event(w.word))
			return true;
	return false;
}

/* With addr, ip is the second of two addresses, in a column as wide as the first's:
 * a symbol, which can look like a number, is right after one blank. */
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

/* Read the pid. */
static bool take_task(struct walk *w, struct head *out)
{
	uint32_t tid;

	if (!head_parse_task(w->word, &out->pid, &tid))
		return false;
	out->has_tid = text_find(w->word, '/') < w->word.len;
	head_step(w);
	return true;
}

enum task_field { TASK_PRINTED, TASK_NOT_PRINTED };

/* Read the fields from the pid on.  Returns NULL, or what cannot be read. */
static const char *parse_fields(struct text text, enum task_field task, struct head *out)
{
	struct walk w = {.rest = text};

	*out = (struct head){.no_pid = task == TASK_NOT_PRINTED};
	head_step(&w);
	if (!out->no_pid && !take_task(&w, out))
		return w.word.at;
	if (is_cpu(w.word))
		head_step(&w);
	if (is_misc(w.word))
		head_step(&w);
	out->has_time = parse_time(w.word, &out->time);
	if (out->has_time)
		head_step(&w);
	struct walk next = w;
	head_step(&next);
	if (is_dec(w.word) && take_event(&next, &out->event)) /* after a period */
		w = next;
	else
		take_event(&w, &out->event);
	bool anchored = out->has_time || out->event.len;
	out->has_ip = text_hex(w.word, &out->ip.v);
	if (out->has_ip)
		head_step(&w);
	if (out->has_ip && out->event.len && parse_second_address(text, &w, out))
		head_step(&w);
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
		const char *failed = parse_fields(from, TASK_PRINTED, out);
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

/* A comm is recognized by its columns.  As `    7 cpu-clock:  404010` has no comm but text in
 * these columns, the line is read with and without a comm, and the reading that finds more
 * fields is taken. */
static bool parse_with_task(const struct line *line, struct text text, struct head *out,
			    struct bc_error *err)
{
	struct head by_columns;

	if (!has_comm_column(text) ||
	    parse_fields(text_from(text, COMM_COLUMNS + 1), TASK_PRINTED, &by_columns) != NULL)
		return parse_anywhere(line, text, out, err);
	if (!by_columns.has_time && !by_columns.event.len && parse_anywhere(line, text, out, err) &&
	    field_count(out) > field_count(&by_columns))
		return true;
	*out = by_columns;
	return true;
}

/* Does a line begin with a field that follows the process: a processor, a time, or an address,
 * which no other field's column has the end of? */
static bool begins_without_task(struct text text)
{
	struct text rest = text, word = text_word(&rest);
	uint64_t ignored;

	return is_cpu(word) || parse_time(word, &ignored) ||
	       (text_starts(text, " ") && word.at + word.len == text.at + 1 + ADDRESS_COLUMNS &&
		text_hex(word, &ignored));
}

/* Does a text that names no process have such a head, with or without a comm? */
static bool parse_without_task(struct text text, bool has_stack, struct head *out)
{
	if (parse_fields(text, TASK_NOT_PRINTED, out) != NULL &&
	    (!has_comm_column(text) ||
	     parse_fields(text_from(text, COMM_COLUMNS + 1), TASK_NOT_PRINTED, out) != NULL))
		return false;
	return has_stack || (out->has_ip && (out->has_time || out->event.len));
}

bool head_parse(const struct line *line, size_t size, struct head *out, struct bc_error *err)
{
	struct text text = text_first(line->text, size);
	bool has_stack = size < line->text.len;

	return (has_stack && begins_without_task(text) && parse_without_task(text, true, out)) ||
	       parse_with_task(line, text, out, err) || parse_without_task(text, has_stack, out);
}

#define PREFIX "PERF_RECORD_"

/* The line that is read, and the part of it that is left. */
struct parser {
	const struct line *line;
	struct text rest;
	struct bc_error *err;
};

static bool fail_record(struct parser *p, const char *why)
{
	return line_fail(p->err, BC_FORMAT, p->line, p->rest.at, why);
}

/* Step over a literal if it comes next. */
static bool accept(struct parser *p, const char *literal)
{
	if (!text_starts(p->rest, literal))
		return false;
	p->rest = text_from(p->rest, strlen(literal));
	return true;
}

static bool expect(struct parser *p, const char *literal, const char *why)
{
	return accept(p, literal) || fail_record(p, why);
}

/* The text before the next `c`, which is not taken. */
static struct text take_before(struct parser *p, char c)
{
	size_t len = text_find(p->rest, c);
	struct text out = text_first(p->rest, len);

	p->rest = text_from(p->rest, len);
	return out;
}

static bool parse_hex(struct parser *p, char end, uint64_t *out)
{
	struct parser start = *p;

	return text_hex(take_before(p, end), out) ||
	       fail_record(&start, "expected a hexadecimal number");
}

static bool parse_task(struct parser *p, char end, struct script_record *out)
{
	struct parser start = *p;

	return head_parse_task(take_before(p, end), &out->pid, &out->tid) ||
	       fail_record(&start, "expected pid/tid");
}

/* An all-zero build-id is how "none was found" is recorded. */
static bool parse_build_id(struct parser *p, struct build_id *out)
{
	struct parser start = *p;
	struct build_id id = {0}, zero = {0};

	if (!build_id_parse(take_before(p, '>'), &id))
		return fail_record(&start, "expected a build-id");
	if (memcmp(id.data, zero.data, id.size) != 0)
		*out = id;
	return expect(p, ">", "expected > after the build-id");
}

/* OFFSET]  or  OFFSET <BUILD-ID>]  or  OFFSET DEVICE INODE GENERATION] */
static bool parse_origin(struct parser *p, struct map_event *map)
{
	struct text upto = text_first(p->rest, text_find(p->rest, ']'));
	struct text word = text_word(&upto);

	if (!text_hex(word, &map->offset.v))
		return fail_record(p, "expected the file offset of the mapping");
	p->rest = text_from(p->rest, (size_t)(word.at + word.len - p->rest.at));
	if (accept(p, " <") && !parse_build_id(p, &map->build_id))
		return false;
	take_before(p, ']');
	return expect(p, "]: ", "expected ]: after the range");
}

/* r-xp PATH, or of the older record x PATH.  The path can be empty. */
static bool parse_use(struct parser *p, struct map_event *map)
{
	struct text mode = take_before(p, ' ');

	if (!mode.len)
		return fail_record(p, "expected the mode of the mapping");
	map->executable = text_find(mode, 'x') < mode.len;
	accept(p, " ");
	map->path = p->rest;
	if (text_ends(map->path, "\r"))
		map->path.len--;
	return true;
}

/*  PID/TID: [START(SIZE) @ ORIGIN]: USE */
static bool parse_map(struct parser *p, struct script_record *out)
{
	struct map_event *map = &out->map;
	struct parser range;

	out->kind = RECORD_MAP;
	if (!expect(p, " ", "expected a blank") || !parse_task(p, ':', out) ||
	    !expect(p, ": [", "expected the range of the mapping"))
		return false;
	range = *p;
	if (!parse_hex(p, '(', &map->start.v) || !expect(p, "(", "expected the size") ||
	    !parse_hex(p, ')', &map->size) || !expect(p, ") @ ", "expected @ and an offset"))
		return false;
	if (map->size && map->size - 1 > UINT64_MAX - map->start.v)
		return fail_record(&range, "expected a mapping that ends inside the address space");
	map->pid = out->pid;
	return parse_origin(p, map) && parse_use(p, map);
}

/*  exec: COMM:PID/TID, or : COMM:PID/TID.  A comm can hold colons. */
static bool parse_comm(struct parser *p, struct script_record *out)
{
	size_t last = 0;

	out->kind = accept(p, " exec:") ? RECORD_EXEC : RECORD_COMM;
	struct parser start = *p;
	for (size_t i = 0; i < p->rest.len; i++)
		if (p->rest.at[i] == ':')
			last = i + 1;
	p->rest = text_from(p->rest, last);
	return head_parse_task(text_trim(p->rest), &out->pid, &out->tid) ||
	       fail_record(&start, "expected a name, a colon and pid/tid");
}

/* PID:TID) */
static bool parse_pair(struct parser *p, uint32_t *first, uint32_t *second)
{
	struct parser start = *p;
	uint32_t ignored;

	if (!head_parse_task(take_before(p, ':'), first, &ignored) || !accept(p, ":") ||
	    !head_parse_task(take_before(p, ')'), second, &ignored) || !accept(p, ")"))
		return fail_record(&start, "expected pid:tid)");
	return true;
}

static bool parse_life(struct parser *p, enum script_record_kind kind, struct script_record *out)
{
	uint32_t ignored;

	out->kind = kind;
	return expect(p, "(", "expected (") && parse_pair(p, &out->pid, &out->tid) &&
	       expect(p, ":(", "expected :(") && parse_pair(p, &out->parent, &ignored);
}

size_t record_find(struct text line, size_t size)
{
	struct text t = text_first(line, size);

	while (t.len) {
		t = text_from(t, text_find(t, 'P'));
		if (text_starts(t, PREFIX))
			break;
		t = text_from(t, 1);
	}
	return (size_t)(t.at - line.at);
}

bool record_parse(const struct line *line, size_t at, struct script_record *out,
		  struct bc_error *err)
{
	struct parser p = {line, text_from(line->text, at + strlen(PREFIX)), err};

	*out = (struct script_record){.kind = RECORD_OTHER};
	if (accept(&p, "MMAP2") || accept(&p, "MMAP"))
		return parse_map(&p, out);
	if (accept(&p, "COMM"))
		return parse_comm(&p, out);
	if (accept(&p, "FORK"))
		return parse_life(&p, RECORD_FORK, out);
	if (accept(&p, "EXIT"))
		return parse_life(&p, RECORD_EXIT, out);
	return true;
}

/* The shortest entry, "0x1/0x2/P", and the blank before it. */
#define ENTRY_SHORTEST 10

#define PREDICTED 2u /* bit 1 of flags in the kernel's layout */

/* The position in the line.  After a failure, `pos` is the text that cannot be read and `why`
 * the reason. */
struct reading {
	const char *pos, *end;
	const char *why;
	size_t usual[3]; /* lengths of the last addresses and of what was after them */
};

static bool fail(struct reading *r, const char *why)
{
	r->why = why;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static inline bool at_char(const struct reading *r, char c)
{
	return r->pos < r->end && *r->pos == c;
}

static inline bool at_path(const struct reading *r)
{
	return at_char(r, '(') || (r->end - r->pos >= 2 && r->pos[0] == ' ' && r->pos[1] == '(');
}

static inline bool begins_address(const struct reading *r)
{
	return r->end - r->pos >= 2 && r->pos[0] == '0' && r->pos[1] == 'x';
}

/* Move over `length` bytes.  Most fields are as long as the same field of the entry before:
 * comparing with that length lets the processor predict the next position, and start with the
 * next field before it has found the end of this one. */
static inline void step(struct reading *r, size_t length, size_t *usual)
{
	if (length == *usual) {
		size_t foreseen = *usual;
		__asm__("" : "+r"(foreseen)); /* keeps the compiler from merging both branches */
		r->pos += foreseen;
		return;
	}
	*usual = length;
	r->pos += length;
}

static inline bool read_address(struct reading *r, uint64_t *out, size_t *usual)
{
	if (!begins_address(r))
		return fail(r, "expected an address that begins with 0x");
	size_t digits = hex_read(r->pos + 2, r->end, out);
	if (!digits || digits > 16)
		return fail(r, "expected an address of 1 to 16 hexadecimal digits");
	step(r, 2 + digits, usual);
	return true;
}

/* "(path)" or " (path)" can hold anything: it ends where what follows looks like the next field.
 * Returns the slash there, or NULL.  Takes no struct reading, whose fields would then be in memory
 * and no longer in registers. */
static __attribute__((noinline)) const char *after_path(const char *p, const char *end,
							bool before_address)
{
	p += p < end && *p == ' ';
	if (p == end || *p != '(')
		return NULL;
	for (; end - p >= 3; p++) {
		if (p[0] != ')' || p[1] != '/')
			continue;
		if (before_address ? p[2] == '0' : p[2] == 'P' || p[2] == 'M' || p[2] == '-')
			return p + 1;
	}
	return NULL;
}

static inline bool read_end_of_branch(struct reading *r, uint64_t *out, bool before_address)
{
	if (!read_address(r, out, &r->usual[before_address]))
		return false;
	if (!at_char(r, '/')) {
		const char *slash = after_path(r->pos, r->end, before_address);
		if (!slash)
			return fail(
				r,
				at_path(r) ?
					"expected a path in parentheses and the next field after it" :
					"expected a slash after the address");
		r->pos = slash;
	}
	r->pos++;
	return true;
}

static inline bool read_prediction(struct reading *r, struct branch *out)
{
	if (at_char(r, 'P'))
		out->flags = PREDICTED;
	else if (at_char(r, 'M'))
		out->flags = BRANCH_MISPREDICTED;
	else if (at_char(r, '-'))
		out->flags = 0;
	else
		return fail(r, "expected one of P, M and -");
	r->pos++;
	if (at_char(r, 'N')) {
		out->flags |= BRANCH_NOT_TAKEN;
		r->pos++;
	}
	if (r->pos < r->end && *r->pos != '/' && !is_blank(*r->pos))
		return fail(r, "expected a slash or a blank after the prediction");
	return true;
}

/* 0x80 in every byte that cannot be after a prediction: flags, cycles, kinds of
 * branch and counters are capitals, digits, slashes, dashes and what is between these in
 * ASCII. */
static inline uint64_t not_in_rest(uint64_t bytes)
{
	uint64_t low = bytes & 0x7f * HEX_EACH;
	/* The top bit of each byte says whether it is this character or a later one. */
	uint64_t dash = low + (0x80 - '-') * HEX_EACH, colon = low + (0x80 - ':') * HEX_EACH;
	uint64_t capital = low + (0x80 - 'A') * HEX_EACH, bracket = low + (0x80 - '[') * HEX_EACH;
	uint64_t no_underscore = (low ^ '_' * HEX_EACH) + 0x7f * HEX_EACH;

	return (~((dash & ~colon) | (capital & ~bracket) | ~no_underscore) | bytes) &
	       0x80 * HEX_EACH;
}

/* Move after the last field of an entry.  A blank must follow: any other character shows that
 * two entries were joined. */
static inline bool skip_rest(struct reading *r)
{
	const char *p = r->pos;
	uint64_t others = 0;

	while (!others && r->end - p >= 8) {
		others = not_in_rest(hex_load(p));
		p += others ? __builtin_ctzll(others) / 8 : 8;
	}
	while (!others && p < r->end && !(not_in_rest((unsigned char)*p) & 0x80))
		p++;
	step(r, (size_t)(p - r->pos), &r->usual[2]);
	if (r->pos < r->end && !is_blank(*r->pos))
		return fail(r, "expected the end of the branch stack entry");
	return true;
}

/* The kind of branch is after two flags of a letter each and the cycles, with which `p`
 * begins: /-/-/12/RET.  Releases of perf that know none leave it empty, print a dash, or end there.
 */
static __attribute__((noinline)) uint64_t type_of(const char *p, const char *end)
{
	if (p[2] != '/' || p[4] != '/')
		return 0;
	for (p += 5; p < end && *p >= '0' && *p <= '9'; p++)
		;
	if (end - p < 2 || *p != '/' || p[1] == '-' || p[1] == '/')
		return 0;
	p++;
	if (end - p < 3 || p[0] != 'R' || p[1] != 'E' || p[2] != 'T' ||
	    (end - p > 3 && p[3] != '/'))
		return BRANCH_TYPE_OTHER;
	return BRANCH_TYPE_RETURN;
}

/* Has an entry no kind of branch?  That is its seventh field, which most entries lack or have a
 * dash for.  `p` is after the prediction. */
static inline bool has_no_type(const char *p, const char *end)
{
	return end - p < 8 || (p[6] == '/' && p[7] == '-');
}

static inline bool read_entry(struct reading *r, struct branch *out)
{
	if (!read_end_of_branch(r, &out->from, true) || !read_end_of_branch(r, &out->to, false) ||
	    !read_prediction(r, out))
		return false;
	const char *rest = r->pos;
	if (!skip_rest(r))
		return false;
	if (!has_no_type(rest, r->pos))
		out->flags |= type_of(rest, r->pos);
	return true;
}

/* A word without a slash is another field; with one, a damaged entry. */
static bool is_other_field(const struct reading *r)
{
	struct text rest = {r->pos, (size_t)(r->end - r->pos)};
	struct text word = text_word(&rest);

	return text_ends(word, ":") || text_find(word, '/') == word.len;
}

/* Room for every entry that the line can hold, so that the loop need not ask. */
static bool reserve(struct branch_vec *out, size_t bytes)
{
	size_t most = out->len + bytes / ENTRY_SHORTEST + 1;

	if (most <= out->cap)
		return true;
	if (most < 2 * out->cap)
		most = 2 * out->cap;
	struct branch *at = realloc(out->at, most * sizeof(*at));
	if (!at)
		return false;
	out->at = at;
	out->cap = most;
	return true;
}

bool stack_parse(const struct line *line, size_t from, struct branch_vec *out, struct bc_error *err)
{
	struct text text = text_from(line->text, from);
	struct reading r = {.pos = text.at, .end = text.at + text.len};

	if (!reserve(out, text.len))
		return bc_fail_nomem(err);
	for (size_t len = out->len;; len++) {
		while (r.pos < r.end && is_blank(*r.pos))
			r.pos++;
		if (r.pos == r.end || (!begins_address(&r) && is_other_field(&r))) {
			out->len = len;
			return true;
		}
		if (!read_entry(&r, &out->at[len]))
			return line_fail(err, BC_FORMAT, line, r.pos, r.why);
	}
}

/* An entry begins with an address that a slash or a path follows.  *pathless: no path ends in the
 * rest of the line, so that no other word is looked at for one. */
static bool begins_entry(const char *p, const char *end, bool *pathless)
{
	struct reading r = {.pos = p, .end = end};
	uint64_t ignored;

	if (!read_address(&r, &ignored, &r.usual[0]))
		return false;
	if (at_char(&r, '/') || at_char(&r, '('))
		return true;
	if (*pathless || !at_path(&r))
		return false;
	*pathless = !after_path(r.pos, r.end, true);
	return !*pathless;
}

size_t stack_find(struct text line)
{
	const char *end = line.at + line.len, *p = line.at;
	bool pathless = false;

	/* An x is rarer than a zero in what is before. */
	while (p < end && (p = memchr(p, 'x', (size_t)(end - p))) != NULL) {
		const char *word = p - 1;
		if (p > line.at && *word == '0' && (word == line.at || is_blank(word[-1])) &&
		    begins_entry(word, end, &pathless))
			return (size_t)(word - line.at);
		p++;
	}
	return line.len;
}

static size_t count_slashes(struct text word)
{
	size_t count = 0;

	for (size_t i = 0; i < word.len; i++)
		count += word.at[i] == '/';
	return count;
}

bool stack_ends_early(struct text stack)
{
	size_t first = count_slashes(text_word(&stack)), last = first;

	for (struct text word = text_word(&stack); word.len; word = text_word(&stack)) {
		if (text_find(word, '(') < word.len || !text_starts(word, "0x"))
			return false;
		last = count_slashes(word);
	}
	return last < first;
}

bool stack_is_symbolic(struct text text)
{
	for (struct text t = text; t.len; t = text_from(t, 1)) {
		t = text_from(t, text_find(t, '/'));
		if (text_starts(t, "/P/-/") || text_starts(t, "/M/-/") || text_starts(t, "/-/-/-/"))
			return true;
	}
	return false;
}

static bool refuse_symbols(const struct line *line, const char *at, struct bc_error *err)
{
	return line_fail(err, BC_UNSUPPORTED, line, at,
			 "branch stacks with symbols have no addresses "
			 "(run perf script with -F pid,ip,brstack): expected addresses");
}

/* What is before the stack of a sample. */
static bool parse_sample(const struct line *line, size_t stack, struct script_item *out,
			 struct bc_error *err)
{
	struct head *head = &out->head;

	out->kind = SCRIPT_SAMPLE;
	if (!head_parse(line, stack, head, err)) {
		if (stack == line->text.len && stack_is_symbolic(line->text))
			return refuse_symbols(line, line->text.at, err);
		return false;
	}
	if (stack == line->text.len && stack_is_symbolic(head->rest))
		return refuse_symbols(line, head->rest.at, err);
	return true;
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

/* A line of a call chain, or of a record that takes several.  Where neither process nor time is
 * printed, a call chain begins the sample. */
static bool parse_continuation(const struct line *line, enum open_lines open,
			       struct script_item *out, struct bc_error *err)
{
	struct script_frame *frame = &out->frame;
	struct text rest = line->text;

	out->kind = SCRIPT_REST;
	if (open == OPEN_DONE)
		return true;
	if (!text_hex(text_word(&rest), &frame->at))
		return open == OPEN_SAMPLE ||
		       line_fail(err, BC_FORMAT, line, text_trim(line->text).at,
				 "expected an address of a call chain");
	if (text_is(text_word(&rest), "insn:"))
		return line_fail(
			err, BC_UNSUPPORTED, line, text_trim(line->text).at,
			"a listing of instructions (brstackinsn) holds no branches; use -F pid,ip,brstack");
	out->kind = SCRIPT_CALLCHAIN;
	frame->file = chain_file(line->text);
	frame->inlined = text_ends(text_trim(line->text), "(inlined)");
	return true;
}

/* 401136 main+0x16 (/srv/prog), or a part of that which is no head of a sample. */
static bool looks_like_frame(struct text rest)
{
	return !rest.len || text_ends(rest, ")") ||
	       text_starts(text_from(rest, text_find(rest, '+')), "+0x");
}

/* Is a line without a tab an entry of the call chain?  Where text was pasted, blanks or nothing are
 * there.  All samples of a text have the same fields: an entry has fewer than the sample that it
 * follows, whose line has no address. */
static bool is_frame(const struct line *line, const struct script_open *open)
{
	struct text rest = line->text;
	struct head head;
	struct bc_error ignored;
	uint64_t at;

	if (open->lines != OPEN_SAMPLE || open->has_ip || !text_hex(text_word(&rest), &at))
		return false;
	bool is_head = head_parse(line, line->text.len, &head, &ignored);
	if (is_head && open->is_anchored)
		return !head.has_time && !head.event.len;
	return !(is_head && (!head.has_ip || open->after_blank)) &&
	       looks_like_frame(text_trim(rest));
}

/* Is it what the field srcline prints, "  main.c:7" or "  prog[1136]", of a sample or of an entry
 * of its call chain? */
static bool is_source_line(struct text text)
{
	struct text place = text_trim(text);
	size_t last = place.len;

	if (!text_starts(text, "  ") || !place.len || place.at != text.at + 2)
		return false;
	while (last && place.at[last - 1] >= '0' && place.at[last - 1] <= '9')
		last--;
	return text_ends(place, "]") || text_ends(place, ")") ||
	       (last < place.len && last &&
		(place.at[last - 1] == ':' || place.at[last - 1] == '+'));
}

/* [ perf record: Woken up 1 times to write data ], which perf prints to stderr */
static bool is_message(struct text text)
{
	return text_starts(text, "[ perf ") && text_ends(text_trim(text), "]");
}

bool script_parse(const struct line *line, size_t stack, const struct script_open *open,
		  struct script_item *out, struct bc_error *err)
{
	struct text text = line->text;

	if (!text_trim(text_first(text, stack)).len) {
		out->kind = stack == text.len          ? SCRIPT_BLANK :
			    open->lines == OPEN_SAMPLE ? SCRIPT_STACK :
							 SCRIPT_SAMPLE;
		out->head = (struct head){.no_pid = true};
		return true;
	}
	if (text_starts(text, "#") || is_message(text)) {
		out->kind = SCRIPT_COMMENT;
		return true;
	}
	if (text_starts(text, "\t") || (stack == text.len && is_frame(line, open)))
		return parse_continuation(line, open->lines, out, err);
	size_t record = record_find(text, stack);
	if (record < stack) {
		out->kind = SCRIPT_RECORD;
		return record_parse(line, record, &out->record, err);
	}
	if (parse_sample(line, stack, out, err))
		return true;
	out->kind = stack < text.len ? SCRIPT_STACK : SCRIPT_REST;
	return open->lines == OPEN_SAMPLE && is_source_line(text_first(text, stack));
}

/* A line of one number is a sample with an empty branch stack.  A word and a number are not:
 * "a;b;c 12" is a folded stack. */
static bool fits_head(const struct line *line, size_t stack)
{
	struct head head = {.has_ip = false};
	struct bc_error err;

	if (!head_parse(line, stack, &head, &err))
		return false;
	struct text rest = line->text;
	text_word(&rest);
	return head.has_ip || head.has_time || head.event.len || head.has_tid ||
	       !text_trim(rest).len;
}

bool perf_script_fits(const struct line *line)
{
	struct text text = line->text;
	size_t stack = stack_find(text);

	if (!text_trim(text).len || text_starts(text, "#"))
		return false;
	return stack < text.len || record_find(text, stack) < stack || fits_head(line, stack) ||
	       stack_is_symbolic(text);
}
