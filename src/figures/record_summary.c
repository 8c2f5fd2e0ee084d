/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/record_summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/base/counts.h"
#include "src/base/output.h"
#include "src/base/say.h"
#include "src/figures/summary.h"
#include "src/figures/advice.h"
#include "src/figures/figure_table.h"
#include "src/figures/quality_report.h"
#include "src/record/budget.h"
#include "src/record/proc_files.h"
#include "src/samples/snapshots.h"

#define SECOND     UINT64_C(1000000000)
#define SHOWN_MOST 10 /* binaries */
#define UNSEEN_LEAST                                                                               \
	UINT64_C(20000000) /* ns without events: a command that ends loses them a little before */

/* ---- while it runs ---- */

void record_view_clear(struct record_view *view)
{
	if (view->shown)
		fputs("\r\033[K", stderr);
	view->shown = false;
}

/* 0:42, 1:02:03 */
static void format_time(uint64_t ns, char *out, size_t size)
{
	uint64_t s = ns / SECOND;

	if (s < 3600)
		snprintf(out, size, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
	else
		snprintf(out, size, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600, s / 60 % 60,
			 s % 60);
}

void record_progress(struct record_view *view, const struct live_recording *live, bool asked)
{
	char time[32], line[400], next[64] = "";

	if (!view->on && !asked)
		return;
	struct recorder_stats stats = recorder_stats(live->recorder);
	uint64_t since = view->at ? view->at : live->began,
		 passed = live->now > since ? live->now - since : 1;
	double rate =
		(double)(stats.samples.read - view->samples) * (double)SECOND / (double)passed;
	format_time(live->now - live->began, time, sizeof(time));
	if (live->next) {
		char left[32];
		format_time(live->next > live->now ? live->next - live->now : 0, left,
			    sizeof(left));
		snprintf(next, sizeof(next), ", next shards in %s", left);
	}
	snprintf(line, sizeof(line),
		 "%s %" PRIu64 " sample%s (%.0f/s), %" PRIu64 " file%s, %" PRIu64
		 " lost, %.1f %% of code without a file, %" PRIu64 " MB, %.1f %% CPU%s%s",
		 time, stats.samples.read, plural(stats.samples.read), rate, stats.files,
		 plural(stats.files), stats.lost + stats.lost_samples,
		 percent_of(stats.samples.dropped[RECORDED_DROP_NO_FILE], stats.samples.read),
		 stats.memory >> 20, percent_of(live->cpu - view->cpu, passed),
		 live->paused ? ", paused" : "", next);
	if (asked) {
		record_view_clear(view);
		say(stderr, "%s", line);
	} else {
		fprintf(stderr, "\r\033[K" SAY_NAME "%s", line);
		fflush(stderr);
		view->shown = true;
	}
	view->samples = stats.samples.read;
	view->at = live->now;
	view->cpu = live->cpu;
}

/* ---- the summary: rows as convert's (summary.c) ---- */

/* "LABEL      93.3 %        112 ": a share of what was read, in front of what it is. */
#define SHARE           "%5.1f %% %10" PRIu64 " "
#define SHARE_CONTINUED "%19s"

static void print_drops(const struct ledger *ledger, const struct ledger_words *words,
			const char *label, FILE *out)
{
	for (size_t i = 0; i < words->reason_count; i++) {
		if (!ledger->dropped[i])
			continue;
		say_row(out, label, SHARE "%s", percent_of(ledger->dropped[i], ledger->read),
			ledger->dropped[i], words->reasons[i].text);
		label = "";
	}
}

static void print_binary(const struct record_result *result, const struct recorded_binary *binary,
			 const char *label, bool verbose, FILE *out)
{
	char id[2 * BUILD_ID_MAX + 1];
	const char *written = result->profile ? result->profile : binary->file;

	say_row(out, label, SHARE "%s%s%s%s",
		percent_of(binary->samples, result->stats.samples.read), binary->samples,
		binary->path, binary->bolted ? " (BOLTed)" : "", written ? " -> " : "",
		written ? written : "");
	if (binary->shards > 1)
		say_row(out, "", SHARE_CONTINUED "and %" PRIu64 " shard%s before", "",
			binary->shards - 1, plural(binary->shards - 1));
	if (!verbose)
		return;
	build_id_format(&binary->build_id, id);
	say_row(out, "", SHARE_CONTINUED "build-id %s, %" PRIu64 " branches", "", *id ? id : "none",
		binary->branches);
}

/* Is it more likely what a user is to optimize?  BOLTed binaries come before programs, and programs
 * before libraries. */
static bool is_likelier(const struct recorded_binary *it, const struct recorded_binary *other)
{
	bool library = path_is_library(text_of(it->path)),
	     other_library = path_is_library(text_of(other->path));

	return it->bolted != other->bolted ? it->bolted : !library && other_library;
}

/* " --input=PATH" or " --input=INPUT".  True: it needs to be said what INPUT is. */
static bool print_input(const struct record_result *result, const char *bolted, FILE *out)
{
	BC_AUTO(found_input_free) struct found_input found = {0};
	const struct debug_dirs dirs = {0};
	const char *path = result->seeks_input ? found_input_path(bolted, &dirs, &found) : NULL;

	fputs(" --input=", out);
	print_shell_word(path ? path : "INPUT", out);
	return !path;
}

/* The command that continues with the likeliest binary; of equals with that of most samples. */
static void print_next(const struct record_result *result, FILE *out)
{
	const struct recorded_binary_vec *all = &result->shards->binaries;
	const struct recorded_binary *of = NULL;

	for (size_t i = 0; i < all->len; i++)
		if (all->at[i].file && (!of || is_likelier(&all->at[i], of)))
			of = &all->at[i];
	/* A library that nobody asked for is no program to optimize. */
	if (!of || (result->only_command && !of->bolted && path_is_library(text_of(of->path))))
		return;
	const char *slash = strrchr(of->path, '/'), *name = slash ? slash + 1 : of->path;
	fputs("next: batconv ", out);
	print_shell_word(of->path, out);
	putc(' ', out);
	print_shell_word(of->shards > 1 ? result->shards->folder.path : of->file, out);
	bool unknown = of->plain && of->bolted && print_input(result, of->path, out);
	fputs(" -o ", out);
	print_shell_word(name, out);
	fputs(unknown ? ".fdata, where INPUT is the binary that llvm-bolt read\n" : ".fdata\n",
	      out);
}

/* Samples that were counted and are in no file. */
static uint64_t unwritten_samples(const struct record_result *result)
{
	const struct record_shards *shards = result->shards;
	uint64_t written = shards->few_samples + shards->other_samples + shards->forgotten_samples;

	for (size_t i = 0; i < shards->binaries.len; i++)
		written += shards->binaries.at[i].samples;
	return result->unwritten && written < result->stats.samples.kept ?
		       result->stats.samples.kept - written :
		       0;
}

/* What llvm-bolt makes of a profile of addresses. */
static void print_outcome(const struct record_result *result, FILE *out)
{
	const struct recorded_binary_vec *all = &result->shards->binaries;
	const struct outcome_files files = {.binary = result->shards->binary};
	struct advice next;

	if (!result->profile || result->input || !all->len || !all->at[0].plain ||
	    !all->at[0].bolted)
		return;
	advise_outcome(OUTCOME_ADDRESSES, false, &files, &next);
	say_warning(out, "%s", next.sentence);
}

static void print_head(const struct record_result *result, FILE *out)
{
	const struct recorder_stats *stats = &result->stats;
	uint64_t lost = stats->lost + stats->lost_samples;

	if (!result->live) {
		say_row(out, "samples",
			"%" PRIu64 " read, of %" PRIu64 " program%s in %" PRIu64 " file%s; %" PRIu64
			" lost",
			stats->samples.read, stats->programs, plural(stats->programs), stats->files,
			plural(stats->files), lost);
		return;
	}
	const struct live_recording *live = result->live;
	say_row(out, "samples",
		"%" PRIu64 " recorded in %.1f s (%s, %s), of %" PRIu64 " program%s in %" PRIu64
		" file%s; %" PRIu64 " lost; %.2f s CPU",
		stats->samples.read, (double)(live->now - live->began) / (double)SECOND,
		perf_has_branches(result->rings) ? "LBR" : "basic", result->rings->event,
		stats->programs, plural(stats->programs), stats->files, plural(stats->files), lost,
		(double)budget_process_cpu() / (double)SECOND);
	if (live->share > 0)
		say_row(out, "", "sampling was on for %.1f %% of the time (--max-overhead)",
			percent_of(live->sampled, live->now - live->began));
}

/* One line for each of the users of whom most was left out, and one for all others. */
static void warn_of_users(const struct shares *users, FILE *out)
{
	const struct user_share *most[USERS_MOST];
	struct user_share others;
	size_t count = shares_left_out(users, most, USERS_MOST, &others);

	for (size_t i = 0; i <= count; i++) {
		const struct user_share *user = i < count ? most[i] : &others;
		char who[32] = "other users";
		uint64_t samples = share_left_out(user) - user->refused - user->unread;
		if (i < count)
			snprintf(who, sizeof(who), "user %" PRIu32, user->uid);
		if (user->refused || user->unread)
			say_warning(out,
				    "%s: %" PRIu64
				    " mapping%s left out for want of room, those of %" PRIu64
				    " process%s were not all read; %" PRIu64 " sample%s dropped",
				    who, user->refused, plural_of(user->refused, " was", "s were"),
				    user->unread, user->unread == 1 ? "" : "es", samples,
				    plural_of(samples, " was", "s were"));
	}
}

/* By --until; it is measured only where something was written. */
static void warn_of_gain(const struct enough *enough, FILE *out)
{
	char text[GAIN_SENTENCE];

	if (enough->failed.code)
		say_warning(out, "whether the samples are enough is not known: %s",
			    enough->failed.text);
	if (!enough->gain.known || atomic_load(&enough->reached))
		return;
	gain_sentence(&enough->gain, text);
	say_warning(out, "the samples are not enough: %s", text);
}

static void print_gain(const struct enough *enough, FILE *out)
{
	char text[GAIN_SENTENCE];

	if (!atomic_load(&enough->reached))
		return;
	gain_sentence(&enough->gain, text);
	say_row(out, "gain", "%s; measured with %" PRIu64 " sample%s", text, enough->samples,
		plural(enough->samples));
}

static void print_warnings(const struct record_result *result, FILE *out)
{
	const struct recorder_stats *stats = &result->stats;
	uint64_t lost = stats->lost + stats->lost_samples;

	if (lost * 100 > stats->samples.read + lost)
		say_warning(
			out,
			"%" PRIu64
			" record%s lost, %.1f %%: the rings were full before they were read: record less often (-F), or give more pages (-m)",
			lost, plural_of(lost, " was", "s were"),
			percent_of(lost, stats->samples.read + lost));
	if (stats->throttled)
		say_warning(out,
			    "the kernel held samples back %" PRIu64
			    " time%s, as they took too much time: record less often (-F)",
			    stats->throttled, plural(stats->throttled));
	uint64_t gone = stats->samples.dropped[RECORDED_DROP_GONE];
	if (gone * 10 > stats->samples.read)
		say_warning(
			out,
			"%.1f %% of the samples are in files that could not be opened at their paths%s",
			percent_of(gone, stats->samples.read),
			result->live ? "" : ": replay the rings where these files are");
	if (result->live)
		warn_of_users(result->users, out);
	if (result->live && result->live->unreadable)
		say_warning(out,
			    "/proc/PID/maps of %" PRIu64
			    " process%s may not be read: what was mapped there before is not known",
			    result->live->unreadable, result->live->unreadable == 1 ? "" : "es");
	if (result->enough)
		warn_of_gain(result->enough, out);
	if (result->command_code > 0 && !result->command_stopped)
		say_note(out, "the command ended with exit code %d", result->command_code);
}

/* Samples that are in no file that was written, by cause. */
static void print_left_out(const struct record_result *result, FILE *out)
{
	const struct record_shards *shards = result->shards;
	uint64_t read = result->stats.samples.read, unwritten = unwritten_samples(result);
	const char *label = "dropped";

	if (shards->few_samples) {
		say_row(out, label,
			SHARE "of %" PRIu64 " %s with less than %" PRIu64
			      " sample%s: no shard (--min-samples)",
			percent_of(shards->few_samples, read), shards->few_samples,
			shards->few_binaries, plural_of(shards->few_binaries, "binary", "binaries"),
			shards->least, plural(shards->least));
		label = "";
	}
	if (shards->forgotten_samples) {
		say_row(out, label, SHARE "of binaries beyond the %d with most samples",
			percent_of(shards->forgotten_samples, read), shards->forgotten_samples,
			RECORDED_BINARIES_MOST);
		label = "";
	}
	if (unwritten) {
		say_row(out, label, SHARE "could not be written", percent_of(unwritten, read),
			unwritten);
		label = "";
	}
	if (shards->other_samples) {
		say_row(out, label, SHARE "of other layouts of %s: that file did not run there",
			percent_of(shards->other_samples, read), shards->other_samples,
			shards->binary);
		label = "";
	}
	print_drops(&result->stats.samples, &recorded_words, label, out);
}

void record_summary(const struct record_result *result, bool whole, bool verbose, FILE *out)
{
	const struct record_shards *shards = result->shards;

	if (whole)
		print_head(result, out);
	print_warnings(result, out);
	if (result->found)
		found_input_warn(result->found, &(struct warnings){warn_by_line, out});
	if (!whole)
		return;
	size_t most =
		verbose || shards->binaries.len <= SHOWN_MOST ? shards->binaries.len : SHOWN_MOST;
	const char *label = result->profile ? "profile" : "shards";
	for (size_t i = 0; i < most; i++)
		if (shards->binaries.at[i].samples) { /* else it could not be written */
			print_binary(result, &shards->binaries.at[i], label, verbose, out);
			label = "";
		}
	if (most < shards->binaries.len)
		say_row(out, "", "... and of %zu more %s (-v shows them)",
			shards->binaries.len - most,
			plural_of(shards->binaries.len - most, "binary", "binaries"));
	if (result->found)
		found_input_say(result->found, out);
	if (result->enough)
		print_gain(result->enough, out);
	print_left_out(result, out);
	if (verbose)
		print_drops(&result->stats.branches, &branch_words, "branches", out);
	if (shards->folder.deleted)
		say_row(out, "deleted", "%" PRIu64 " older shard%s (--keep)",
			shards->folder.deleted, plural(shards->folder.deleted));
	if (!result->profile)
		print_next(result, out);
	print_outcome(result, out);
}

/* ---- JSON ---- */

static void json_id(struct json *json, const char *key, const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1];

	build_id_format(id, hex);
	json_string(json, key, hex);
}

static void json_binary(struct json *json, const struct recorded_binary *binary)
{
	json_open(json, NULL, '{');
	json_string(json, "path", binary->path);
	json_id(json, "digest", &binary->digest);
	json_id(json, "build_id", &binary->build_id);
	json_bool(json, "bolted", binary->bolted);
	json_bool(json, "basic", binary->plain);
	json_number(json, "samples", binary->samples);
	json_number(json, "branches", binary->branches);
	json_number(json, "shards", binary->shards);
	if (binary->file)
		json_string(json, "file", binary->file);
	json_close(json, '}');
}

static void json_enough(struct json *json, const struct enough *enough)
{
	json_open(json, "until", '{');
	json_bool(json, "enough", atomic_load(&enough->reached));
	json_number(json, "samples", enough->samples);
	if (enough->gain.known)
		gain_json(&enough->gain, json, "gain");
	json_close(json, '}');
}

static void json_user(struct json *json, const struct user_share *user)
{
	if (!share_left_out(user))
		return;
	json_open(json, NULL, '{');
	if (user->uid != NO_USER)
		json_number(json, "uid", user->uid);
	json_number(json, "mappings_refused", user->refused);
	json_number(json, "processes_unread", user->unread);
	json_open(json, "dropped", '{');
	for (size_t i = 0; i < recorded_words.reason_count; i++)
		if (user->dropped[i])
			json_number(json, recorded_words.reasons[i].key, user->dropped[i]);
	json_close(json, '}');
	json_close(json, '}');
}

/* The users of whom most was left out, and all others. */
static void json_users(struct json *json, const struct shares *users)
{
	const struct user_share *most[USERS_MOST];
	struct user_share others;
	size_t count = shares_left_out(users, most, USERS_MOST, &others);

	json_open(json, "users", '[');
	for (size_t i = 0; i < count; i++)
		json_user(json, most[i]);
	json_user(json, &others);
	json_close(json, ']');
}

void record_json(const struct record_result *result, FILE *out)
{
	struct json json = {.out = out};
	const struct recorder_stats *stats = &result->stats;

	json_open_document(&json, "batconv-record");
	if (result->live) {
		json_string(&json, "event", result->rings->event);
		json_bool(&json, "branch_stacks", perf_has_branches(result->rings));
		json_number(&json, result->rings->attr.freq ? "frequency" : "period",
			    result->rings->attr.sample_freq);
		json_number(&json, "ring_bytes", result->rings->size);
		json_real(&json, "seconds",
			  (double)(result->live->now - result->live->began) / (double)SECOND);
		json_real(&json, "sampled_seconds", (double)result->live->sampled / (double)SECOND);
		json_real(&json, "cpu_seconds", (double)budget_process_cpu() / (double)SECOND);
		json_real(
			&json, "sampling_seconds",
			(double)(atomic_load(&result->live->budget.samples) * BUDGET_SAMPLE_COST) /
				(double)SECOND);
		json_number(&json, "unreadable_processes", result->live->unreadable);
	}
	if (result->command_code >= 0)
		json_number(&json, "command_exit", (uint64_t)result->command_code);
	ledger_json(&json, &stats->samples, &recorded_words);
	ledger_json(&json, &stats->branches, &branch_words);
	json_number(&json, "lost", stats->lost);
	json_number(&json, "lost_samples", stats->lost_samples);
	json_number(&json, "throttled", stats->throttled);
	json_number(&json, "programs", stats->programs);
	json_number(&json, "files", stats->files);
	json_number(&json, "memory", stats->memory);
	json_number(&json, "few_samples", result->shards->few_samples);
	json_number(&json, "few_binaries", result->shards->few_binaries);
	json_number(&json, "other_layout_samples", result->shards->other_samples);
	json_number(&json, "forgotten_samples", result->shards->forgotten_samples);
	json_number(&json, "deleted", result->shards->folder.deleted);
	json_number(&json, "unwritten_samples", unwritten_samples(result));
	if (result->enough)
		json_enough(&json, result->enough);
	if (result->input) {
		json_open(&json, "input_binary", '{');
		json_string(&json, "path", result->input);
		json_string(&json, "found",
			    result->found->taken ? input_where_key(result->found->taken->where) :
						   "");
		json_close(&json, '}');
	}
	if (result->live) /* else nobody knows who it was */
		json_users(&json, result->users);
	json_open(&json, "binaries", '[');
	for (size_t i = 0; i < result->shards->binaries.len; i++)
		json_binary(&json, &result->shards->binaries.at[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	putc('\n', out);
}

/* ---- nothing ---- */

#define RECORD_MORE "record for longer, or more often (-F)"

/* Why there is no sample. */
static void explain_none(const struct record_result *result, const int *pids, size_t count,
			 FILE *out)
{
	char name[16] = "";

	if (result->live && result->live->target == PERF_COMMAND && result->live->blind &&
	    result->live->now - result->live->blind > UNSEEN_LEAST) {
		say_error(out, "no samples: the kernel records no program that is setuid or that "
			       "you may not read");
		say_hint(out, "record as root, or its processes by -p when they run");
		return;
	}
	if (count == 1) {
		proc_name(PROC_ROOT, pids[0], name);
		say_error(out,
			  "no samples: PID %d%s%s%s has ended, or used no processor time in code "
			  "of its own",
			  pids[0], *name ? " (" : "", name, *name ? ")" : "");
	} else {
		say_error(out, "no samples: nothing ran, or for too short a time");
	}
	if (proc_is_in_namespace(PROC_ROOT))
		say_hint(out, "this program runs in a pid namespace (a container), and sees no "
			      "processes outside: run it on the host");
	else
		say_hint(out, RECORD_MORE);
}

void record_explain(const struct record_result *result, const int *pids, size_t count, FILE *out)
{
	const struct recorder_stats *stats = &result->stats;

	if (stats->samples.kept) {
		say_error(out,
			  "no binary has %" PRIu64
			  " sample%s (--min-samples): no shard was written",
			  result->shards->least, plural(result->shards->least));
		say_hint(out, RECORD_MORE ", or give a lower --min-samples");
		return;
	}
	if (result->live && !stats->samples.read) {
		explain_none(result, pids, count, out);
		return;
	}
	const uint64_t read = stats->samples.read;
	size_t most = 0; /* why most were dropped */
	for (size_t i = 1; i < RECORDED_DROP_COUNT; i++)
		if (stats->samples.dropped[i] > stats->samples.dropped[most])
			most = i;
	char none[48] = "the one sample is not";
	if (read != 1)
		snprintf(none, sizeof(none), "none of the %" PRIu64 " samples is", read);
	if (!read)
		say_error(out, "no samples");
	else if (result->live && result->shards->binary && result->only_command) {
		say_error(out, "%s in %s, which ran %" PRIu64 " ms", none, result->shards->binary,
			  (result->live->now - result->live->began) / 1000000);
		say_hint(out, RECORD_MORE);
	} else if (most == RECORDED_DROP_LEFT_OUT || !stats->samples.dropped[most])
		say_error(out, "%s in a file that was asked for (--bin, --match)%s%s", none,
			  result->ran ? ": most were in " : "", result->ran ? result->ran : "");
	else
		say_error(out, "%s counted: %" PRIu64 " %s %s", none, stats->samples.dropped[most],
			  plural_of(stats->samples.dropped[most], "was", "were"),
			  recorded_words.reasons[most].text);
}

/* ---- for a collector ---- */

#define PREFIX "batconv_record_"

static void head(const char *name, const char *type, const char *help, FILE *out)
{
	fprintf(out, "# TYPE " PREFIX "%s %s\n# HELP " PREFIX "%s %s\n", name, type, name, help);
}

static void counter(const char *name, const char *help, uint64_t value, FILE *out)
{
	head(name, "counter", help, out);
	fprintf(out, PREFIX "%s %" PRIu64 "\n", name, value);
}

static void gauge(const char *name, const char *help, uint64_t value, FILE *out)
{
	head(name, "gauge", help, out);
	fprintf(out, PREFIX "%s %" PRIu64 "\n", name, value);
}

/* For all users, which SHARES_MOST bounds: what only the first ones had would fall when others
 * overtake them.  uid="": of further users, and of processes that had ended. */
static void print_users(const struct shares *users, FILE *out)
{
	head("user_samples_dropped_total", "counter",
	     "Samples that were dropped, by the user who ran the code, and reason.", out);
	for (size_t user = 0; user < users->count; user++) {
		const struct user_share *share = &users->at[user];
		char uid[16] = "";
		if (share->uid != NO_USER)
			snprintf(uid, sizeof(uid), "%" PRIu32, share->uid);
		for (size_t i = 0; i < recorded_words.reason_count; i++)
			if (share->dropped[i])
				fprintf(out,
					PREFIX
					"user_samples_dropped_total{uid=\"%s\",reason=\"%s\"} %" PRIu64
					"\n",
					uid, recorded_words.reasons[i].key, share->dropped[i]);
	}
}

static void print_metrics(const struct recorder_stats *stats, const struct record_shards *shards,
			  const struct shares *users, FILE *out)
{
	counter("samples_total", "Samples that were read from the ring buffers.",
		stats->samples.read, out);
	counter("samples_kept_total",
		"Samples that were counted for a file; some are dropped later, and are in both.",
		stats->samples.kept + stats->dropped_later, out);
	head("samples_dropped_total", "counter", "Samples that were dropped, by reason.", out);
	for (size_t i = 0; i < recorded_words.reason_count; i++)
		fprintf(out, PREFIX "samples_dropped_total{reason=\"%s\"} %" PRIu64 "\n",
			recorded_words.reasons[i].key, stats->samples.dropped[i]);
	print_users(users, out);
	counter("lost_total", "Records for which the kernel had no room.",
		stats->lost + stats->lost_samples, out);
	counter("throttled_total", "How often the kernel held sampling back.", stats->throttled,
		out);
	head("cpu_seconds_total", "counter", "Processor time of batconv.", out);
	fprintf(out, PREFIX "cpu_seconds_total %.6f\n",
		(double)budget_process_cpu() / (double)SECOND);
	gauge("memory_bytes", "Memory of counts, processes and mappings.", stats->memory, out);
	counter("shards_total", "Shards that were written.", shards->written, out);
	counter("shard_bytes_total", "Disk that they took.", shards->folder.written_bytes, out);
	counter("shards_deleted_total", "Older shards that --keep has deleted.",
		shards->folder.deleted, out);
	gauge("failing", "1 while shards cannot be written.", shards->failing, out);
}

bool record_metrics_write(const char *path, const struct recorder_stats *stats,
			  const struct record_shards *shards, const struct shares *users,
			  struct bc_error *err)
{
	struct output output;

	if (!output_open(path, &output, err))
		return false;
	print_metrics(stats, shards, users, output.file);
	return output_commit(&output, err);
}
