/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Saved rings through the recorder, without the command: replay RINGS FOLDER [-m BYTES] [-f ROUNDS]
 * [-n TIMES] BINARY...
 *
 * A mapping is of a BINARY if its path ends with the same name.  Each gets its shard,
 * FOLDER/NAME.N.zst, and its profile without the input, NAME.N.fdata, where N counts flushes; on
 * stdout is what became of the samples.  -f: flush after so many rounds, too.  -n: replay so
 * often, to measure.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "src/base/output.h"
#include "src/flow/conversion.h"
#include "src/profile/fdata.h"
#include "src/profile/profile.h"
#include "src/record/recorder.h"
#include "tests/support/ledger_balances.h"

struct job {
	const char *folder;
	char *const *binaries;
	size_t count;
	unsigned flushes;
};

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *binary_of(const struct job *job, struct text path)
{
	for (size_t i = 0; i < job->count; i++) {
		struct text name = text_of(name_of(job->binaries[i]));
		if (path.len > name.len && text_equal(text_from(path, path.len - name.len), name) &&
		    path.at[path.len - name.len - 1] == '/')
			return job->binaries[i];
	}
	return NULL;
}

static enum file_answer open_file(void *ctx, const struct map_event *map, int *fd)
{
	const char *binary = binary_of(ctx, map->path);

	if (!binary)
		return FILE_LEFT_OUT;
	*fd = open(binary, O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? FILE_GONE : FILE_OPENED;
}

/* The profile itself, as FOLDER/NAME.N.fdata. */
static bool convert_to(struct conversion *c, const struct recorded *recorded, FILE *to,
		       struct bc_error *err)
{
	const struct event_sink sink = {&c->aggregate, aggregate_event};

	if (!conversion_open(c, err) || !recorded_deliver(recorded->counts, &sink, err) ||
	    !conversion_count(c, err) || !conversion_convert(c, err))
		return false;
	const struct fdata_header header = {(const char *const *)c->aggregate.events.at,
					    c->aggregate.events.len};
	return fdata_write_profile(&c->profile, &header, 1, to, err);
}

static bool write_profile(const struct job *job, const struct recorded *recorded,
			  struct bc_error *err)
{
	struct conversion conversion = {
		.options = {.wants = WANT_RECORDS,
			    .binary = binary_of(job, text_of(recorded->path)),
			    .force = true,
			    .aggregate = {.erratum = true,
					  .names = NAMES_ONE_LINE,
					  .rules = best_rules},
			    .threads = 1}};
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.%u.fdata", job->folder, name_of(recorded->path),
		 job->flushes);
	FILE *to = fopen(path, "w");
	bool ok = to && convert_to(&conversion, recorded, to, err);
	if (to)
		fclose(to);
	conversion_free(&conversion);
	return ok;
}

static bool take(void *ctx, struct recorded *recorded, struct bc_error *err)
{
	struct job *job = ctx;
	struct output out = {0};
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.%u.zst", job->folder, name_of(recorded->path),
		 job->flushes);
	printf("%s %" PRIu64 " samples, %" PRIu64 " branches%s%s\n", name_of(recorded->path),
	       recorded->samples, recorded->branches, recorded->bolted ? ", bolted" : "",
	       recorded->plain ? ", plain" : "");
	if (!write_profile(job, recorded, err))
		return false;
	if (output_open(path, &out, err) && recorded_shard(recorded, out.file, err))
		return output_commit(&out, err);
	output_discard(&out);
	return false;
}

static void tell(const struct ledger *ledger, const struct ledger_words *words)
{
	printf("%s: read %" PRIu64 ", kept %" PRIu64, words->key, ledger->read, ledger->kept);
	for (size_t i = 0; i < words->reason_count; i++)
		if (ledger->dropped[i])
			printf(", %s %" PRIu64, words->reasons[i].key, ledger->dropped[i]);
	printf("%s\n", ledger_balances(ledger) ? "" : " (does not balance)");
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool flush(struct recorder *recorder, struct job *job, struct bc_error *err)
{
	const struct recorded_taker to = {.ctx = job, .take = take};

	job->flushes++;
	while (recorder_look(recorder, 0))
		;
	return recorder_flush(recorder, &to, err);
}

static bool feed(struct recorder *recorder, struct rings_reader *reader, struct job *job,
		 unsigned rounds, struct bc_error *err)
{
	bool ended = false;

	for (unsigned round = 1; !ended; round++) {
		if (!recorder_replay(recorder, reader, &ended, err))
			return false;
		if (!ended && ((rounds && round % rounds == 0) || recorder_is_full(recorder)) &&
		    !flush(recorder, job, err))
			return false;
	}
	return true;
}

static bool replay(const char *path, struct job *job, uint64_t memory, unsigned rounds, bool last,
		   struct bc_error *err)
{
	struct file_stream stream;
	struct rings_reader reader = {0};
	struct recorder *recorder = NULL;

	if (!stream_open(path, &stream, err))
		return false;
	bool ok = rings_open(&stream, &reader, err);
	struct recorder_options options = {.attr = {reader.attr, reader.attr_size},
					   .rings = reader.rings,
					   .memory = memory,
					   .files = {.ctx = job, .open = open_file}};
	ok = ok && recorder_open(&options, &recorder, err);
	double begin = seconds();
	ok = ok && feed(recorder, &reader, job, rounds, err);
	double end = seconds();
	ok = ok && (!last || flush(recorder, job, err));
	if (ok && last) {
		struct recorder_stats stats = recorder_stats(recorder);
		struct rusage usage;
		tell(&stats.samples, &recorded_words);
		tell(&stats.branches, &branch_words);
		printf("lost %" PRIu64 ", rounds %" PRIu64 ", programs %" PRIu64 ", files %" PRIu64
		       "\n",
		       stats.lost, stats.rounds, stats.programs, stats.files);
		getrusage(RUSAGE_SELF, &usage);
		fprintf(stderr, "%.3f s, %.2f us a sample, %" PRIu64 " KiB, peak %ld KiB\n",
			end - begin,
			1e6 * (end - begin) / (double)(stats.samples.read ? stats.samples.read : 1),
			stats.memory / 1024, usage.ru_maxrss);
	}
	recorder_free(recorder);
	rings_close(&reader);
	stream_close(&stream);
	return ok;
}

int main(int argc, char *argv[])
{
	struct job job = {.folder = argc > 2 ? argv[2] : NULL};
	uint64_t memory = 0;
	unsigned rounds = 0, times = 1;
	struct bc_error err = {0};
	int at = 3;

	for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
		unsigned long long value = strtoull(argv[at + 1], NULL, 10);
		switch (argv[at][1]) {
		case 'm': memory = value; break;
		case 'f': rounds = (unsigned)value; break;
		default: times = (unsigned)value; break;
		}
	}
	if (at >= argc) {
		fprintf(stderr,
			"replay RINGS FOLDER [-m BYTES] [-f ROUNDS] [-n TIMES] BINARY...\n");
		return 2;
	}
	job.binaries = argv + at;
	job.count = (size_t)(argc - at);
	for (unsigned i = 0; i < times; i++)
		if (!replay(argv[1], &job, memory, rounds, i + 1 == times, &err)) {
			fprintf(stderr, "replay: %s\n", err.text);
			return 1;
		}
	return 0;
}
