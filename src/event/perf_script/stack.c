/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/stack.h"

#include "src/base/hex.h"

/* The shortest entry, "0x1/0x2/P", and the blank before it. */
#define ENTRY_SHORTEST 10

#define PREDICTED 2u /* bit 1 of flags in the kernel's layout */

/* The position in the line.  After a failure, `pos` is the text that cannot be read and `why`
 * the reason. */
struct reading {
	const char *pos, *end;
	const char *why;
	size_t usual[3]; /* lengths of the last addresses and of what was behind them */
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

/* Step over "(path)", where the path can hold anything: it ends where what
 * follows looks like the next field. */
static bool skip_path(struct reading *r, bool before_address)
{
	const char *p = r->pos;

	for (; r->end - p >= 3; p++) {
		if (p[0] != ')' || p[1] != '/')
			continue;
		if (before_address ? p[2] == '0' : p[2] == 'P' || p[2] == 'M' || p[2] == '-') {
			r->pos = p + 1;
			return true;
		}
	}
	return fail(r, "expected a path in parentheses and the next field after it");
}

static inline bool read_end_of_branch(struct reading *r, uint64_t *out, bool before_address)
{
	if (!read_address(r, out, &r->usual[before_address]))
		return false;
	if (at_char(r, '(') && !skip_path(r, before_address))
		return false;
	if (!at_char(r, '/'))
		return fail(r, "expected a slash after the address");
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

/* 0x80 in every byte that cannot stand behind a prediction: flags, cycles, kinds of
 * branch and counters are capitals, digits, slashes, dashes and what is between these in
 * ASCII. */
static inline uint64_t not_in_rest(uint64_t bytes)
{
	uint64_t low = bytes & 0x7f * HEX_EACH;
	/* The top bit of each byte says whether it is this character or a later one. */
	uint64_t dash = low + (0x80 - '-') * HEX_EACH, colon = low + (0x80 - ':') * HEX_EACH;
	uint64_t capital = low + (0x80 - 'A') * HEX_EACH, bracket = low + (0x80 - '[') * HEX_EACH;
	uint64_t no_underscore = (low ^ '_' * HEX_EACH) + 0x7f * HEX_EACH;

	return (~((dash & ~colon) | (capital & ~bracket) | ~no_underscore) | bytes) & 0x80 * HEX_EACH;
}

/* Move behind the last field of an entry.  A blank must follow: any other character shows that
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

/* The kind of branch stands behind two flags of a letter each and the cycles, with which `p`
 * begins: /-/-/12/RET.  Releases of perf that know none leave it empty, print a dash, or end there. */
static __attribute__((noinline)) uint64_t type_of(const char *p, const char *end)
{
	if (p[2] != '/' || p[4] != '/')
		return 0;
	for (p += 5; p < end && *p >= '0' && *p <= '9'; p++)
		;
	if (end - p < 2 || *p != '/' || p[1] == '-' || p[1] == '/')
		return 0;
	p++;
	if (end - p < 3 || p[0] != 'R' || p[1] != 'E' || p[2] != 'T' || (end - p > 3 && p[3] != '/'))
		return BRANCH_TYPE_OTHER;
	return BRANCH_TYPE_RETURN;
}

/* Has an entry no kind of branch?  That is its seventh field, which most entries lack or have a
 * dash for.  `p` is behind the prediction. */
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

bool stack_parse(const struct line *line, size_t from, struct branch_vec *out,
		 struct bc_error *err)
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

/* An entry begins with an address that a slash or a path follows. */
static bool begins_entry(const char *p, const char *end)
{
	struct reading r = {.pos = p, .end = end};
	uint64_t ignored;

	return read_address(&r, &ignored, &r.usual[0]) && (at_char(&r, '/') || at_char(&r, '('));
}

size_t stack_find(struct text line)
{
	const char *end = line.at + line.len, *p = line.at;

	/* An x is rarer than a zero in what stands before. */
	while (p < end && (p = memchr(p, 'x', (size_t)(end - p))) != NULL) {
		const char *word = p - 1;
		if (p > line.at && *word == '0' && (word == line.at || is_blank(word[-1])) &&
		    begins_entry(word, end))
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
