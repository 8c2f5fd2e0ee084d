/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* O_TMPFILE, fopencookie(), mkostemp() */
#include "src/profile/sorter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/sort.h"

/* ---- bytes ---- */

#define MEMORY_MOST ((size_t)4 << 20)

void temporary_close(struct temporary *file)
{
	if (file->folder && file->fd >= 0)
		close(file->fd);
	free(file->memory);
	*file = temporary_in(file->folder);
}

/* Not every file system makes files without a name: there it has one for a moment. */
static int open_named(const char *folder)
{
	size_t size = strlen(folder) + sizeof("/.batconv.XXXXXX");
	char *path = malloc(size);
	int fd = -1;

	if (path) {
		snprintf(path, size, "%s/.batconv.XXXXXX", folder);
		fd = mkostemp(path, O_CLOEXEC);
	}
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

static bool write_all(struct temporary *file, const void *data, size_t size, uint64_t at,
		      struct bc_error *err)
{
	for (size_t done = 0; done < size;) {
		ssize_t put = pwrite(file->fd, (const char *)data + done, size - done,
				     (off_t)(at + done));
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return bc_fail_errno(err, "%s: cannot write a temporary file",
					     file->folder);
		done += (size_t)put;
	}
	return true;
}

static bool make(struct temporary *file, struct bc_error *err)
{
	int fd = open(file->folder, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);

	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
		fd = open_named(file->folder);
	file->fd = fd;
	if (fd < 0)
		return bc_fail_errno(err, "%s: cannot make a temporary file there (--tmpdir)",
				     file->folder);
	if (!write_all(file, file->memory, (size_t)file->size, 0, err))
		return false;
	free(file->memory);
	file->memory = NULL;
	file->room = 0;
	return true;
}

static bool grow(struct temporary *file, size_t size)
{
	size_t room = 2 * file->room + size;
	uint8_t *memory = size <= file->room - (size_t)file->size ? file->memory :
								    realloc(file->memory, room);

	if (!memory)
		return false;
	if (memory != file->memory || size > file->room - (size_t)file->size)
		file->room = room;
	file->memory = memory;
	return true;
}

static bool append(struct temporary *file, const void *data, size_t size, struct bc_error *err)
{
	if (!size)
		return true;
	if (file->fd < 0 && file->size + size <= MEMORY_MOST) {
		if (!grow(file, size))
			return bc_fail_nomem(err);
		memcpy(file->memory + file->size, data, size);
		return true;
	}
	return (file->fd >= 0 || make(file, err)) && write_all(file, data, size, file->size, err);
}

bool temporary_append(struct temporary *file, const void *data, size_t size, struct bc_error *err)
{
	if (!append(file, data, size, err)) {
		file->failed = true;
		return false;
	}
	file->size += size;
	return true;
}

bool temporary_read(const struct temporary *file, uint64_t at, void *to, size_t size,
		    struct bc_error *err)
{
	if (file->fd < 0) {
		if (size)
			memcpy(to, file->memory + at, size);
		return true;
	}
	for (size_t done = 0; done < size;) {
		ssize_t got = pread(file->fd, (char *)to + done, size - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		errno = got == 0 ? EIO : errno;
		if (got <= 0)
			return bc_fail_errno(err, "%s: cannot read a temporary file", file->folder);
		done += (size_t)got;
	}
	return true;
}

struct cookie {
	struct temporary *file;
	struct bc_error *why;
};

static ssize_t cookie_write(void *cookie, const char *data, size_t size)
{
	struct cookie *c = cookie;

	return temporary_append(c->file, data, size, c->why) ? (ssize_t)size : COOKIE_FAILED(0);
}

static int cookie_close(void *cookie)
{
	free(cookie);
	return 0;
}

FILE *temporary_stream(struct temporary *file, struct bc_error *why)
{
	struct cookie *cookie = malloc(sizeof(*cookie));

	if (!cookie)
		return NULL;
	*cookie = (struct cookie){file, why};
	why->code = BC_OK;
	FILE *stream = fopencookie(
		cookie, "w", (cookie_io_functions_t){.write = cookie_write, .close = cookie_close});
	if (!stream)
		free(cookie);
	return stream;
}

/* ---- runs ---- */

/* A number takes up to ten bytes, seven bits each, the lowest first. */
#define NUMBER_MOST 10
/* How much of the last key, how many bytes after it, what is counted; then the bytes. */
#define HEAD_MOST ((size_t)6 * NUMBER_MOST)
#define BUFFER    ((size_t)64 << 10)

bool run_begin(struct run_writer *writer, struct temporary *file)
{
	*writer = (struct run_writer){.run = {file, file->size, file->size},
				      .buffer = malloc(BUFFER)};
	return writer->buffer;
}

void run_abandon(struct run_writer *writer)
{
	key_free(&writer->last);
	free(writer->buffer);
	*writer = (struct run_writer){0};
}

static bool flush(struct run_writer *writer, struct bc_error *err)
{
	bool ok = !writer->used ||
		  temporary_append(writer->run.file, writer->buffer, writer->used, err);

	writer->run.end += writer->used;
	writer->used = 0;
	return ok;
}

static size_t put_number(uint8_t *to, uint64_t number)
{
	size_t size = 0;

	for (; number >= 0x80; number >>= 7)
		to[size++] = (uint8_t)(number | 0x80);
	to[size++] = (uint8_t)number;
	return size;
}

static size_t common(const struct key *last, const struct profile_item *item)
{
	size_t most = last->size < item->size ? last->size : item->size, size = 0;
	uint64_t x, y;

	for (; most - size >= sizeof(x); size += sizeof(x)) {
		memcpy(&x, last->at + size, sizeof(x));
		memcpy(&y, item->key + size, sizeof(y));
		if (x != y)
			break;
	}
	while (size < most && last->at[size] == item->key[size])
		size++;
	return size;
}

/* Long keys go past the buffer. */
static bool put_bytes(struct run_writer *writer, const uint8_t *at, size_t size,
		      struct bc_error *err)
{
	if (size > BUFFER - writer->used && !flush(writer, err))
		return false;
	if (size > BUFFER) {
		writer->run.end += size;
		return temporary_append(writer->run.file, at, size, err);
	}
	memcpy(writer->buffer + writer->used, at, size);
	writer->used += size;
	return true;
}

bool run_put(struct run_writer *writer, const struct profile_item *item, struct bc_error *err)
{
	size_t shared = common(&writer->last, item);
	const uint64_t numbers[] = {shared,       item->size - shared, item->sum[0],
				    item->sum[1], item->same[0],       item->same[1]};

	if (HEAD_MOST > BUFFER - writer->used && !flush(writer, err))
		return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		writer->used += put_number(writer->buffer + writer->used, numbers[i]);
	writer->last.size = shared;
	if (!key_reserve(&writer->last, item->size - shared))
		return bc_fail_nomem(err);
	memcpy(writer->last.at + shared, item->key + shared, item->size - shared);
	writer->last.size = item->size;
	return put_bytes(writer, item->key + shared, item->size - shared, err);
}

bool run_end(struct run_writer *writer, struct run *out, struct bc_error *err)
{
	bool ok = flush(writer, err);

	*out = writer->run;
	run_abandon(writer);
	return ok;
}

struct reader {
	struct source source;
	struct run left; /* what is not in the buffer yet */
	struct key key;
	size_t at, end;
	uint8_t buffer[BUFFER];
};

static bool refill(struct reader *r, struct bc_error *err)
{
	size_t have = r->end - r->at, room = BUFFER - have;
	uint64_t left = r->left.end - r->left.begin;

	memmove(r->buffer, r->buffer + r->at, have);
	r->at = 0;
	r->end = have;
	if (room > left)
		room = (size_t)left;
	if (!temporary_read(r->left.file, r->left.begin, r->buffer + have, room, err))
		return false;
	r->left.begin += room;
	r->end += room;
	return true;
}

static uint64_t take_number(struct reader *r)
{
	uint64_t number = 0;

	for (unsigned shift = 0;; shift += 7) {
		uint8_t byte = r->buffer[r->at++];
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
}

static bool take_bytes(struct reader *r, size_t size, struct bc_error *err)
{
	if (!key_reserve(&r->key, size))
		return bc_fail_nomem(err);
	while (size) {
		if (r->at == r->end && !refill(r, err))
			return false;
		size_t some = size < r->end - r->at ? size : r->end - r->at;
		memcpy(r->key.at + r->key.size, r->buffer + r->at, some);
		r->key.size += some;
		r->at += some;
		size -= some;
	}
	return true;
}

static bool reader_next(struct source *source, struct profile_item *out, struct bc_error *err)
{
	struct reader *r = (struct reader *)(void *)source; /* its first member */

	err->code = BC_OK;
	if (r->end - r->at < HEAD_MOST && r->left.begin < r->left.end && !refill(r, err))
		return false;
	if (r->at == r->end)
		return false;
	r->key.size = (size_t)take_number(r);
	size_t more = (size_t)take_number(r);
	for (int i = 0; i < 2; i++)
		out->sum[i] = take_number(r);
	for (int i = 0; i < 2; i++)
		out->same[i] = take_number(r);
	if (!take_bytes(r, more, err))
		return false;
	out->key = r->key.at;
	out->size = r->key.size;
	return true;
}

static void reader_close(struct source *source)
{
	struct reader *r = (struct reader *)(void *)source;

	key_free(&r->key);
	free(r);
}

struct source *run_open(struct run run, struct bc_error *err)
{
	struct reader *r = malloc(sizeof(*r));

	if (!r) {
		bc_fail_nomem(err);
		return NULL;
	}
	r->source = (struct source){reader_next, reader_close};
	r->left = run;
	r->key = (struct key){0};
	r->at = r->end = 0;
	return &r->source;
}

/* ---- lists ---- */

#define CHUNK ((size_t)256 << 10)

struct item_chunk {
	struct item_chunk *next;
	size_t used, room;
	uint8_t at[];
};

static void free_chunks(struct item_chunk *chunk)
{
	while (chunk) {
		struct item_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
}

void item_list_free(struct item_list *list)
{
	free_chunks(list->chunks);
	profile_item_vec_free(&list->items);
	free(list->order);
	*list = (struct item_list){0};
}

void item_list_clear(struct item_list *list)
{
	if (list->chunks) {
		free_chunks(list->chunks->next);
		list->chunks->next = NULL;
		list->chunks->used = 0;
	}
	list->items.len = list->settled = 0;
	list->bytes = 0;
}

static uint8_t *take_room(struct item_list *list, size_t size)
{
	struct item_chunk *chunk = list->chunks;

	if (!chunk || size > chunk->room - chunk->used) {
		size_t room = size > CHUNK ? size : CHUNK;
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		*chunk = (struct item_chunk){.next = list->chunks, .room = room};
		list->chunks = chunk;
	}
	uint8_t *at = chunk->at + chunk->used;
	chunk->used += size;
	return at;
}

/* Sorting must not run out of memory. */
static bool keep_room(struct item_list *list)
{
	if (list->room >= list->items.cap)
		return true;
	struct keyed_item *order = realloc(list->order, list->items.cap * sizeof(*order));
	if (!order)
		return false;
	list->order = order;
	list->room = list->items.cap;
	return true;
}

bool item_list_push(struct item_list *list, const struct profile_item *item)
{
	uint8_t *key = take_room(list, item->size);
	struct profile_item own = *item;

	if (!key)
		return false;
	memcpy(key, item->key, item->size);
	own.key = key;
	list->bytes += item->size + sizeof(own) + sizeof(struct keyed_item);
	return profile_item_vec_push(&list->items, own) && keep_room(list);
}

/* ---- order ----
 * By eight bytes of each key at a time: they are fetched once, lie side by side while they are
 * compared, and where they are equal the next eight show. */

#define PART    sizeof(uint64_t)
#define DEEPEST ((size_t)512) /* bytes of keys that are taken so */
#define AHEAD   ((size_t)8)   /* so many keys before it is wanted one is fetched */
#define FEW     ((size_t)4)   /* of so many keys the rest is compared as it is */

static uint64_t part_of(const struct keyed_item *item, size_t from)
{
	size_t left = item->size > from ? item->size - from : 0;
	uint64_t part = 0;

	if (left >= PART)
		memcpy(&part, item->key + from, PART);
	else if (left)
		memcpy(&part, item->key + from, left);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? part : __builtin_bswap64(part);
}

static bool part_less(const struct keyed_item *a, const struct keyed_item *b)
{
	return a->part < b->part;
}
DEFINE_SORT(sort_parts, struct keyed_item, part_less)

static bool item_less(const struct keyed_item *a, const struct keyed_item *b)
{
	const struct profile_item x = {.key = a->key, .size = a->size},
				  y = {.key = b->key, .size = b->size};

	return profile_item_compare(&x, &y) < 0;
}
DEFINE_SORT(sort_items, struct keyed_item, item_less)

/* How many at the front have one part; *ended: of some key it is the last. */
static size_t count_equal(const struct keyed_item *at, size_t count, size_t from, bool *ended)
{
	size_t same = 0;

	for (*ended = false; same < count && at[same].part == at[0].part; same++)
		*ended |= at[same].size <= from + PART;
	return same;
}

/* All have the same `from` bytes in front. */
static void sort_from(struct keyed_item *at, size_t count, size_t from)
{
	for (size_t i = 0; i < count; i++) {
		if (i + AHEAD < count)
			__builtin_prefetch(at[i + AHEAD].key + from);
		at[i].part = part_of(&at[i], from);
	}
	sort_parts(at, count);
	for (size_t same; count; at += same, count -= same) {
		bool ended;
		same = count_equal(at, count, from, &ended);
		if (same > 1 && (ended || same <= FEW || from >= DEEPEST))
			sort_items(at, same);
		else if (same > 1)
			sort_from(at, same, from + PART);
	}
}

static void sort_list(struct item_list *list)
{
	uint32_t count = (uint32_t)list->items.len;

	for (uint32_t i = 0; i < count; i++) {
		const struct profile_item *item = &list->items.at[i];
		list->order[i] = (struct keyed_item){0, item->key, (uint32_t)item->size, i};
	}
	sort_from(list->order, count, 0);
}

/* The last parts that were compared are at hand, and of equal keys they are equal: most keys need
 * not be fetched. */
static bool is_same(const struct keyed_item *a, const struct keyed_item *b)
{
	const struct profile_item x = {.key = a->key, .size = a->size},
				  y = {.key = b->key, .size = b->size};

	return a->part == b->part && profile_item_equal(&x, &y);
}

enum item_fault item_list_settle(struct item_list *list, bool saturate, uint64_t *saturated,
				 struct profile_item *bad)
{
	struct keyed_item *order = list->order;
	size_t kept = 0;

	sort_list(list);
	list->settled = list->items.len;
	for (size_t i = 0; i < list->settled; i++) {
		if (!kept || !is_same(&order[kept - 1], &order[i])) {
			order[kept++] = order[i];
			continue;
		}
		struct profile_item *last = &list->items.at[order[kept - 1].index];
		const struct profile_item *item = &list->items.at[order[i].index];
		*bad = *item;
		if (!profile_item_agrees(last, item))
			return ITEMS_DISAGREE;
		if (!profile_item_add(last, item, saturate, saturated))
			return ITEMS_OVERFLOW;
	}
	list->settled = kept;
	return ITEMS_FIT;
}

/* ---- sorters ---- */

/* For so many keys some must have come twice, or none will be looked for. */
#define TRIED ((size_t)1 << 16)

void sorter_free(struct sorter *sorter)
{
	item_list_free(&sorter->list);
	map_free(&sorter->places);
	run_vec_free(&sorter->runs);
	*sorter = (struct sorter){0};
}

static bool settle(struct sorter *sorter, struct bc_error *err)
{
	sorter->fault =
		item_list_settle(&sorter->list, sorter->saturate, &sorter->saturated, &sorter->bad);
	return sorter->fault == ITEMS_FIT ||
	       bc_fail(err, BC_MISMATCH, "two records of one location do not match");
}

static bool spill(struct sorter *sorter, struct bc_error *err)
{
	struct run_writer writer;
	struct run run;
	bool ok = run_begin(&writer, sorter->file) || bc_fail_nomem(err);

	for (size_t i = 0; ok && i < sorter->list.settled; i++)
		ok = run_put(&writer, item_list_at(&sorter->list, i), err);
	if (!ok) {
		run_abandon(&writer);
		return false;
	}
	item_list_clear(&sorter->list);
	map_clear(&sorter->places);
	sorter->found = 0;
	sorter->all_new = false;
	return run_end(&writer, &run, err) &&
	       (run_vec_push(&sorter->runs, run) || bc_fail_nomem(err));
}

static uint64_t hash_of(uint64_t seed, const struct profile_item *item)
{
	return hash_end(hash_bytes(seed, item->key, item->size));
}

static bool has_key(const struct sorter *sorter, uint32_t place, const struct profile_item *item)
{
	return !profile_item_compare(&sorter->list.items.at[place], item);
}
DEFINE_MAP(places, const struct sorter *, const struct profile_item *, hash_of, has_key);

static bool add_to(struct sorter *sorter, struct profile_item *to, const struct profile_item *item,
		   struct bc_error *err)
{
	sorter->fault = !profile_item_agrees(to, item) ? ITEMS_DISAGREE :
			!profile_item_add(to, item, sorter->saturate, &sorter->saturated) ?
							 ITEMS_OVERFLOW :
							 ITEMS_FIT;
	sorter->bad = *to;
	return sorter->fault == ITEMS_FIT ||
	       bc_fail(err, BC_MISMATCH, "two records of one location do not match");
}

/* To the key that is there already.  false: there is none, or *fault: it does not fit */
static bool add_up(struct sorter *sorter, const struct profile_item *item, struct bc_error *err)
{
	uint32_t place;

	err->code = BC_OK;
	if (sorter->all_new || !places_find(&sorter->places, sorter, item, &place))
		return false;
	sorter->found++;
	return add_to(sorter, &sorter->list.items.at[place], item, err);
}

static bool note_place(struct sorter *sorter, const struct profile_item *item)
{
	size_t count = sorter->list.items.len;

	if (count == TRIED && sorter->found < count / 4)
		sorter->all_new = true;
	if (sorter->all_new)
		return true;
	if (!map_reserve(&sorter->places, 1))
		return false;
	places_put(&sorter->places, item, (uint32_t)(count - 1));
	return true;
}

bool sorter_put(struct sorter *sorter, const struct profile_item *item, struct bc_error *err)
{
	if (add_up(sorter, item, err))
		return true;
	if (err->code != BC_OK)
		return false;
	if (!item_list_push(&sorter->list, item) || !note_place(sorter, item))
		return bc_fail_nomem(err);
	bool full =
		sorter->list.bytes >= sorter->memory || sorter->list.items.len == MAP_NUMBER_MOST;
	return !full || (settle(sorter, err) && spill(sorter, err));
}

bool sorter_end(struct sorter *sorter, bool to_run, struct bc_error *err)
{
	if (!settle(sorter, err))
		return false;
	bool needed = sorter->list.items.len && (to_run || sorter->runs.len);
	return !needed || spill(sorter, err);
}

struct sort_memory {
	struct source source;
	const struct item_list *list;
	size_t at;
};

static bool memory_next(struct source *source, struct profile_item *out, struct bc_error *err)
{
	struct sort_memory *m = (struct sort_memory *)(void *)source; /* its first member */

	err->code = BC_OK;
	if (m->at == m->list->settled)
		return false;
	*out = *item_list_at(m->list, m->at++);
	return true;
}

static void memory_close(struct source *source)
{
	free(source);
}

struct source *sorter_open_memory(const struct sorter *sorter, struct bc_error *err)
{
	struct sort_memory *m = malloc(sizeof(*m));

	if (!m) {
		bc_fail_nomem(err);
		return NULL;
	}
	*m = (struct sort_memory){{memory_next, memory_close}, &sorter->list, 0};
	return &m->source;
}
