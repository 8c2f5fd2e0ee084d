/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What scripts/bench measures with and against.
 *
 *   bench-floor read FILE     read it once, 1 MiB at a time
 *   bench-floor sum FILE      and add up all branch entries of its samples
 *   bench-floor count FILE    and count distinct (from, to, next from) in a table
 *   bench-floor run REPORT COMMAND...
 *       run a command; append a line to REPORT: begin and end in seconds of the
 *       monotonic clock, CPU time in seconds and peak memory in KiB, of the command
 *       and all it waited for
 *
 * The loops take perf.data with one event that records IP, TID, TIME, PERIOD and
 * BRANCH_STACK, and nothing else.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BLOCK         ((size_t)1 << 20)
#define RECORD_MOST   65536
#define RECORD_SAMPLE 9
#define SAMPLE_TYPE   UINT64_C(0x907)
#define STACK_AT      40 /* in a sample's record: the number of entries */

struct entry {
	uint64_t from, to, flags;
};

struct row {
	uint64_t key[3], count;
};

static struct {
	struct row *rows;
	size_t capacity, used;
} table;

static struct row *probe(const uint64_t key[3])
{
	uint64_t h = (key[0] ^ key[1] << 21 ^ key[2] << 42) * 0x9e3779b97f4a7c15u;
	size_t mask = table.capacity - 1;

	for (size_t at = (h ^ h >> 32) & mask;; at = (at + 1) & mask) {
		struct row *row = &table.rows[at];
		if (!row->count || !memcmp(row->key, key, sizeof(row->key)))
			return row;
	}
}

static void grow(void)
{
	struct row *old = table.rows;
	size_t capacity = table.capacity;

	table.capacity = capacity ? 2 * capacity : 4096;
	table.rows = calloc(table.capacity, sizeof(*table.rows));
	if (!table.rows)
		err(1, "no memory");
	for (size_t i = 0; i < capacity; i++)
		if (old[i].count)
			*probe(old[i].key) = old[i];
	free(old);
}

static void count(const uint64_t key[3])
{
	if (table.used >= table.capacity / 2)
		grow();
	struct row *row = probe(key);
	if (!row->count++) {
		memcpy(row->key, key, sizeof(row->key));
		table.used++;
	}
}

static uint64_t sum, entries;

static void take(const uint8_t *record, bool counting)
{
	uint64_t depth, next = UINT64_MAX;
	const struct entry *at = (const struct entry *)(record + STACK_AT + 8);

	memcpy(&depth, record + STACK_AT, sizeof(depth));
	entries += depth;
	for (uint64_t i = 0; i < depth; i++, at++) {
		if (counting)
			count((uint64_t[]){at->from, at->to, next});
		else
			sum += at->from + at->to + at->flags;
		next = at->from;
	}
}

/* Returns how many bytes were whole records. */
static size_t take_records(const uint8_t *data, size_t size, bool counting)
{
	size_t at = 0;

	while (size - at >= 8) {
		uint32_t type;
		uint16_t length;
		memcpy(&type, data + at, sizeof(type));
		memcpy(&length, data + at + 6, sizeof(length));
		if (length < 8)
			errx(1, "a record of %u bytes", length);
		if (length > size - at)
			break;
		if (type == RECORD_SAMPLE)
			take(data + at, counting);
		at += length;
	}
	return at;
}

static void read_only(int fd, uint8_t *buffer)
{
	while (read(fd, buffer, BLOCK) > 0)
		;
}

static void read_samples(int fd, uint8_t *buffer, bool counting)
{
	uint64_t head[8], sample_type, left;
	size_t kept = 0;
	ssize_t got;

	if (pread(fd, head, sizeof(head), 0) != sizeof(head) || memcmp(head, "PERFILE2", 8) ||
	    head[2] != head[4] || pread(fd, &sample_type, 8, (off_t)head[3] + 24) != 8 ||
	    sample_type != SAMPLE_TYPE)
		errx(1, "not perf.data of one event, of the layout that is wanted");
	lseek(fd, (off_t)head[5], SEEK_SET);
	for (left = head[6]; left; left -= (uint64_t)got) {
		got = read(fd, buffer + kept, left < BLOCK ? left : BLOCK);
		if (got <= 0)
			errx(1, "cut");
		size_t size = kept + (size_t)got, whole = take_records(buffer, size, counting);
		kept = size - whole;
		memmove(buffer, buffer + whole, kept);
	}
}

static void loop(const char *mode, const char *path)
{
	uint8_t *buffer = malloc(BLOCK + RECORD_MOST);
	int fd = open(path, O_RDONLY);

	if (!buffer || fd < 0)
		err(1, "%s", path);
	if (!strcmp(mode, "read"))
		read_only(fd, buffer);
	else
		read_samples(fd, buffer, !strcmp(mode, "count"));
	printf("%" PRIu64 " entries, sum %" PRIx64 ", %zu distinct\n", entries, sum, table.used);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

static int run(const char *report, char **command)
{
	struct rusage usage;
	int status;
	double begin = now();
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		execvp(command[0], command);
		err(127, "%s", command[0]);
	}
	if (wait4(pid, &status, 0, &usage) != pid)
		err(1, "wait4");
	double end = now();
	FILE *file = fopen(report, "a");
	if (!file)
		err(1, "%s", report);
	fprintf(file, "%.6f %.6f %.6f %ld\n", begin, end,
		seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss);
	fclose(file);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "run"))
		return run(argv[2], argv + 3);
	if (argc != 3)
		errx(2, "usage: bench-floor read|sum|count FILE");
	loop(argv[1], argv[2]);
	return 0;
}
