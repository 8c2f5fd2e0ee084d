/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/cli/options.h"
#include "src/flow/profile_output.h"
#include "src/cli/progress.h"
#include "src/cli/sample_options.h"
#include "src/base/say.h"
#include "src/cli/operands.h"
#include "src/figures/enough.h"
#include "src/figures/record_summary.h"
#include "src/figures/summary.h"
#include "src/elf/binary.h"
#include "src/code/pair.h"
#include "src/record/live.h"
#include "src/record/proc_files.h"
#include "src/record/record_shards.h"
#include "src/record/recorded_command.h"

#define SECOND          UINT64_C(1000000000)
#define RATE_UNATTENDED 997 /* a second and processor: of what runs already */
#define RATE_COMMAND    4000
/* For a ring: 512 KiB need no rights, where the kernel's settings are its own. */
#define PAGES 128
#define MEMORY_LEAST                                                                               \
	((size_t)1 << 20) /* bytes: less holds no counts in addition to processes and what waits */
#define KEPT_LEAST   ((size_t)1 << 20) /* bytes of rings that wait */
#define STOP_TIME    (20 * SECOND)
#define METRICS_EACH (10 * SECOND) /* as often as most collectors read */
#define FEW          100           /* samples: of the machine, a binary with less gets no file */

struct arguments {
	const char *pid_list; /* the last one that was given */
	struct task_vec pids;
	const char *cgroup, *event, *output, *save, *replay, *input, *metrics;
	struct words bins, patterns;
	bool all, basic, require_branches, forward, verbose, quiet, branch_option, no_input, until;
	struct number frequency, period, pages, least;
	uint64_t duration, interval; /* ns */
	uint64_t stop;               /* likewise; 0: STOP_TIME, and no limit of a profile */
	struct percent overhead;
	struct record_keep keep;
	size_t memory;
	enum stats_form stats;
	enum progress_mode progress;
};

/* ---- the command line ---- */

/* PID[,PID]... */
static const char *read_pids(struct command_line *line, const struct option_row *row,
			     const char *value)
{
	struct arguments *args = line->arguments;
	struct text rest = text_of(value);

	if (!text_trim(rest).len)
		return "--pid: an empty list, as pidof prints where no process runs: start the program first, or record -a --match='*/PROGRAM', not";
	do {
		size_t comma = text_find(rest, ',');
		uint64_t number;
		if (!text_dec(text_first(rest, comma), &number) || !number || number > INT_MAX)
			return OPTION_WRONG;
		if (!task_vec_push(&args->pids, (int)number))
			return OPTION_NOMEM;
		rest = text_behind(rest, comma);
	} while (rest.len);
	return option_text(line, row, value);
}

/* 100, or 2G */
static const char *read_keep(struct command_line *line, const struct option_row *row,
			     const char *value)
{
	struct record_keep *keep = option_field(line, row);
	size_t size;

	if (text_dec(text_of(value), &keep->files) && keep->files)
		return NULL;
	keep->files = 0;
	if (!text_memory(text_of(value), &size))
		return OPTION_WRONG;
	keep->bytes = size;
	return NULL;
}

/* Options of perf record that ask for what is recorded anyhow. */
static const char *read_filter(struct command_line *line, const struct option_row *row,
			       const char *value)
{
	static const char *const taken[] = {"any", "any,u", "u,any", "any,u,save_type",
					    "any,save_type,u"};
	struct arguments *args = line->arguments;

	(void)row;
	args->branch_option = true;
	for (size_t i = 0; i < BC_COUNT(taken); i++)
		if (!strcmp(value, taken[i]))
			return NULL;
	return "only branches of all kinds, in code of programs, are recorded: leave out -j, or write -j any,u, not";
}

static const char *refuse_chains(struct command_line *line, const struct option_row *row,
				 const char *value)
{
	(void)line;
	(void)row;
	if (value && !strcmp(value, "no"))
		return NULL;
	return "call chains are not recorded, as no profile for llvm-bolt has them: leave out -g and --call-graph (use perf record and 'batconv stacks')";
}

static const char *refuse_compression(struct command_line *line, const struct option_row *row,
				      const char *value)
{
	(void)line;
	(void)row;
	(void)value;
	return "-z is for recordings of perf: counts are written, compressed always: leave it out";
}

static const struct option_row rows[] = {
	{'p', "pid", "PID", NO_FILE,
	 "record running processes, PID[,PID...], with their threads,\ntheir children, and what these start",
	 INTO_BY(pid_list, read_pids), .takes = "process ids, with commas"},
	{0, "cgroup", "NAME", NO_FILE,
	 "record a cgroup: a container, or a systemd unit, such as\nsystem.slice/prog.service",
	 INTO(cgroup)},
	{'a', "all", NULL, NO_FILE, "record the whole machine", INTO(all)},
	{0, "replay", "FILE", FILE_READ, "count what --save-rings kept, instead of recording",
	 INTO(replay)},
	{0, "bin", "BIN", FILE_READ, "only samples of this binary; repeatable", INTO(bins),
	 .place = PLACE_BINARY},
	{0, "match", "GLOB", NO_FILE,
	 "only binaries whose path matches, such as '/srv/*.bolt';\nrepeatable", INTO(patterns)},
	{'o', "output", "FILE", FILE_WRITTEN,
	 "write a shard of each binary into DIR/; of one binary (--bin,\nor the program) its shard FILE.zst, or its profile FILE (fdata)",
	 INTO(output)},
	{0, "input", "INPUT", FILE_READ,
	 "for a profile or --until: the binary that llvm-bolt read (as\nfor convert)", INTO(input),
	 .place = PLACE_INPUT},
	NO_INPUT_ROW,
	{0, "interval", "TIME", NO_FILE, "also write shards every TIME (default: at the end only)",
	 INTO_BY(interval, option_duration), .takes = "a time such as 60, 10m or 1h"},
	{0, "keep", "N|SIZE", NO_FILE,
	 "delete the oldest shards of this host in DIR, so that N\nfiles, or SIZE bytes of disk, are left",
	 INTO_BY(keep, read_keep), .takes = "a number from 1 on, or a size such as 2G"},
	{0, "min-samples", "N", NO_FILE,
	 "write no shard for a binary with fewer than N samples\n(default: 100 for --all and --cgroup, else 1)",
	 INTO(least), .takes = "a number"},
	{0, "save-rings", "FILE", FILE_WRITTEN, "also write all records as they come, for --replay",
	 INTO(save)},
	{0, "metrics", "FILE", FILE_WRITTEN,
	 "write figures for Prometheus to FILE every 10 seconds, for the\ntextfile collector of node_exporter",
	 INTO(metrics)},
	{'d', "duration", "TIME", NO_FILE,
	 "end after TIME, such as 60, 10m or 1h (default: when\nthe processes or the command end)",
	 INTO_BY(duration, option_duration), .takes = "a time such as 60, 10m or 1h"},
	{0, "until", "WHEN:enough", NO_FILE,
	 "enough: of one binary, end when more samples would not make\nthe next binary much better; exit 3 if that never was so",
	 INTO_BY(until, option_keyword)},
	{'F', "freq", "N", NO_FILE,
	 "samples per second and processor (default: 4000 for a\ncommand, else 997)",
	 INTO(frequency), .takes = "a number from 1 on", .least = 1},
	{'c', "count", "N", NO_FILE, "... or one sample every N events", INTO(period),
	 .takes = "a number from 1 on", .least = 1},
	{'e', "event", "EVENT:" EVENT_NAMES, NO_FILE,
	 "the event: cycles, instructions, branches, branch-brs,\ncpu-clock or rHEX (default: the best available)",
	 INTO(event)},
	{0, "basic", NULL, NO_FILE, "record basic samples (addresses only, no LBR)", INTO(basic)},
	{0, "require-branches", NULL, NO_FILE,
	 "where there are no branch stacks, record nothing (exit 3)", INTO(require_branches)},
	{0, "max-overhead", "P", NO_FILE,
	 "spend at most P percent of a processor (with --all, of all),\nby switching samples off now and then",
	 INTO_BY(overhead, option_share), .takes = "a percentage above 0"},
	{0, "stop-timeout", "TIME", NO_FILE,
	 "write for at most TIME at the end, and drop the rest\n(default: 20 seconds, but none for a profile)",
	 INTO_BY(stop, option_duration), .takes = "a time such as 20 or 1m"},
	{'m', "mmap-pages", "N", NO_FILE, "pages of each ring, a power of two (default: 128)",
	 INTO(pages), .takes = "a number from 1 to 65536", .least = 1, .most = 65536},
	{0, "memory", "SIZE", NO_FILE,
	 "memory for counts and processes (default: 64M, at least 1M)",
	 INTO_BY(memory, option_memory), .takes = "a size such as 64M"},
	{0, "forward-exit", NULL, NO_FILE, "exit with the command's exit code, if nothing failed",
	 INTO(forward)},
	{0, "sandbox", NULL, NO_FILE,
	 "when all is opened, drop all rights but to read mapped\nfiles and to write shards: docs/security.md",
	 .read = option_sandbox},
	STATS_ROW,
	PROGRESS_ROWS(""),
	QUIET_ROW("print only warnings and errors"),
	VERBOSE_ROW,
	COMMON_ROWS,
	/* of perf record */
	{0, "all-cpus", NULL, NO_FILE, NULL, INTO(all)},
	{'b', "branch-any", NULL, NO_FILE, NULL, INTO(branch_option)},
	{'j', "branch-filter", "FILTER", NO_FILE, NULL, INTO_BY(branch_option, read_filter)},
	{'g', NULL, NULL, NO_FILE, NULL, .read = refuse_chains},
	{0, "call-graph", "MODE", NO_FILE, NULL, .read = refuse_chains},
	{'z', "compression-level", "[N]", NO_FILE, NULL, .read = refuse_compression},
};

static const struct option_group groups[] = {
	{"pid", "what is recorded"},
	{"output", "what is written"},
	{"duration", "how"},
	{"stats", "messages"},
	{0},
};

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	args->memory = RECORDER_MEMORY;
}

static void finish(void *arguments)
{
	struct arguments *args = arguments;

	task_vec_free(&args->pids);
}

/* ---- what is written, and where ---- */

/* A recording while it runs. */
struct record_run {
	struct arguments *args;
	const struct command_line *line;
	struct recorder *recorder;
	struct proc_files files;
	struct live_recording live;
	struct record_shards shards;
	struct record_view view;
	struct found_input found; /* of a profile or --until, where none was given */
	struct enough enough;     /* --until */
	struct output saved;      /* --save-rings */
	bool saved_open;
	uint64_t metrics_at; /* when they were written last; 0: not yet */
	bool metrics_failed;
	struct recorded_command command;
	int exec_errno; /* of the command; 0: it runs, or ran */
	bool unwritten; /* what was counted could not be written at the end */
	char named[128];
};

static bool is_folder_name(const char *path)
{
	struct stat st;

	return text_ends(text_of(path), "/") || (stat(path, &st) == 0 && S_ISDIR(st.st_mode));
}

static enum perf_target target_of(const struct arguments *args)
{
	return args->all      ? PERF_MACHINE :
	       args->cgroup   ? PERF_CGROUP :
	       args->pids.len ? PERF_TASKS :
				PERF_COMMAND;
}

/* The file of the command, or NULL. */
static const char *command_file(const struct words *command, char found[PATH_MAX])
{
	return command->len ? recorded_command_file(command->at[0], found) : NULL;
}

/* The one binary of an -o FILE: of --bin, or the command itself. */
static const char *only_binary(const struct arguments *args, const struct words *command,
			       char found[PATH_MAX])
{
	if (args->bins.len || args->replay ||
	    target_of(args) != PERF_COMMAND) /* else the command says only how long */
		return args->bins.len == 1 ? args->bins.at[0] : NULL;
	return command_file(command, found);
}

/* The command is none of the options' files, but to write over it would be as bad. */
static int check_command(const struct command_line *line, const struct arguments *args)
{
	const struct {
		const char *option, *path;
	} written[] = {
		{"--save-rings", args->save}, {"--metrics", args->metrics}, {"-o", args->output}};
	char found[PATH_MAX], text[PATH_MAX];
	const char *file = command_file(&line->operands, found);
	struct stat program, st;

	for (size_t i = 0; file && stat(file, &program) == 0 && i < BC_COUNT(written); i++) {
		if (!written[i].path || stat(written[i].path, &st) != 0 ||
		    st.st_dev != program.st_dev || st.st_ino != program.st_ino)
			continue;
		snprintf(text, sizeof(text), "%s '%.200s' would replace the command",
			 written[i].option, written[i].path);
		return usage_error(line->command, text, NULL);
	}
	return EXIT_DONE;
}

static int check_target(const struct command_line *line, const struct arguments *args)
{
	int named =
		(args->pids.len > 0) + (args->cgroup != NULL) + args->all + (args->replay != NULL);

	if (named > 1)
		return usage_error(line->command, "one of -p, --cgroup, -a and --replay at a time",
				   NULL);
	if (!named && !line->operands.len)
		return usage_error(line->command,
				   "nothing to record: a command, -p PID, --cgroup=NAME or -a",
				   NULL);
	if (args->replay && line->operands.len)
		return usage_error(line->command,
				   "--replay records nothing, so there is no command to run, not",
				   line->operands.at[0]);
	if (args->replay && args->save)
		return usage_error(line->command, "--replay reads what --save-rings has written",
				   NULL);
	return EXIT_DONE;
}

/* Options after the command are the command's, as of any program that runs another one. */
static const char *no_output(const struct command_line *line, const struct arguments *args)
{
	const struct words *command = &line->operands;

	for (size_t i = 1; i < command->len; i++)
		if (text_starts(text_of(command->at[i]), "-o") ||
		    text_starts(text_of(command->at[i]), "--output"))
			return "no output given: options after the command are the command's: write -o before it";
	return target_of(args) == PERF_COMMAND && !args->replay ?
		       "no output given: -o DIR/ for a shard of each binary, or -o FILE for the program's own" :
		       "no output given: -o DIR/ for a shard of each binary, or -o FILE with --bin";
}

static int check(struct command_line *line)
{
	struct arguments *args = line->arguments;
	int code = check_target(line, args);

	if (code != EXIT_DONE)
		return code;
	args->stats = stats_if_quiet(args->stats, args->quiet);
	if (args->frequency.given && args->period.given)
		return usage_error(line->command,
				   "-F gives a frequency and -c a period: one of them", NULL);
	if (args->pages.given && args->pages.is & (args->pages.is - 1))
		return usage_error(line->command, "-m takes a power of two", NULL);
	if (args->memory < MEMORY_LEAST)
		return usage_error(line->command, "--memory takes 1M or more", NULL);
	struct bc_error unknown;
	if (args->event && !perf_event_is_known(args->event, &unknown))
		return usage_error(line->command, unknown.text, NULL);
	if (args->input && args->no_input)
		return usage_error(line->command, BOTH_INPUTS, NULL);
	if (args->basic && args->require_branches)
		return usage_error(line->command,
				   "--basic and --require-branches exclude each other", NULL);
	if (!args->output)
		return usage_error(line->command, no_output(line, args), NULL);
	if ((code = check_command(line, args)) != EXIT_DONE)
		return code;
	if (args->until && args->forward)
		return usage_error(line->command,
				   "--until and --forward-exit exclude each other: one exit code",
				   NULL);
	if (args->until && is_folder_name(args->output))
		return usage_error(line->command,
				   "--until=enough is of one binary: -o FILE with --bin", NULL);
	if (is_folder_name(args->output) ||
	    (args->input && !args->until && text_ends(text_of(args->output), ".zst")))
		return args->input ?
			       usage_error(line->command,
					   "--input is for a profile: -o FILE with --bin", NULL) :
			       EXIT_DONE;
	if (args->interval || args->keep.files || args->keep.bytes)
		return usage_error(line->command,
				   "--interval and --keep need a directory for the shards: -o DIR/",
				   NULL);
	char found[PATH_MAX];
	if (!only_binary(args, &line->operands, found))
		return usage_error(
			line->command,
			"-o FILE has the samples of one binary: name it with --bin, or give a directory: -o DIR/",
			NULL);
	return EXIT_DONE;
}

static bool has_ended(void *ctx)
{
	struct record_run *r = ctx;

	return recorded_command_has_ended(&r->command) || atomic_load(&r->enough.reached);
}

/* ---- beginning ---- */

static void name_target(struct record_run *r)
{
	const struct arguments *args = r->args;

	switch (target_of(args)) {
	case PERF_MACHINE: snprintf(r->named, sizeof(r->named), "the whole machine"); break;
	case PERF_CGROUP:
		snprintf(r->named, sizeof(r->named), "cgroup %.100s", args->cgroup);
		break;
	case PERF_TASKS: snprintf(r->named, sizeof(r->named), "PID %.100s", args->pid_list); break;
	case PERF_COMMAND:
		snprintf(r->named, sizeof(r->named), "%.100s", r->line->operands.at[0]);
		break;
	}
}

static bool open_events(struct record_run *r, struct bc_error *err)
{
	const struct arguments *args = r->args;
	const struct perf_request request = {
		.target = target_of(args),
		.tasks = r->command.pid && target_of(args) == PERF_COMMAND ?
				 (struct task_vec){&r->command.pid, 1, 1} :
				 args->pids,
		.named = r->named,
		.event = args->event,
		.period = args->period.given ? args->period.is : 0,
		.frequency = args->frequency.given           ? args->frequency.is :
			     target_of(args) == PERF_COMMAND ? RATE_COMMAND :
							       RATE_UNATTENDED,
		.frequency_given = args->frequency.given,
		.ring = (args->pages.given ? args->pages.is : PAGES) *
			(size_t)sysconf(_SC_PAGESIZE),
		.basic = args->basic,
		.require_branches = args->require_branches,
		.pauses = args->overhead.given,
	};

	return live_open(&r->live, &request, args->cgroup, err);
}

/* What its profile is made with: given, or found; NULL: none. */
static const char *input_of(const struct record_run *r)
{
	return r->args->input ? r->args->input : r->found.taken ? r->found.taken->path : NULL;
}

/* For one binary, which is given no shard. */
static bool makes_profile(const struct record_run *r)
{
	return r->shards.binary && !r->shards.file;
}

static bool prepare_until(struct record_run *r, bool bolted, struct bc_error *err)
{
	const char *input = input_of(r);

	if (!r->args->until)
		return true;
	if (bolted && !input) {
		bc_fail(err, BC_UNSUPPORTED,
			"%s: is BOLTed: --until=enough needs the binary that llvm-bolt read",
			r->shards.binary);
		return bc_hint(err, "give it: --input=INPUT");
	}
	r->shards.keeps = true;
	enough_open(&r->enough, r->shards.binary, input, r->args->replay ? 0 : ENOUGH_EACH,
		    live_clock());
	return true;
}

/* What its profile would be refused for at the end, and with which input it is made. */
static bool check_profile(struct record_run *r, struct bc_error *err)
{
	const char *binary = r->shards.binary, *input = r->args->input;
	const struct debug_dirs dirs = {0};
	const struct binary_parts parts = {.debug = &dirs};
	struct binary opened = {0};

	if (!makes_profile(r) && !r->args->until)
		return true;
	if (!binary_open_parts(binary, &parts, &opened, err))
		return false;
	bool ok = !input ||
		  (opened.kind == BINARY_UNTOUCHED ?
			   bc_fail(err, BC_UNSUPPORTED,
				   "%s: is not BOLTed, so it has no input binary", binary) ||
				   bc_hint(err, "leave out --input") :
			   pair_check(input, &opened, &r->found.doubt, err));
	bool bolted = opened.kind == BINARY_BOLTED,
	     seeks = ok && !input && bolted && input_is_sought(r->args->no_input);
	binary_close(&opened);
	return ok && (!seeks || pair_find(binary, &dirs, &r->found, err)) &&
	       prepare_until(r, bolted, err);
}

static bool want_files(struct record_run *r, struct bc_error *err)
{
	struct arguments *args = r->args;

	r->files.root = PROC_ROOT;
	r->files.replayed = args->replay;
	r->files.patterns = args->patterns.at;
	r->files.pattern_count = args->patterns.len;
	for (size_t i = 0; i < args->bins.len; i++)
		if (!proc_files_want(&r->files, args->bins.at[i], err))
			return false;
	return r->shards.binary == NULL || args->bins.len ||
	       proc_files_want(&r->files, r->shards.binary, err);
}

static bool begin_saving(struct record_run *r, struct bc_error *err)
{
	if (!r->args->save)
		return true;
	r->saved_open = output_open(r->args->save, &r->saved, err);
	if (r->saved_open)
		live_save_head(&r->live, r->saved.file);
	return r->saved_open;
}

static bool end_saving(struct record_run *r, struct bc_error *err)
{
	if (!r->saved_open)
		return true;
	r->saved_open = false;
	return output_commit(&r->saved, err);
}

static bool open_recorder(struct record_run *r, struct bytes attr, uint32_t rings,
			  struct bc_error *err)
{
	struct recorder_options options = {
		.attr = attr,
		.rings = rings,
		.memory = r->args->memory,
		.files = {.ctx = &r->files,
			  .open = proc_files_open,
			  .user = r->args->replay ? NULL : proc_files_user,
			  .unpacks = r->args->replay != NULL,
			  .hangs = r->args->replay == NULL},
		.save = r->saved_open ? r->saved.file : NULL,
	};

	return recorder_open(&options, &r->recorder, err);
}

static void tell_notes(const struct record_run *r)
{
	const struct arguments *args = r->args;
	enum perf_target target = target_of(args);

	if (args->stats == STATS_JSON)
		return;
	if (args->branch_option && args->verbose)
		say(stderr, "-b and -j are not needed: LBR is recorded where the processor has it");
	for (size_t i = 0; i < r->live.rings.notes.len; i++) {
		const struct perf_note *note = &r->live.rings.notes.at[i];
		bool wanted = args->stats == STATS_TEXT &&
			      !(note->kind == PERF_NOTE_INPUT && input_of(r));
		if (wanted || note->kind == PERF_NOTE_CHANGED)
			say_note(stderr, "%s", note->text);
	}
	if ((target == PERF_MACHINE || target == PERF_CGROUP) && proc_is_in_namespace(PROC_ROOT))
		say_warning(
			stderr,
			"batconv runs in a pid namespace (a container), and drops samples of processes outside: "
			"run it on the host, or with hostPID: true (Kubernetes), --pid=host (Docker)");
	if (!r->command.pid && !args->duration && args->stats == STATS_TEXT)
		say(stderr, "recording %s until %sCtrl-C (or for a time: -d, or a command)",
		    r->named, target == PERF_TASKS ? "all of it has ended, or " : "");
}

static void let_go(void *ctx)
{
	struct record_run *r = ctx;

	r->exec_errno = r->command.pid ? recorded_command_let_go(&r->command) : 0;
	if (!r->exec_errno)
		tell_notes(r);
}

/* ---- the end ---- */

/* The last time that counts are written. */
static void begin_last(const struct record_run *r)
{
	uint64_t left = recorder_stats(r->recorder).samples.kept;
	char lost[96] = "";

	for (size_t i = 0; i < r->shards.binaries.len && !makes_profile(r); i++)
		left -= r->shards.binaries.at[i].samples;
	if (left && r->args->stats != STATS_JSON)
		snprintf(lost, sizeof(lost),
			 "ended before all was written: up to %" PRIu64 " sample%s lost", left,
			 plural_of(left, " is", "s are"));
	record_signals_begin_last(lost);
}

/* What is left is written now. */
static void last(void *ctx, size_t files, uint64_t deadline)
{
	struct record_run *r = ctx;

	r->shards.deadline = deadline;
	begin_last(r);
	if (r->shards.folder.path && files && r->args->stats == STATS_TEXT)
		say(stderr, "writing up to %zu shard%s, for at most %.3g s (--stop-timeout)", files,
		    plural(files), (double)r->live.stop_time / (double)SECOND);
}

static struct record_result result_of(const struct record_run *r)
{
	const struct arguments *args = r->args;

	return (struct record_result){
		.stats = recorder_stats(r->recorder),
		.shards = &r->shards,
		.users = recorder_shares(r->recorder),
		.rings = args->replay ? NULL : &r->live.rings,
		.live = args->replay ? NULL : &r->live,
		.command_code = r->command.ended ? recorded_command_code(&r->command) : -1,
		.command_stopped = r->command.stopped,
		.ran = recorder_left_out(r->recorder),
		.enough = args->until ? &r->enough : NULL,
		.seeks_input = input_is_sought(args->no_input),
		.only_command = !args->bins.len && !args->patterns.len};
}

static void tell_result(const struct record_result *result, const struct arguments *args,
			bool failed)
{
	if (args->stats == STATS_JSON) {
		FILE *out = buffered_stderr();
		record_json(result, out);
		buffered_stderr_end(out);
	} else if (!failed || args->verbose) {
		record_summary(result, args->stats == STATS_TEXT, args->verbose, stderr);
	}
}

/* What was not written is dropped, and with it what is half written. */
static void give_up(void *ctx, bool known)
{
	struct record_run *r = ctx;

	output_remove_temporaries();
	if (known) {
		uint64_t before = recorder_stats(r->recorder).samples.kept;
		recorder_give_up(r->recorder);
		record_shards_sort(&r->shards);
		const struct record_result result = result_of(r);
		tell_result(&result, r->args, false);
		uint64_t lost = before - result.stats.samples.kept;
		say_error(stderr,
			  "the end took longer than --stop-timeout: %" PRIu64
			  " sample%s not written to %.200s",
			  lost, plural_of(lost, " was", "s were"), r->args->output);
	} else {
		say_error(
			stderr,
			"the end took longer than --stop-timeout: what was not written to %.200s is lost",
			r->args->output);
	}
	say_hint(stderr, "give it more time (--stop-timeout)%s",
		 r->shards.folder.path ? ", or write more often (--interval)" : "");
	_exit(EXIT_FAILED);
}

static void writes(void *ctx, bool begins)
{
	struct record_run *r = ctx;

	live_writes(&r->live, begins);
}

static bool flush(void *ctx, bool last, bool *behind, struct bc_error *err)
{
	struct record_run *r = ctx;
	struct bc_error why = {0};
	bool ok = record_shards_write(&r->shards, r->recorder, last, &why);

	*behind = !ok;
	if (ok || why.code != BC_IO) {
		if (ok && r->shards.failing) {
			r->shards.failing = false;
			say(stderr, "writing continues");
		}
		*err = why;
		return ok;
	}
	/* A full disk ends no recording: what was counted stays and is written later. */
	if (last) {
		r->unwritten = true;
		*err = why;
		return false;
	}
	if (!r->shards.failing)
		say_warning(stderr, "%s: counting continues, and writing is tried again", why.text);
	r->shards.failing = true;
	return true;
}

/* A file that cannot be written ends no recording. */
static void write_metrics(struct record_run *r)
{
	struct recorder_stats stats = recorder_stats(r->recorder);
	struct bc_error err;

	r->metrics_at = live_clock();
	bool ok = record_metrics_write(r->args->metrics, &stats, &r->shards,
				       recorder_shares(r->recorder), &err);
	if (!ok && !r->metrics_failed)
		say_warning(stderr, "--metrics: %s", err.text);
	r->metrics_failed = !ok;
}

/* ---- --until ---- */

static void tell_measured(struct record_run *r)
{
	char text[GAIN_SENTENCE];

	if (r->args->stats != STATS_TEXT || !r->enough.gain.known)
		return;
	record_view_clear(&r->view);
	gain_sentence(&r->enough.gain, text);
	say(stderr, "%" PRIu64 " sample%s: %s", r->enough.samples, plural(r->enough.samples), text);
}

static bool is_due(struct record_run *r, uint64_t now)
{
	return !atomic_load(&r->enough.reached) &&
	       enough_is_due(&r->enough, recorder_stats(r->recorder).samples.kept, now);
}

/* Takes what was measured, and begins to measure if it is time, within the budget. */
static void watch_gain(struct record_run *r)
{
	struct budget *budget = &r->live.budget;
	uint64_t samples, cpu, now = live_clock();
	struct recorded_counts *counts;
	struct bc_error later; /* it is tried again with more samples */

	if (enough_take(&r->enough, false, &cpu)) {
		budget_add(budget, BUDGET_GAIN, cpu);
		tell_measured(r);
	}
	if (budget_may(budget, BUDGET_GAIN, now) && is_due(r, now) &&
	    recorder_counts(r->recorder, &r->shards.digest, &counts, &samples, &later) && counts)
		enough_begin(&r->enough, counts, samples);
}

/* Rings that are saved wait for it. */
static bool measure_gain(struct record_run *r, struct bc_error *err)
{
	struct recorded_counts *counts;
	uint64_t samples;

	if (!r->args->until || !is_due(r, live_clock()))
		return true;
	if (!recorder_counts(r->recorder, &r->shards.digest, &counts, &samples, err))
		return false;
	if (counts) {
		enough_measure(&r->enough, counts, samples);
		tell_measured(r);
	}
	recorded_counts_free(counts);
	return true;
}

/* The measurement that was begun before the end counts, too. */
static void end_watching(struct record_run *r)
{
	uint64_t cpu;

	if (!r->enough.work)
		return;
	begin_last(r);
	if (enough_take(&r->enough, true, &cpu))
		tell_measured(r);
	record_signals_end_last();
}

/* Unless less of it was enough, all of the recording is measured, when it is written. */
static bool is_enough(struct record_run *r)
{
	if (!atomic_load(&r->enough.reached) && r->shards.counts) {
		record_signals_begin_last("");
		enough_measure(&r->enough, r->shards.counts, r->shards.binaries.at[0].samples);
		record_signals_end_last();
	}
	return atomic_load(&r->enough.reached);
}

/* ---- while it runs ---- */

static void tick(void *ctx, bool asked)
{
	struct record_run *r = ctx;

	if (r->args->until)
		watch_gain(r);
	if (r->args->metrics && (!r->metrics_at || live_clock() - r->metrics_at >= METRICS_EACH))
		write_metrics(r);
	record_progress(&r->view, &r->live, asked);
}

/* A directory is that of shards. */
static bool open_saved(const char *path, struct file_stream *out, struct bc_error *err)
{
	struct stat st;

	if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
		return stream_open(path, out, err);
	bc_fail(err, BC_IO, "%s: is a directory, and --replay takes one file of --save-rings",
		path);
	return bc_hint(err,
		       "name that file; shards are counted already, and are samples of a binary: "
		       "batconv BIN %s",
		       path);
}

static bool replay(struct record_run *r, struct bc_error *err)
{
	struct file_stream stream;
	struct rings_reader reader = {0};
	bool ended = false, behind;

	if (!open_saved(r->args->replay, &stream, err))
		return false;
	bool ok =
		rings_open(&stream, &reader, err) &&
		open_recorder(r, (struct bytes){reader.attr, reader.attr_size}, reader.rings, err);
	while (ok && !ended && !atomic_load(&r->enough.reached)) {
		ok = recorder_replay(r->recorder, &reader, &ended, err);
		if (ok && !ended && recorder_is_full(r->recorder))
			ok = flush(r, false, &behind, err);
		ok = ok && (ended || measure_gain(r, err));
	}
	ok = ok && (ended || recorder_drain(r->recorder, err)) && flush(r, true, &behind, err);
	rings_close(&reader);
	stream_close(&stream);
	return ok;
}

/* All is opened by now, and the command is there. */
static void enter_sandbox(const struct record_run *r)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(r->args->output, '/');

	snprintf(folder, sizeof(folder), "%.*s",
		 !slash                   ? 1 :
		 slash == r->args->output ? 1 :
					    (int)(slash - r->args->output),
		 slash ? r->args->output : ".");
	struct sandbox entered = sandbox_enter_recording(
		r->command.pid, r->shards.folder.path ? r->shards.folder.path : folder);

	if (r->args->stats != STATS_JSON && entered.calls != CALLS_LISTED)
		say_warning(stderr, "--sandbox: %s: nothing is given up",
			    entered.calls == CALLS_NOT_BUILT ? "this build is without libseccomp" :
							       "no seccomp in this kernel");
}

static bool record(struct record_run *r, struct bc_error *err)
{
	const struct arguments *args = r->args;

	name_target(r);
	if ((r->line->operands.len &&
	     !recorded_command_start(r->line->operands.at, r->line->operands.len,
				     record_signals_mask(), &r->command, err)) ||
	    !open_events(r, err) || !begin_saving(r, err) ||
	    !open_recorder(r, live_attr(&r->live), (uint32_t)r->live.rings.rings.len, err))
		return false;
	if (r->line->sandbox)
		enter_sandbox(r);
	long processors = args->all ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
	r->live.recorder = r->recorder;
	r->live.signals = record_signals_seen();
	r->live.mask = record_signals_mask();
	r->live.duration = args->duration;
	r->live.interval = args->interval;
	r->live.least = r->shards.least;
	r->live.stop_time = args->stop ? args->stop : STOP_TIME;
	r->shards.ctx = r;
	r->shards.writes = writes;
	r->live.kept_most = args->memory / 8 > KEPT_LEAST ? args->memory / 8 : KEPT_LEAST;
	r->live.last = last;
	r->live.give_up = give_up;
	r->live.share = args->overhead.given ? args->overhead.is / 100 * (double)processors : 0;
	r->live.ctx = r;
	r->live.flush = flush;
	r->live.tick = tick;
	r->live.ended = has_ended;
	r->live.command = r->command.pid != 0;
	bool ok = live_run(&r->live, let_go, err);
	record_signals_end_last();
	recorded_command_wait(&r->command, ok);
	end_watching(r);
	return ok && end_saving(r, err);
}

static bool convert_counts(struct conversion *c, const struct recorded_counts *counts,
			   struct bc_error *err)
{
	const struct event_sink sink = {&c->aggregate, aggregate_event};

	return conversion_open(c, err) && recorded_deliver(counts, &sink, err) &&
	       conversion_count(c, err) && conversion_convert(c, err);
}

static bool write_files(const struct profile_output *to, const struct conversion *c,
			struct bc_error *err)
{
	struct output files[PROFILE_FILES];
	struct yaml_report yaml;

	bool ok = profile_output_open(to, files, err) &&
		  profile_output_fill(to, files, c, c->options.binary, &yaml, err);
	return output_end_all(files, PROFILE_FILES, ok, err);
}

/* Ends the program when a profile is not done in time: nothing else ends a conversion. */
struct profile_watch {
	struct record_run *run;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t deadline;
	bool begun, done;
};

static void give_up_profile(struct record_run *r)
{
	struct record_result result = result_of(r);
	uint64_t lost = 0;

	output_remove_temporaries();
	for (size_t i = 0; i < r->shards.binaries.len; i++) {
		struct recorded_binary *binary = &r->shards.binaries.at[i];
		recorder_drop_later(&result.stats, RECORDED_DROP_UNFINISHED, binary->samples);
		ledger_move(&result.stats.branches, BRANCH_DROP_DROPPED_SAMPLE, binary->branches);
		lost += binary->samples;
		binary->samples = binary->branches = 0;
	}
	tell_result(&result, r->args, false);
	say_error(stderr,
		  "%.200s: the profile was not done within --stop-timeout: %" PRIu64
		  " sample%s dropped",
		  r->args->output, lost, plural_of(lost, " was", "s were"));
	say_hint(stderr, "give it more time, or write a shard (-o FILE.zst), and convert that");
	_exit(EXIT_FAILED);
}

static void *watch(void *ctx)
{
	struct profile_watch *watch = ctx;
	const struct timespec until = {(time_t)(watch->deadline / SECOND),
				       (long)(watch->deadline % SECOND)};
	int why = 0;

	pthread_mutex_lock(&watch->lock);
	while (!watch->done && !why)
		why = pthread_cond_timedwait(&watch->changed, &watch->lock, &until);
	if (!watch->done)
		give_up_profile(watch->run);
	pthread_mutex_unlock(&watch->lock);
	return NULL;
}

/* Where no thread can be started, nothing ends it. */
static void watch_begin(struct profile_watch *out, struct record_run *r)
{
	uint64_t stop = r->args->stop;
	pthread_condattr_t clock;

	*out = (struct profile_watch){.run = r};
	if (!stop)
		return;
	/* The time of a command that had to end first is not the profile's. */
	bool goes_on = r->shards.deadline && !r->command.pid;
	out->deadline = goes_on ? r->shards.deadline : live_clock() + stop;
	if (r->args->stats == STATS_TEXT)
		say(stderr, "writing the profile, for at most %.3g s (--stop-timeout)",
		    (double)stop / (double)SECOND);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_mutex_init(&out->lock, NULL);
	pthread_cond_init(&out->changed, &clock);
	pthread_condattr_destroy(&clock);
	out->begun = pthread_create(&out->thread, NULL, watch, out) == 0;
}

static void watch_end(struct profile_watch *watch)
{
	if (!watch->begun)
		return;
	pthread_mutex_lock(&watch->lock);
	watch->done = true;
	pthread_cond_signal(&watch->changed);
	pthread_mutex_unlock(&watch->lock);
	pthread_join(watch->thread, NULL);
}

/* Writes the profile of the one binary, as convert does of its shard. */
static bool write_profile(struct record_run *r, struct bc_error *err)
{
	const struct profile_output output = {.path = r->args->output};
	BC_AUTO(conversion_free)
	struct conversion c = {.options = {.binary = r->shards.binary,
					   .input = input_of(r),
					   .aggregate = {.erratum = true, .rules = best_rules}}};
	struct summary summary = {.conversion = &c,
				  .output = output.path,
				  .format = profile_format_name(output.format)};
	const bool doubts = r->args->stats == STATS_TEXT && !r->args->until;
	struct stability stability;
	struct profile_watch watch;

	profile_output_prepare(&output, &c.options);
	if (doubts)
		c.options.wants |= WANT_DOUBTS;
	watch_begin(&watch, r);
	begin_last(r);
	bool ok = convert_counts(&c, r->shards.counts, err) &&
		  gain_of_halves(&c, NULL, &stability, &summary.gain, err) &&
		  write_files(&output, &c, err);
	watch_end(&watch);
	record_signals_end_last();
	if (ok)
		summary_warnings(&summary, stderr);
	if (ok && doubts)
		summary_each_doubt(&summary, warn_by_line, stderr);
	return ok;
}

/* unwritten: why what was counted could not be written, or NULL.  A summary comes before that error
 * alone, as it says what was written before. */
static int finish_recording(struct record_run *r, const struct bc_error *unwritten)
{
	const struct arguments *args = r->args;
	struct record_result result = result_of(r);
	const struct recorder_stats stats = result.stats;
	uint64_t taken = stats.samples.read + stats.lost + stats.lost_samples;
	struct bc_error err = {0};
	int code = EXIT_DONE, why = r->exec_errno;

	if (why) {
		say_error(stderr, "%s: cannot be run: %s", r->line->operands.at[0], strerror(why));
		return why == ENOENT ? 127 : 126;
	}
	result.unwritten = unwritten != NULL;
	if (unwritten)
		code = EXIT_FAILED;
	else if (!stats.samples.kept || (r->shards.few_samples && !r->shards.binaries.len))
		code = EXIT_CHECK_FAILED;
	else if (makes_profile(r) && r->shards.counts && write_profile(r, &err)) {
		result.profile = args->output;
		result.input = input_of(r);
		result.found = &r->found;
	}
	if (code == EXIT_DONE && (stats.lost + stats.lost_samples) * 100 > taken)
		code = EXIT_PARTIAL;
	if (args->metrics)
		write_metrics(r);
	record_shards_sort(&r->shards);
	const bool failed = err.code || code == EXIT_CHECK_FAILED;
	if (args->until && !failed && !unwritten && !is_enough(r))
		code = EXIT_CHECK_FAILED;
	tell_result(&result, args, failed);
	if (err.code || unwritten)
		return fail(unwritten ? unwritten : &err);
	if (failed && args->stats != STATS_JSON)
		record_explain(&result, args->pids.at, args->pids.len, stderr);
	return code == EXIT_DONE && args->forward && r->command.ended ?
		       recorded_command_code(&r->command) :
		       code;
}

static int run(struct command_line *line)
{
	struct record_run r = {
		.args = line->arguments, .line = line, .command = {.go = -1, .failed = -1}};
	struct arguments *args = r.args;
	char found[PATH_MAX];
	struct bc_error err = {0};

	bool folder = is_folder_name(args->output), wide = args->all || args->cgroup;
	const char *binary = folder ? NULL : only_binary(args, &line->operands, found);
	if (!args->replay) /* which nothing is lost of where it is ended */
		record_signals_take();
	r.view.on = args->stats != STATS_NONE && progress_is_shown(args->progress);
	bool ok = record_shards_open(&r.shards, args->output, binary,
				     args->least.given ? args->least.is :
				     wide              ? FEW :
							 1,
				     args->keep, &err) &&
		  check_profile(&r, &err) && want_files(&r, &err) &&
		  (args->replay ? replay(&r, &err) : record(&r, &err));
	record_view_clear(&r.view);
	recorded_command_wait(&r.command, false);
	enough_close(&r.enough);
	int code = ok || r.unwritten ? finish_recording(&r, ok ? NULL : &err) :
		   err.code == BC_MISMATCH && args->require_branches ?
				       (fail(&err), EXIT_CHECK_FAILED) :
				       fail(&err);
	record_signals_give_back();
	if (r.saved_open)
		output_discard(&r.saved);
	found_input_free(&r.found);
	record_shards_close(&r.shards);
	live_close(&r.live);
	if (!recorder_free(r.recorder))
		_exit(code); /* a thread hangs in a file, and uses what is here when it continues */
	proc_files_free(&r.files);
	return code;
}

const struct command record_command = {
	.name = "record",
	.args = "[OPTION]... -o FILE [PROGRAM]...",
	.help = "count the samples of running programs, without perf and its recordings\n\n"
		"Records PROGRAM, processes, a cgroup or the machine, branch stacks where the processor\n"
		"has them, and writes counts as shards, which convert and merge take, or a profile.\n"
		"With -p, --cgroup or -a it records while PROGRAM runs: 'sleep 60'.  SIGTERM and SIGINT end\n"
		"with what was counted, SIGHUP writes shards now, SIGUSR1 prints the state.",
	.groups = groups,
	.examples =
		"batconv record -o counts/ -- ./prog.bolt input           # a program, from its start\n"
		"batconv record -o counts/ -p PID -d 60                   # a running process, for a minute\n"
		"batconv record -o counts/ -a --interval=1h --max-overhead=0.5   # the machine, continuously",
	COMMAND_OPTIONS(rows),
	.operands = NO_FILE,
	.stops_at_operand = true,
	.size = sizeof(struct arguments),
	.enters_sandbox = true,
	.prepare = prepare,
	.check = check,
	.finish = finish,
	.run = run,
};
