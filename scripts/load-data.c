/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writes the large recordings of scripts/load to stdout, as they are read: as perf
 * record -o - writes them.  What is random is the same in every run.
 *
 *   load-data recording BYTES      samples of one process, again and again
 *   load-data distinct TRACES      samples whose traces are all different
 *   load-data processes COUNT      so many processes, one after the other: fork, exec, a
 *                                  mapping of the binary, a sample, exit
 *   load-data alive COUNT          the same, but none ends
 *   load-data mappings COUNT PROCESSES
 *                                  so many mappings of other files, spread over processes,
 *                                  each below the ones before, as Linux does; after every
 *                                  sixteenth a sample
 *   load-data bomb RECORDS MBYTES  compressed records that each stand for so much
 *
 *   load-data run MBYTES REPORT COMMAND...
 *                                  runs a command with so much address space, and exits as it
 *                                  does; REPORT: seconds, seconds of CPU time, peak memory in KiB
 *
 * The binary is named in the environment: IMAGE its path, SEGMENTS "VADDR,OFFSET,SIZE
 * ..." of executable code, PAIRS a file of "FROM TO" vaddrs of branches, in the order in
 * which they were taken.  A process maps it at BASE.
 */
#define _GNU_SOURCE
#include <err.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#define BASE      UINT64_C(0x550000000000)
#define ELSEWHERE UINT64_C(0x7f0000000000)
#define DEPTH     16 /* of a branch stack */
#define ROUND     ((size_t)1 << 20)
#define COMM_EXEC (1 << 13)
#define USER      2
enum {
	COMM = 3,
	EXIT = 4,
	FORK = 7,
	SAMPLE = 9,
	MMAP2 = 10,
	ATTR = 64,
	FINISHED_ROUND = 68,
	FEATURE = 80,
	COMPRESSED = 81
};

static struct {
	uint8_t *at;
	size_t used, room;
} out;
static uint64_t now = 1000000;
static uint64_t random_state = 1;

static struct segment {
	uint64_t vaddr, offset, size;
} segments[16];
static size_t segment_count;

static struct pair {
	uint64_t from, to;
} *pairs;
static size_t pair_count, pair_next;

static uint64_t next_random(void)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

static void flush(void)
{
	for (size_t done = 0; done < out.used;) {
		ssize_t got = write(STDOUT_FILENO, out.at + done, out.used - done);
		if (got < 0)
			err(1, "stdout");
		done += (size_t)got;
	}
	out.used = 0;
}

static void put(const void *bytes, size_t size)
{
	if (out.used + size > out.room) {
		out.room = 2 * (out.used + size);
		out.at = realloc(out.at, out.room);
		if (!out.at)
			err(1, "memory");
	}
	memcpy(out.at + out.used, bytes, size);
	out.used += size;
}

static void put16(uint16_t value)
{
	put(&value, sizeof(value));
}
static void put32(uint32_t value)
{
	put(&value, sizeof(value));
}
static void put64(uint64_t value)
{
	put(&value, sizeof(value));
}

static size_t begin(uint32_t kind, uint16_t misc)
{
	put32(kind);
	put16(misc);
	put16(0);
	return out.used - 8;
}

static void end(size_t record)
{
	uint16_t size = (uint16_t)(out.used - record);

	memcpy(out.at + record + 6, &size, sizeof(size));
}

static void put_padded(const char *text)
{
	size_t size = strlen(text) + 1;

	put(text, size);
	put("\0\0\0\0\0\0\0", (8 - size % 8) % 8);
}

static void put_task(uint32_t pid)
{
	put32(pid);
	put32(pid);
	put64(now++);
}

/* A round ends where everything before it is in order. */
static void finish_round(void)
{
	end(begin(FINISHED_ROUND, 0));
	flush();
}

static void round_if_full(void)
{
	if (out.used >= ROUND)
		finish_round();
}

static void header(void)
{
	const uint64_t type = 1 | 2 | 4 | 1 << 11; /* IP, TID, TIME, BRANCH_STACK */
	const uint64_t flags = 1 << 8 | 1 << 9 | 1 << 13 | 1 << 18 | 1 << 23 | 1 << 24;

	put("PERFILE2", 8);
	put64(16);
	size_t record = begin(ATTR, 0);
	put32(0); /* PERF_TYPE_HARDWARE */
	put32(112);
	for (int i = 0; i < 8; i++)
		put64((const uint64_t[]){0, 1000, type, 0, flags, 0, 0, 0}[i]);
	put64(9); /* user, any */
	for (int i = 0; i < 4; i++)
		put64(0);
	end(record);
}

static void map(uint32_t pid, uint64_t at, uint64_t size, uint64_t offset, const char *path)
{
	size_t record = begin(MMAP2, USER);

	put32(pid);
	put32(pid);
	put64(at);
	put64(size);
	put64(offset);
	for (int i = 0; i < 3; i++)
		put64(0);
	put32(5);
	put32(2);
	put_padded(path);
	put_task(pid);
	end(record);
}

static void map_image(uint32_t pid)
{
	for (size_t i = 0; i < segment_count; i++)
		map(pid, BASE + segments[i].vaddr, segments[i].size, segments[i].offset,
		    getenv("IMAGE"));
}

static void exec(uint32_t pid)
{
	size_t record = begin(COMM, COMM_EXEC);

	put32(pid);
	put32(pid);
	put_padded("prog");
	put_task(pid);
	end(record);
}

static void task(uint32_t kind, uint32_t pid, uint32_t parent)
{
	size_t record = begin(kind, 0);

	put32(pid);
	put32(parent);
	put32(pid);
	put32(parent);
	put64(now);
	put_task(pid);
	end(record);
}

static struct pair real_pair(void)
{
	struct pair pair = pairs[pair_next];

	pair_next = (pair_next + 1) % pair_count;
	return pair;
}

static struct pair random_pair(void)
{
	uint64_t size = 0, at[2];

	for (int k = 0; k < 2; k++) {
		const struct segment *s = &segments[next_random() % segment_count];
		size = s->size;
		at[k] = s->vaddr + next_random() % size;
	}
	return (struct pair){at[0], at[1]};
}

static void sample(uint32_t pid, size_t depth, bool real)
{
	struct pair stack[DEPTH];
	size_t record = begin(SAMPLE, USER);

	for (size_t i = depth; i-- > 0;) /* newest first */
		stack[i] = real ? real_pair() : random_pair();
	put64(BASE + stack[0].to);
	put_task(pid);
	put64(depth);
	for (size_t i = 0; i < depth; i++) {
		put64(BASE + stack[i].from);
		put64(BASE + stack[i].to);
		put64(0);
	}
	end(record);
}

/* One block, whose times are moved on. */
static void recording(uint64_t bytes)
{
	static size_t times[ROUND / 32];
	size_t count = 0;

	exec(1);
	map_image(1);
	finish_round();
	while (out.used < ROUND) {
		times[count++] = out.used + 8 + 8 + 8;
		sample(1, DEPTH, true);
	}
	end(begin(FINISHED_ROUND, 0));
	for (size_t size = out.used; bytes > 0; bytes -= bytes < size ? bytes : size) {
		flush();
		out.used = size;
		for (size_t i = 0; i < count; i++, now++)
			memcpy(out.at + times[i], &now, sizeof(now));
	}
	flush();
}

static void distinct(uint64_t traces)
{
	exec(1);
	map_image(1);
	for (uint64_t i = 0; i < traces; i += DEPTH) {
		sample(1, DEPTH, false);
		round_if_full();
	}
}

static void processes(uint64_t count, bool end_them)
{
	exec(1);
	for (uint32_t pid = 2; pid < count + 2; pid++) {
		task(FORK, pid, 1);
		exec(pid);
		map_image(pid);
		sample(pid, 2, true);
		if (end_them)
			task(EXIT, pid, pid);
		round_if_full();
	}
}

static void mappings(uint64_t count, uint64_t over)
{
	char path[64];

	for (uint32_t pid = 1; pid <= over; pid++) {
		exec(pid);
		map_image(pid);
	}
	for (uint64_t i = 0; i < count; i++) {
		uint32_t pid = (uint32_t)(i % over + 1);
		snprintf(path, sizeof(path), "/usr/lib/%" PRIu64 "/library.so", i % 100000);
		map(pid, ELSEWHERE - (i / over * 3 + next_random() % 2) * 4096, 4096, 0, path);
		if (i % 16 == 0)
			sample(pid, 2, true);
		round_if_full();
	}
}

static void bomb(uint64_t records, uint64_t mbytes)
{
	size_t size = mbytes << 20, record, bound;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	uint8_t *plain, *small;

	record = begin(FEATURE, 0); /* COMPRESSED: version, type, level, ratio, mmap_len */
	put64(27);
	for (int i = 0; i < 5; i++)
		put32((const uint32_t[]){1, 1, 1, 1, 528384}[i]);
	put32(0);
	end(record);
	map_image(1);
	flush();
	sample(1, DEPTH, true);
	size = size / out.used * out.used;
	bound = ZSTD_compressBound(size);
	plain = malloc(size);
	small = malloc(bound);
	if (!zstd || !plain || !small)
		err(1, "memory");
	for (size_t i = 0; i < size; i += out.used)
		memcpy(plain + i, out.at, out.used);
	out.used = 0;
	size_t got = ZSTD_compress2(zstd, small, bound, plain, size);
	if (ZSTD_isError(got) || got > 65000)
		errx(1, "compressed to %zu bytes", got);
	while (records--) {
		size_t compressed = begin(COMPRESSED, 0);
		put(small, got);
		end(compressed);
		flush();
	}
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static int run(uint64_t mbytes, const char *report, char **command)
{
	const struct rlimit limit = {mbytes << 20, mbytes << 20};
	struct timespec from, to;
	struct rusage used;
	int status;

	clock_gettime(CLOCK_MONOTONIC, &from);
	pid_t child = fork();
	if (!child) {
		setrlimit(RLIMIT_AS, &limit);
		execv(command[0], command);
		err(127, "%s", command[0]);
	}
	if (child < 0 || wait4(child, &status, 0, &used) != child)
		err(1, "%s", command[0]);
	clock_gettime(CLOCK_MONOTONIC, &to);
	FILE *file = fopen(report, "w");
	if (!file)
		err(1, "%s", report);
	fprintf(file, "%f %f %ld\n",
		(double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9,
		seconds_of(used.ru_utime) + seconds_of(used.ru_stime), used.ru_maxrss);
	fclose(file);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void read_image(void)
{
	const char *text = getenv("SEGMENTS");
	FILE *file = fopen(getenv("PAIRS"), "r");
	struct segment *s = segments;
	struct pair pair;
	int used;

	while (segment_count < 16 && sscanf(text, "%" SCNx64 ",%" SCNx64 ",%" SCNx64 " %n",
					    &s->vaddr, &s->offset, &s->size, &used) == 3) {
		text += used;
		segment_count++;
		s++;
	}
	if (!file)
		err(1, "PAIRS");
	while (fscanf(file, "%" SCNx64 " %" SCNx64, &pair.from, &pair.to) == 2) {
		pairs = realloc(pairs, (pair_count + 1) * sizeof(*pairs));
		if (!pairs)
			err(1, "memory");
		pairs[pair_count++] = pair;
	}
	fclose(file);
	if (!pair_count || !segment_count)
		errx(1, "nothing in PAIRS or SEGMENTS");
}

int main(int argc, char **argv)
{
	if (argc > 4 && !strcmp(argv[1], "run"))
		return run(strtoull(argv[2], NULL, 10), argv[3], argv + 4);
	if (argc < 3 || !getenv("IMAGE") || !getenv("SEGMENTS") || !getenv("PAIRS"))
		errx(2, "see the head of load-data.c");
	uint64_t count = strtoull(argv[2], NULL, 10),
		 more = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	read_image();
	header();
	if (!strcmp(argv[1], "recording"))
		recording(count);
	else if (!strcmp(argv[1], "distinct"))
		distinct(count);
	else if (!strcmp(argv[1], "processes") || !strcmp(argv[1], "alive"))
		processes(count, argv[1][0] == 'p');
	else if (!strcmp(argv[1], "mappings"))
		mappings(count, more);
	else if (!strcmp(argv[1], "bomb"))
		bomb(count, more);
	else
		errx(2, "%s: not known", argv[1]);
	finish_round();
}
