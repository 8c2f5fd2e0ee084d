/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* getdents64() by syscall() */
#include "src/trial/counted.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/file.h"
#include "src/base/lines.h"
#include "src/base/map.h"
#include "src/base/sort.h"
#include "src/base/text.h"
#include "src/elf/image.h"
#include "src/isa/insn.h"

#define LINE_BITS    6  /* of 64 bytes */
#define PAGE_BITS    12 /* of 4 KiB */
#define OBJECT_BITS  48 /* above the bits of an address: the number of its file */
#define COLUMNS_MOST 32
#define BARE_SIZE    (sizeof(folder) + 256)
#define PATIENCE     60 /* seconds that a server has to end under valgrind */
#define SERVER_RUNS  3
#define COUNTS_FILE  "callgrind." /* and the process, of what valgrind writes */

/* A file of code that ran. */
struct object {
	char *path;
	struct file_map map;
	struct image image;
	bool opened;
};
DEFINE_VEC(object_vec, struct object);

struct reader {
	struct object_vec objects;
	size_t current; /* the object of the lines that come; objects.len: none that is a file */
	size_t instructions, line_misses; /* the columns of these events; COLUMNS_MOST: none */
	struct number_set lines, pages;
	bool called;       /* the next line has the cost of a call, which counts elsewhere */
	bool jumped;       /* the next line says where a jump is, */
	uint64_t followed; /* which was taken so often */
	struct run_counts *sum;
};

/* ---- one file of callgrind ---- */

static bool take_object(struct reader *reader, struct text path)
{
	struct object *objects = reader->objects.at;

	for (reader->current = 0; reader->current < reader->objects.len; reader->current++)
		if (text_is(path, objects[reader->current].path))
			return true;
	struct object object = {.path = strndup(path.at, path.len)};
	struct bc_error none;
	if (!object.path || !object_vec_push(&reader->objects, object)) {
		free(object.path);
		return false;
	}
	/* For what is no file ("???"), or is there no more, instructions are counted alone. */
	struct object *added = &reader->objects.at[reader->objects.len - 1];
	if (file_map(added->path, &added->map, &none)) {
		added->opened = image_open_map(&added->map, &added->image, &none);
		if (!added->opened)
			file_unmap(&added->map);
	}
	return true;
}

/* "events: Ir Dr ...": which columns they are, after the two of a position. */
static void take_events(struct reader *reader, struct text rest)
{
	struct text word;

	reader->instructions = reader->line_misses = COLUMNS_MOST;
	for (size_t i = 0; i < COLUMNS_MOST && (word = text_word(&rest)).len; i++)
		if (text_is(word, "Ir"))
			reader->instructions = i;
		else if (text_is(word, "I1mr"))
			reader->line_misses = i;
}

static struct insn insn_at(const struct reader *reader, uint64_t at)
{
	const struct object *object = &reader->objects.at[reader->current];
	struct bytes code = image_bytes_at(&object->image, (struct vaddr){at});

	return code.size ? insn_branch(object->image.machine, code, at) : (struct insn){0};
}

static bool is_known(const struct reader *reader)
{
	return reader->current < reader->objects.len && reader->objects.at[reader->current].opened;
}

/* A line "0xADDRESS LINE [COST...]".  False as of take_line(). */
static bool take_costs(struct reader *reader, uint64_t at, struct text rest, bool *bad)
{
	uint64_t costs[COLUMNS_MOST] = {0};
	bool known = is_known(reader);
	struct text word;

	if (reader->jumped) {
		reader->jumped = false;
		if (!known || insn_at(reader, at).kind == INSN_CONDITIONAL)
			reader->sum->taken += reader->followed;
		return true;
	}
	if (reader->called) {
		reader->called = false;
		reader->sum->taken += known ? 0 : reader->followed;
		return true;
	}
	text_word(&rest); /* the line of the source */
	for (size_t i = 0; i < COLUMNS_MOST && (word = text_word(&rest)).len; i++)
		if (!text_dec(word, &costs[i])) {
			*bad = true;
			return false;
		}
	uint64_t ran = reader->instructions < COLUMNS_MOST ? costs[reader->instructions] : 0;
	reader->sum->instructions += ran;
	reader->sum->line_misses +=
		reader->line_misses < COLUMNS_MOST ? costs[reader->line_misses] : 0;
	if (!known) {
		reader->sum->unknown += ran;
		return true;
	}
	switch ((enum insn_kind)insn_at(reader, at).kind) {
	case INSN_CALL:
	case INSN_CALL_INDIRECT:
	case INSN_JUMP:
	case INSN_JUMP_INDIRECT:
	case INSN_RETURN: reader->sum->taken += ran; break;
	case INSN_NEXT:
	case INSN_CONDITIONAL: /* where its jumps are listed */
	case INSN_SYSTEM:
	case INSN_BREAK:
	case INSN_TRAP: break;
	}
	uint64_t object = (uint64_t)reader->current << OBJECT_BITS;
	return !ran || (number_set_add(&reader->lines, (object | at) >> LINE_BITS) &&
			number_set_add(&reader->pages, (object | at) >> PAGE_BITS));
}

/* One line.  False: no memory, or it is no such line (*bad). */
static bool take_line(struct reader *reader, struct text line, bool *bad)
{
	uint64_t at, number;
	struct text rest = line, word = text_word(&rest);

	if (text_starts(line, "0x")) {
		*bad = !text_hex(text_behind(word, 1), &at);
		return !*bad && take_costs(reader, at, rest, bad);
	}
	if (text_starts(line, "ob="))
		return take_object(reader, text_behind(line, 2));
	if (text_starts(line, "calls=") || text_starts(line, "jump=") ||
	    text_starts(line, "jcnd=")) {
		struct text count = text_behind(word, text_find(word, '='));
		*bad = !text_dec(text_first(count, text_find(count, '/')), &number);
		reader->called = *line.at == 'c';
		reader->jumped = !reader->called;
		reader->followed = number;
	} else if (text_starts(line, "events:")) {
		take_events(reader, text_behind(line, 6));
	}
	return !*bad;
}

static void reader_free(struct reader *reader)
{
	for (size_t i = 0; i < reader->objects.len; i++) {
		struct object *object = &reader->objects.at[i];
		if (object->opened) {
			image_close(&object->image);
			file_unmap(&object->map);
		}
		free(object->path);
	}
	object_vec_free(&reader->objects);
	number_set_free(&reader->lines);
	number_set_free(&reader->pages);
}

static size_t numbers_in(const struct number_set *set)
{
	return set->used + set->has_zero;
}

bool counted_read(struct file_stream *stream, struct run_counts *sum, struct bc_error *err)
{
	struct reader reader = {
		.instructions = COLUMNS_MOST, .line_misses = COLUMNS_MOST, .sum = sum};
	struct lines lines;
	struct text line;
	bool bad = false;

	if (!lines_init(&lines, stream, err))
		return false;
	bool more = true, ok = true;
	while (ok && (more = lines_next(&lines, &line, err))) {
		ok = take_line(&reader, line, &bad);
		if (bad)
			bc_fail(err, BC_FORMAT, "%s: line %ju: no line of callgrind", stream->name,
				(uintmax_t)lines.number);
		else if (!ok)
			bc_fail_nomem(err);
	}
	lines_fini(&lines);
	sum->lines += numbers_in(&reader.lines);
	sum->pages += numbers_in(&reader.pages);
	reader_free(&reader);
	return ok && (more || err->code == BC_OK);
}

/* ---- a run ---- */

/* Where callgrind writes, as long as it runs; empty: nowhere. */
static char folder[4096];

/* Only what a handler of signals may do. */
void counted_abandon(void)
{
	char buffer[4096];
	int fd = *folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	long size;

	while (fd >= 0 && (size = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0)
		for (long at = 0; at < size;) {
			const struct dirent64 *entry =
				(const struct dirent64 *)(void *)(buffer + at);
			unlinkat(fd, entry->d_name, 0);
			at += entry->d_reclen;
		}
	if (fd >= 0) {
		close(fd);
		rmdir(folder);
	}
	*folder = 0;
}

static bool make_folder(struct bc_error *err)
{
	const char *where = getenv("TMPDIR");
	char name[sizeof(folder)];

	snprintf(name, sizeof(name), "%s/batconv-counted-XXXXXX", where && *where ? where : "/tmp");
	if (!mkdtemp(name))
		return bc_fail_errno(err, "%s: cannot make a folder", name);
	memcpy(folder, name, sizeof(folder));
	return true;
}

static bool read_one(const char *path, struct run_counts *out, struct bc_error *err)
{
	struct file_stream stream;

	if (!stream_open(path, &stream, err))
		return false;
	bool ok = counted_read(&stream, out, err);
	stream_close(&stream);
	return ok;
}

/* What each process left, which is removed.  *gave_up: valgrind wrote nothing of one. */
static bool read_all(struct run_counts *out, bool *gave_up, struct bc_error *err)
{
	DIR *files = opendir(folder);
	struct dirent *entry;
	struct stat st;
	char path[sizeof(folder) + 256];
	bool ok = files || bc_fail_errno(err, "%s: cannot read", folder);

	*out = (struct run_counts){0};
	*gave_up = false;
	while (ok && (entry = readdir(files))) {
		if (!text_starts(text_of(entry->d_name), COUNTS_FILE))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		*gave_up |= !stat(path, &st) && !st.st_size;
		ok = read_one(path, out, err);
		unlink(path);
	}
	if (files)
		closedir(files);
	return ok;
}

/* ---- a binary without its debug information ---- */

static bool is_debug(const struct section *section)
{
	return text_starts(section->name, ".debug_") || text_starts(section->name, ".gnu_debug");
}

/* In these bytes of it, no section of debug information has a name.  False: it has none. */
static bool hide_debug(const struct image *image, uint8_t *bytes, size_t size)
{
	Elf64_Ehdr header;
	bool any = false;

	memcpy(&header, bytes, sizeof(header));
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *section = &image->sections[i];
		if (!is_debug(section))
			continue;
		uint64_t at = section->index * sizeof(Elf64_Shdr);
		if (header.e_shoff > size || size - header.e_shoff < at + sizeof(Elf64_Shdr))
			return false; /* the file has changed since */
		memset(bytes + header.e_shoff + at + offsetof(Elf64_Shdr, sh_name), 0,
		       sizeof(Elf64_Word));
		any = true;
	}
	return any;
}

static bool write_program(const char *path, const uint8_t *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	ssize_t done = 0;

	while (fd >= 0 && size && (done = write(fd, bytes, size)) > 0) {
		bytes += done;
		size -= (size_t)done;
	}
	return fd >= 0 && close(fd) == 0 && !size;
}

/* Writes the same code and data, without debug information, into the folder.  False: it has none,
 * or it cannot be written. */
static bool write_bare(const char *binary, char path[BARE_SIZE])
{
	struct file_map map;
	struct image image;
	struct bc_error none;
	const char *slash = strrchr(binary, '/');

	snprintf(path, BARE_SIZE, "%s/%.255s", folder, slash ? slash + 1 : binary);
	if (!file_map(binary, &map, &none))
		return false;
	uint8_t *bytes = malloc(map.size + 1);
	bool ok = bytes && image_open_map(&map, &image, &none);
	if (ok) {
		memcpy(bytes, map.data, map.size);
		ok = hide_debug(&image, bytes, map.size) && write_program(path, bytes, map.size);
		image_close(&image);
	}
	free(bytes);
	file_unmap(&map);
	return ok;
}

/* ---- a run of valgrind ---- */

/* The words of valgrind before those of what is counted.  NULL: no memory. */
static const char **words_of_valgrind(const struct template *of, char *output, size_t *count)
{
	const char *const options[] = {"valgrind",
				       "--quiet",
				       "--tool=callgrind",
				       "--dump-instr=yes",
				       "--collect-jumps=yes",
				       "--cache-sim=yes",
				       "--skip-plt=no",
				       "--compress-strings=no",
				       "--compress-pos=no",
				       "--trace-children=yes",
				       output};
	size_t before = BC_COUNT(options);
	const char **words = calloc(before + of->count, sizeof(*words));

	*count = before + of->count;
	for (size_t i = 0; words && i < *count; i++)
		words[i] = i < before ? options[i] : of->words[i - before];
	return words;
}

/* *gave_up: as of read_all(), also where the run failed. */
static bool run_once(const struct workload *counting, const char *binary, struct run_counts *out,
		     bool *gave_up, struct bc_error *err)
{
	struct workload_run run;
	struct bc_error unread;
	bool ok = workload_run(counting, binary, &run, err);

	if (!read_all(out, gave_up, ok ? err : &unread))
		return false;
	out->code = run.code;
	return ok;
}

bool counted_run(const struct workload *workload, const char *binary, struct run_counts *out,
		 struct bc_error *err)
{
	struct workload counting = *workload;
	struct template *counted = workload->serve.count ? &counting.serve : &counting.command;
	char output[sizeof(folder) + 64], bare[BARE_SIZE];

	*out = (struct run_counts){0};
	if (!make_folder(err))
		return false;
	snprintf(output, sizeof(output), "--callgrind-out-file=%s/" COUNTS_FILE "%%p", folder);
	const char **words = words_of_valgrind(counted, output, &counted->count);
	counted->words = words;
	counting.patience = PATIENCE;
	counting.kernel = NULL;
	bool gave_up = false,
	     ok = words ? run_once(&counting, binary, out, &gave_up, err) : bc_fail_nomem(err);
	/* It reads debug information first, and gives up at a newer kind of it than it knows. */
	if (gave_up && (ok || err->code == BC_IO) && write_bare(binary, bare))
		ok = run_once(&counting, bare, out, &gave_up, err);
	if (ok && !out->instructions)
		ok = bc_fail(err, BC_UNSUPPORTED, "valgrind cannot run it");
	if (!ok && err->code == BC_NOTFOUND)
		bc_hint(err, "install valgrind, or leave out --counted");
	free(words);
	counted_abandon();
	return ok;
}

/* ---- several runs ---- */

#define BY_COUNT(a, b) (*(a) < *(b))
DEFINE_SORT(counts_sort, uint64_t, BY_COUNT);

static uint64_t *count_at(struct run_counts *of, size_t offset)
{
	return (uint64_t *)(void *)((char *)of + offset);
}

static void sum_up(struct run_counts *runs, size_t count, struct counted_runs *out)
{
	static const size_t fields[] = {
		offsetof(struct run_counts, instructions), offsetof(struct run_counts, taken),
		offsetof(struct run_counts, line_misses),  offsetof(struct run_counts, lines),
		offsetof(struct run_counts, pages),        offsetof(struct run_counts, unknown)};
	uint64_t sorted[SERVER_RUNS];

	*out = (struct counted_runs){runs[0], runs[0], runs[0]};
	for (size_t i = 0; i < BC_COUNT(fields); i++) {
		for (size_t k = 0; k < count; k++)
			sorted[k] = *count_at(&runs[k], fields[i]);
		counts_sort(sorted, count);
		*count_at(&out->median, fields[i]) = sorted[count / 2];
		*count_at(&out->least, fields[i]) = sorted[0];
		*count_at(&out->most, fields[i]) = sorted[count - 1];
	}
}

size_t counted_runs_of(const struct workload *workload)
{
	return workload->serve.count ? SERVER_RUNS : 1;
}

bool counted_runs(const struct workload *workload, const char *binary, struct counted_runs *out,
		  struct bc_error *err)
{
	struct run_counts runs[SERVER_RUNS];
	size_t count = counted_runs_of(workload);

	for (size_t i = 0; i < count; i++) {
		if (!counted_run(workload, binary, &runs[i], err))
			return false;
		if (runs[i].code != runs[0].code)
			return bc_fail(err, BC_UNSUPPORTED,
				       "under valgrind it ends with exit code %d, and with %d",
				       runs[0].code, runs[i].code);
	}
	sum_up(runs, count, out);
	return true;
}
