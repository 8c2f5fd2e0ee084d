/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_script/record.h"

#include "src/event/perf_script/head.h"

#define PREFIX "PERF_RECORD_"

/* The line that is read, and the part of it that is left. */
struct parser {
	const struct line *line;
	struct text rest;
	struct bc_error *err;
};

static bool fail(struct parser *p, const char *why)
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
	return accept(p, literal) || fail(p, why);
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

	return text_hex(take_before(p, end), out) || fail(&start, "expected a hexadecimal number");
}

static bool parse_task(struct parser *p, char end, struct record *out)
{
	struct parser start = *p;

	return head_parse_task(take_before(p, end), &out->pid, &out->tid) ||
	       fail(&start, "expected pid/tid");
}

/* An all-zero build-id is how "none was found" is recorded. */
static bool parse_build_id(struct parser *p, struct build_id *out)
{
	struct parser start = *p;
	struct build_id id = {0}, zero = {0};

	if (!build_id_parse(take_before(p, '>'), &id))
		return fail(&start, "expected a build-id");
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
		return fail(p, "expected the file offset of the mapping");
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
		return fail(p, "expected the mode of the mapping");
	map->executable = text_find(mode, 'x') < mode.len;
	accept(p, " ");
	map->path = p->rest;
	if (text_ends(map->path, "\r"))
		map->path.len--;
	return true;
}

/*  PID/TID: [START(SIZE) @ ORIGIN]: USE */
static bool parse_map(struct parser *p, struct record *out)
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
		return fail(&range, "expected a mapping that ends inside the address space");
	map->pid = out->pid;
	return parse_origin(p, map) && parse_use(p, map);
}

/*  exec: COMM:PID/TID, or : COMM:PID/TID.  A comm can hold colons. */
static bool parse_comm(struct parser *p, struct record *out)
{
	size_t last = 0;

	out->kind = accept(p, " exec:") ? RECORD_EXEC : RECORD_COMM;
	struct parser start = *p;
	for (size_t i = 0; i < p->rest.len; i++)
		if (p->rest.at[i] == ':')
			last = i + 1;
	p->rest = text_from(p->rest, last);
	return head_parse_task(text_trim(p->rest), &out->pid, &out->tid) ||
	       fail(&start, "expected a name, a colon and pid/tid");
}

/* PID:TID) */
static bool parse_pair(struct parser *p, uint32_t *first, uint32_t *second)
{
	struct parser start = *p;
	uint32_t ignored;

	if (!head_parse_task(take_before(p, ':'), first, &ignored) || !accept(p, ":") ||
	    !head_parse_task(take_before(p, ')'), second, &ignored) || !accept(p, ")"))
		return fail(&start, "expected pid:tid)");
	return true;
}

static bool parse_life(struct parser *p, enum record_kind kind, struct record *out)
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

bool record_parse(const struct line *line, size_t at, struct record *out, struct bc_error *err)
{
	struct parser p = {line, text_from(line->text, at + strlen(PREFIX)), err};

	*out = (struct record){.kind = RECORD_OTHER};
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
