/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/advice.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/attr.h"
#include "src/elf/binary.h"
#include "src/samples/reader.h"

/* ---- what is known of a file ---- */

/* So many entries of a directory are looked at. */
#define FOLDER_LOOK 200

static bool peek_kind(const char *path, struct file_facts *out)
{
	char start[FILE_KIND_LOOK];
	struct bc_error ignored;
	size_t size;

	if (is_recording_folder(path)) {
		out->kind = FILE_SAMPLES;
		return true;
	}
	out->foreign = foreign_folder(path);
	if (out->foreign) {
		out->kind = FILE_FOREIGN;
		return true;
	}
	if (!file_peek(path, start, sizeof(start), &size, &ignored))
		return false;
	out->kind = file_kind_of((struct text){start, size}, &out->foreign);
	return true;
}

/* For an entry of a directory: only a regular file is opened.  FILE_SHARDS: it is a shard. */
static enum file_kind kind_of_entry(const char *path)
{
	struct file_stream stream;
	char start[FILE_KIND_LOOK];
	struct bc_error ignored;
	size_t size;

	if (is_recording_folder(path))
		return FILE_SAMPLES;
	if (!stream_open_named(path, NAMED_BY_FOLDER, &stream, &ignored))
		return FILE_UNKNOWN;
	stream.cut_will_do = true;
	bool ok = stream_read(&stream, start, sizeof(start), &size, &ignored);
	bool shard = ok && stream_shard_identity(&stream);
	stream_close(&stream);
	if (shard || !ok)
		return shard ? FILE_SHARDS : FILE_UNKNOWN;
	return file_kind_of((struct text){start, size}, NULL);
}

/* Counts one, and notes the first by name. */
static void count_entry(const char *name, size_t *count, char first[NAME_MAX + 1])
{
	if (!(*count)++ || strcmp(name, first) < 0)
		snprintf(first, NAME_MAX + 1, "%s", name);
}

/* Counts what is in a directory: perf.data, shards and other files. */
static void look_into(const char *path, struct file_facts *out)
{
	DIR *folder = opendir(path);
	char file[PATH_MAX];
	int looked = 0;

	for (struct dirent *entry; folder && looked < FOLDER_LOOK && (entry = readdir(folder));
	     looked++) {
		int length = snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		if (*entry->d_name == '.' || length < 0 || (size_t)length >= sizeof(file))
			continue;
		switch (kind_of_entry(file)) {
		case FILE_SAMPLES:
			count_entry(entry->d_name, &out->recordings, out->recording);
			break;
		case FILE_SHARDS: count_entry(entry->d_name, &out->shards, out->shard); break;
		default: out->others++;
		}
	}
	if (folder)
		closedir(folder);
}

static void look_at_binary(const char *path, struct file_facts *out)
{
	struct bc_error ignored;
	struct binary binary;

	if (!binary_map(path, &binary, &ignored))
		return;
	if (binary.kind != BINARY_SECTION) {
		out->opened = true;
		out->machine = binary.image.machine;
		out->trace = image_bolt_trace(&binary.image);
		out->id = binary.image.build_id;
		out->bolt = bolt_input_of(&binary.image);
	}
	binary_close(&binary);
}

void file_facts_look(const char *path, struct file_facts *out)
{
	struct stat st;

	*out = (struct file_facts){.kind = FILE_UNKNOWN};
	if (!strcmp(path, "-") || stat(path, &st))
		return;
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return; /* what is read from a pipe is gone */
	out->read = peek_kind(path, out);
	if (out->kind == FILE_BINARY || out->kind == FILE_SIDE)
		look_at_binary(path, out);
	if (S_ISDIR(st.st_mode) && !out->read) {
		out->read = true;
		look_into(path, out);
		out->kind = out->shards && !out->recordings ? FILE_SHARDS : FILE_FOLDER;
	}
}

/* ---- what each kind is, and what each position takes ---- */

static const char *noun_of(const struct file_facts *facts)
{
	return facts->foreign ? facts->foreign->noun : file_kind_noun(facts->kind);
}

#define KIND(kind) (1u << (kind))
#define BINARIES   (KIND(FILE_BINARY) | KIND(FILE_SIDE))
/* Unknown: text of perf script, pre-aggregated records.  Empty: records of a conversion that kept
 * nothing. */
#define RECORDINGS (KIND(FILE_SAMPLES) | KIND(FILE_UNKNOWN) | KIND(FILE_EMPTY))
#define SAMPLES    (RECORDINGS | KIND(FILE_SHARDS))
#define PROFILES   (KIND(FILE_FDATA) | KIND(FILE_YAML))

static const struct {
	const char *noun;
	unsigned kinds;
} places[PLACE_COUNT] = {
	[PLACE_ANY] = {"a file", ~(KIND(FILE_FOLDER) | KIND(FILE_SHARDS))},
	[PLACE_BINARY] = {"the binary that was sampled", BINARIES},
	[PLACE_INPUT] = {"the binary that llvm-bolt read", KIND(FILE_BINARY)},
	[PLACE_TABLE] = {"a BOLTed binary or its table", BINARIES | KIND(FILE_NOTE)},
	[PLACE_IMAGE] = {"a binary", BINARIES},
	[PLACE_SAMPLES] = {"samples", SAMPLES},
	[PLACE_RECORDING] = {"a recording", RECORDINGS},
	[PLACE_PROFILE] = {"a profile", PROFILES | KIND(FILE_UNKNOWN) | KIND(FILE_EMPTY)},
	[PLACE_MEASURED] = {"a profile or samples", PROFILES | SAMPLES},
	[PLACE_MAPS] = {"maps or a recording", KIND(FILE_BCMAPS) | KIND(FILE_MAPS) | RECORDINGS},
	[PLACE_STACKS] = {"raw call stacks or a recording", KIND(FILE_STACKS) | RECORDINGS},
	[PLACE_JSON] = {"JSON of 'batconv dump --json'", KIND(FILE_JSON)},
};

static bool takes(enum advice_place place, const struct file_facts *facts)
{
	return !facts->read || places[place].kinds & KIND(facts->kind);
}

/* ---- commands ---- */

/* Text that is built part by part.  If one does not fit, the text is empty: half a command is
 * none. */
struct advice_line {
	char *text;
	size_t size, length;
};

static struct advice_line line_in(char *text, size_t size)
{
	*text = '\0';
	return (struct advice_line){text, size, 0};
}

static void give_up(struct advice_line *line)
{
	*line->text = '\0';
	line->size = line->length = 0;
}

BC_PRINTF(2, 3) static void add(struct advice_line *line, const char *fmt, ...)
{
	va_list args;

	if (!line->size)
		return;
	va_start(args, fmt);
	int length = vsnprintf(line->text + line->length, line->size - line->length, fmt, args);
	va_end(args);
	if (length < 0 || (size_t)length >= line->size - line->length)
		give_up(line);
	else
		line->length += (size_t)length;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("/._-+:@%,=", c);
}

/* A path as a word of the shell.  One that begins with a dash would be an option; a dash alone is
 * stdin. */
static void add_path(struct advice_line *line, const char *path)
{
	bool plain = true;

	for (const char *c = path; *c; c++)
		plain &= is_plain(*c);
	const char *quote = plain ? "" : "'", *folder = *path == '-' && path[1] ? "./" : "";
	add(line, "%s%s", quote, folder);
	for (const char *c = path; *c; c++) {
		if (*c == '\'')
			add(line, "'\\''");
		else if ((unsigned char)*c < ' ' || (unsigned char)*c > '~')
			give_up(line); /* make_printable() may change it */
		else
			add(line, "%c", *c);
	}
	add(line, "%s", quote);
}

/* "--input", "-p" */
static const char *dashes_of(const char *option)
{
	return option[1] ? "--" : "-";
}

static void add_given(struct advice_line *line, const struct given *file, const char *path)
{
	add(line, " ");
	if (file->option)
		add(line, "%s%s%c", dashes_of(file->option), file->option,
		    file->option[1] ? '=' : ' ');
	add_path(line, path);
}

static void add_output(struct advice_line *line, const struct situation *s)
{
	if (s->output)
		add(line, " -o %s", s->output);
}

/* The command line of the user without what is not about files: what is at `a` and `b` is
 * exchanged, `without` left out, and `instead` is instead of the binary, where it is not
 * NULL. */
struct advised_change {
	size_t a, b;
	const struct given *without;
	const char *binary;
};
static const struct advised_change no_change = {SIZE_MAX, SIZE_MAX, NULL, NULL};

static void write_command(const struct situation *s, struct advised_change change,
			  struct advice *out)
{
	struct advice_line line = line_in(out->command, sizeof(out->command));

	add(&line, "%s", s->run);
	for (size_t i = 0; i < s->count; i++) {
		const struct given *file = &s->files[i];
		size_t from = i == change.a ? change.b : i == change.b ? change.a : i;
		bool replaced = change.binary && file->place == PLACE_BINARY;
		if (file != change.without)
			add_given(&line, file, replaced ? change.binary : s->files[from].path);
	}
	add_output(&line, s);
}

static void use_with(struct advice_line *line, const char *before, const char *path,
		     const char *after)
{
	add(line, "%s", before);
	add_path(line, path);
	add(line, "%s", after);
}

/* ---- llvm-bolt ---- */

struct bolt_command {
	const char *program; /* that llvm-bolt reads; NULL: not known */
	const char *profile, *output;
	const struct bolt_input *input; /* what the program has; NULL: not known */
	const char *debug;     /* a file that has the symbols of a stripped program, under which the
			      profile knows it; NULL: none */
	const char *llvm_bolt; /* its path; NULL: "llvm-bolt" */
	bool before_cdsort;    /* that one is of a release without it */
};

static void add_llvm_bolt_name(struct advice_line *line, const char *path)
{
	add_path(line, path ? path : "llvm-bolt");
}

/* With the options that llvm-bolt takes for this program and that move its code: without any it
 * moves nothing. */
static void add_llvm_bolt(struct advice_line *line, const struct bolt_command *command)
{
	const struct bolt_input *input = command->input;
	const char *program = command->program ? command->program : "INPUT";

	if (command->debug) {
		use_with(line, "eu-unstrip ", program, " ");
		use_with(line, "", command->debug, " -o prog.unstripped && ");
		program = "prog.unstripped";
	}
	add_llvm_bolt_name(line, command->llvm_bolt);
	use_with(line, " ", program, "");
	use_with(line, " -data ", command->profile, " -o ");
	use_with(line, "", command->output, "");
	if (input && input->symbols == BOLT_SYMBOLS_NONE && !command->debug)
		add(line, " -allow-stripped");
	if (input && input->debug == BOLT_DEBUG_PLAIN)
		add(line, " -update-debug-sections");
	add(line, " -enable-bat -reorder-blocks=ext-tsp");
	if (input && input->kernel) /* its code is at its addresses, and has room for nothing */
		return;
	bool moves = !input || input->relocations;
	add(line, "%s%s",
	    !moves                 ? "" :
	    command->before_cdsort ? " -reorder-functions=hfsort+" :
				     " -reorder-functions=cdsort",
	    moves || input->machine != MACHINE_RISCV64 ? " -split-functions" : "");
}

/* What llvm-bolt cannot do with a program, each with its remedy. */
static void add_limits(struct advice_line *line, const struct bolt_input *input)
{
	for (int limit = 0; input && limit < BOLT_LIMIT_COUNT; limit++)
		if (bolt_input_has(input, (enum bolt_limit)limit))
			add(line, "%s; ", bolt_limit_text((enum bolt_limit)limit));
}

/* ---- a file alone ---- */

#define NO_SAMPLES_WHY                                                                             \
	"perf was killed before it wrote one, or what it recorded was idle or too short"

static const char *trace_event(uint32_t kind)
{
	switch (kind) {
	case PERF_TRACE_INTEL_PT: return "intel_pt//u";
	case PERF_TRACE_ARM_ETM: return "cs_etm//u";
	case PERF_TRACE_ARM_SPE: return "arm_spe_0/branch_filter=1/u";
	default: return "EVENT";
	}
}

static void record_again(const struct use *use, struct advice_line *line)
{
	switch (use->lack) {
	case LACKS_NOTHING: break;
	case LACKS_COUNTS:
	case LACKS_SAMPLES:
		add(line,
		    "perf record -j any,u -- PROG (without -j any,u where the machine has no branch stacks): %s",
		    use->lack == LACKS_COUNTS ? "perf stat counts events, and keeps no samples" :
						"this recording has no samples: " NO_SAMPLES_WHY);
		break;
	case LACKS_BRANCHES:
		add(line,
		    "perf record -e arm_spe_0/branch_filter=1/u -- PROG: none of the operations in this recording is a branch");
		break;
	case LACKS_OWNERS:
		add(line,
		    "perf record --per-thread -e arm_spe_0/branch_filter=1/u -- PROG, or as root with a kernel of CONFIG_PID_IN_CONTEXTIDR: "
		    "in which processes the branches of this recording ran is not known");
		break;
	case LACKS_TRACE:
		add(line,
		    "perf record -e %s -- PROG: this recording has none of the bytes of its hardware trace",
		    trace_event(use->trace_kind));
		break;
	case LACKS_PROCESSES:
		add(line,
		    "perf record --per-thread -e %s -- PROG, or as root, so that records of switches are kept: in which processes the trace of this "
		    "recording ran is not known",
		    trace_event(use->trace_kind));
		break;
	}
}

#define SAMPLES_ARE ", where SAMPLES is a recording of it"
#define INPUT_IS    ", where INPUT is the binary that llvm-bolt read"

/* path: NULL: not found */
static void add_input(struct advice_line *line, const char *path)
{
	use_with(line, " --input=", path ? path : "INPUT", "");
}

static void use_recording(const struct use *use, struct advice_line *line)
{
	if (use->lack) {
		record_again(use, line);
		return;
	}
	if (use->itrace) {
		add(line, "perf script --itrace=%s -F pid,ip,brstack --show-mmap-events -i ",
		    use->itrace);
		add_path(line, use->path);
		add(line, " >samples.txt && ");
	}
	add(line, "batconv ");
	if (use->ran)
		add_path(line, use->ran);
	else
		add(line, "BINARY");
	add(line, " ");
	add_path(line, use->itrace ? "samples.txt" : use->path);
	if (use->plain && !use->ran) {
		add(line,
		    " --input=INPUT -o prog.fdata, where BINARY is the one that ran, and INPUT the one that llvm-bolt read (if BINARY is BOLTed: "
		    "then branches are inferred)");
		return;
	}
	if (use->ran_bolted)
		add_input(line, use->input);
	add(line, " -o prog.fdata");
	if (use->ran_bolted && !use->input)
		add(line, INPUT_IS);
	else if (!use->ran && use->named)
		add(line, ", where BINARY is a copy of %s", use->named);
	else if (!use->ran)
		add(line, ", where BINARY is the one that ran");
}

/* What `record` runs. */
static void add_recorded(struct advice_line *line, const struct use *use)
{
	use_with(line, use->library ? "--bin=" : "", use->path,
		 use->library ? " PROGRAM ARGUMENT..." : " ARGUMENT...");
}

/* The command that makes prog.fdata of a binary that llvm-bolt did not write. */
static void add_first_profile(struct advice_line *line, const struct use *use)
{
	switch (use->by) {
	case SAMPLED_BEFORE: use_with(line, "batconv ", use->path, " SAMPLES -o prog.fdata"); break;
	case SAMPLED_BY_RECORD:
		add(line, "batconv record -o prog.fdata ");
		add_recorded(line, use);
		break;
	case SAMPLED_BY_OPTIMIZE: break; /* it needs no profile */
	}
}

static void use_binary(const struct use *use, struct advice_line *line)
{
	switch (use->trace) {
	case BOLT_TABLE:
		if (use->by == SAMPLED_BY_RECORD && !use->table_is_bad) {
			add(line, "batconv record -o prog.fdata --input=INPUT ");
			add_recorded(line, use);
			add(line, ", where INPUT is the binary that llvm-bolt read");
			break;
		}
		if (use->table_is_bad) {
			use_with(line, "batconv verify ", use->path, ", which shows more");
			break;
		}
		use_with(line, "batconv ", use->path, " SAMPLES");
		add_input(line, use->input);
		add(line, " -o prog.fdata%s", use->input ? SAMPLES_ARE : INPUT_IS);
		break;
	case BOLT_NONE:
		if (!bolt_input_will_do(&use->bolt))
			break;
		if (use->by == SAMPLED_BY_OPTIMIZE) {
			add(line, "batconv optimize ");
			if (use->llvm_bolt)
				use_with(line, "--llvm-bolt=", use->llvm_bolt, " ");
			use_with(line, "", use->path,
				 " -- {} ARGUMENT..., where {} is the program");
			break;
		}
		add_first_profile(line, use);
		add(line, " && ");
		add_llvm_bolt(line, &(struct bolt_command){.program = use->path,
							   .profile = "prog.fdata",
							   .output = "prog.bolt",
							   .input = &use->bolt,
							   .llvm_bolt = use->llvm_bolt,
							   .before_cdsort = use->before_cdsort});
		if (use->by == SAMPLED_BEFORE)
			add(line, SAMPLES_ARE);
		break;
	case BOLT_NO_TABLE:
	case BOLT_INSTRUMENTED:
	case BOLT_STRIPPED: add(line, "%s", bolt_trace_remedy(use->trace)); break;
	}
}

void advise_use(const struct use *use, char *text, size_t size)
{
	struct advice_line line = line_in(text, size);

	switch (use->kind) {
	case FILE_SAMPLES: use_recording(use, &line); break;
	case FILE_BINARY:
	case FILE_SIDE: use_binary(use, &line); break;
	case FILE_NOTE: use_with(&line, "batconv dump ", use->path, ""); break;
	case FILE_FDATA:
	case FILE_YAML:
		if (use->is_shard) {
			use_with(&line, "batconv merge ", use->path,
				 use->kind == FILE_YAML ? " -o prog.yaml" : " -o prog.fdata");
			break;
		}
		add_llvm_bolt(&line,
			      &(struct bolt_command){.profile = use->path, .output = "prog.bolt"});
		add(&line,
		    ", where INPUT is the binary that llvm-bolt reads, linked with -Wl,--emit-relocs (else without -reorder-functions)");
		break;
	case FILE_BCMAPS:
	case FILE_MAPS:
		use_with(&line, "batconv maps --list ", use->path, "");
		use_with(&line, "; batconv stacks --maps=", use->path, " STACKS");
		break;
	case FILE_STACKS: use_with(&line, "batconv stacks --maps=MAPS ", use->path, ""); break;
	case FILE_RESOLVED:
		add(&line,
		    "batconv BINARY SAMPLES -o prog.fdata, with the recording that the stacks are of");
		break;
	case FILE_JSON:
		if (use->json_format && !strcmp(use->json_format, "batconv-bat"))
			use_with(&line, "batconv encode ", use->path, " -o note");
		break;
	case FILE_PPROF: use_with(&line, "pprof -top ", use->path, ""); break;
	case FILE_RANGES:
		use_with(&line, "llvm-profgen --unsymbolized-profile=", use->path,
			 " --binary=INPUT -o prog.prof");
		break;
	case FILE_COMPILER:
		add(&line,
		    "-fprofile-sample-use of clang or, of counters, -fprofile-use; llvm-profdata shows it");
		break;
	case FILE_PAGE: add(&line, "open it in a browser"); break;
	case FILE_HEAT: use_with(&line, "less -R ", use->path, ""); break;
	case FILE_RINGS: use_with(&line, "batconv record --replay=", use->path, " -o DIR/"); break;
	case FILE_PERF_TEXT:
		add(&line,
		    "batconv BINARY SAMPLES -o prog.fdata, with the perf.data that perf printed it from");
		break;
	case FILE_FOREIGN: add(&line, "%s", use->foreign->instead); break;
	case FILE_LISTING:
	case FILE_UNKNOWN:
	case FILE_EMPTY:
	case FILE_SHARDS:
	case FILE_FOLDER:
	case FILE_KIND_COUNT: break;
	}
}

/* ---- a profile whose figures are known ---- */

#define SAMPLES_NAMED 4 /* more are not repeated */

static void add_samples(struct advice_line *line, const struct outcome_files *files)
{
	for (size_t i = 0; i < files->sample_count && files->sample_count <= SAMPLES_NAMED; i++)
		use_with(line, " ", files->samples[i], "");
	if (files->sample_count > SAMPLES_NAMED)
		add(line, " SAMPLES");
}

/* NAME.bolt of the binary that llvm-bolt reads, in the folder that the command runs in; .bolt2, or
 * .bolt3, of one of which a BOLTed binary runs already. */
static const char *next_binary(const char *read, const char *runs, char *out, size_t size)
{
	struct text name = text_basename(text_of(read ? read : "prog"));
	bool again = !read || strcmp(read, runs) != 0;
	const char *ends[] = {".bolt", ".bolt2", ".bolt3"};

	for (size_t i = again; i < BC_COUNT(ends); i++) {
		int length = snprintf(out, size, "%.*s%s", (int)name.len, name.at, ends[i]);
		if (length < 0 || (size_t)length >= size)
			return "prog.bolt";
		if (!text_is(text_basename(text_of(runs)), out))
			break;
	}
	return out;
}

/* The profile, unless there is one, and llvm-bolt with it. */
static void optimize(struct advice_line *line, bool bolted, const struct outcome_files *files)
{
	const char *read = bolted ? files->input : files->binary;
	char output[NAME_MAX + 1];

	if (files->bolt && !bolt_input_will_do(files->bolt))
		return;
	if (!files->profile) {
		use_with(line,
			 files->forced        ? "batconv --force-map --from-compiler=" :
			 files->from_compiler ? "batconv --from-compiler=" :
						"batconv ",
			 files->binary, "");
		add_samples(line, files);
		if (bolted && read)
			use_with(line, " --input=", read, "");
		add(line, " -o prog.fdata && ");
	}
	add_llvm_bolt(line,
		      &(struct bolt_command){
			      .program = read,
			      .profile = files->profile ? files->profile : "prog.fdata",
			      .output = next_binary(read, files->binary, output, sizeof(output)),
			      .input = files->bolt,
			      .debug = files->debug});
}

void advise_outcome(enum outcome outcome, bool few, const struct outcome_files *files,
		    struct advice *out)
{
	static const char *const sentences[] = {
		[OUTCOME_OTHER_BUILD] =
			"do not optimize with these samples: they are of another build; give the binary that ran",
		[OUTCOME_EMPTY] =
			"there is nothing to optimize with: no sample is in a function of this binary; see of which binaries the samples are",
		[OUTCOME_ADDRESSES] =
			"the profile has no branches (basic samples, no LBR): the program can become slower with it; to infer branches, give --input=INPUT, "
			"the binary that llvm-bolt read",
		[OUTCOME_WRITTEN] = "optimize the program with the profile",
		[OUTCOME_FIRST] =
			"optimize the program: it is not BOLTed, and this is a first profile of it",
		[OUTCOME_DOUBTED] =
			"build with a new profile of the compiler, or measure what llvm-bolt makes of these counts: the program can become slower",
		[OUTCOME_MISPLACED] =
			"optimize again: much of what is hot now was cold in the profile that this binary was made with",
		[OUTCOME_UNSURE] =
			"record more samples (for longer, or on several machines), and run this again: it is not certain yet that the layout of this binary "
			"fits the workload",
		[OUTCOME_FITS] =
			"nothing needs to be done: the layout of this binary fits this workload; once the program or its work has changed, this optimizes it again",
	};
	struct advice_line line = line_in(out->command, sizeof(out->command));

	out->about = files->binary;
	out->wrong_kind = false;
	bool more = few && outcome >= OUTCOME_FIRST && outcome < OUTCOME_UNSURE;
	struct advice_line sentence = line_in(out->sentence, sizeof(out->sentence));
	if (outcome >= OUTCOME_FIRST)
		add_limits(&sentence, files->bolt);
	add(&sentence, "%s%s", sentences[outcome],
	    more ? "; more samples (a longer recording, or several machines) make a better profile" :
		   "");
	switch (outcome) {
	case OUTCOME_OTHER_BUILD:
	case OUTCOME_EMPTY:
		add(&line, "batconv inspect");
		add_samples(&line, files);
		break;
	case OUTCOME_ADDRESSES:
		use_with(&line, "batconv ", files->binary, "");
		add_samples(&line, files);
		use_with(&line, " --input=INPUT -o ",
			 files->profile ? files->profile : "prog.fdata", "");
		break;
	case OUTCOME_FIRST:
	case OUTCOME_DOUBTED: optimize(&line, false, files); break;
	case OUTCOME_UNSURE: break;
	case OUTCOME_WRITTEN:
	case OUTCOME_MISPLACED:
	case OUTCOME_FITS: optimize(&line, true, files); break;
	}
}

/* ---- a file that its position does not take; of one of no known kind its reader shows more
 * ---- */

static const struct given *find_place(const struct situation *s, enum advice_place place)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->files[i].place == place)
			return &s->files[i];
	return NULL;
}

/* Two files are where the other one belongs. */
static bool advise_swap(const struct situation *s, struct advice *out)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = i + 1; k < s->count; k++) {
			const struct given *a = &s->files[i], *b = &s->files[k];
			if (!a->facts.read || !b->facts.read || takes(a->place, &a->facts) ||
			    takes(b->place, &b->facts) || !takes(a->place, &b->facts) ||
			    !takes(b->place, &a->facts))
				continue;
			struct advised_change change = no_change;
			change.a = i;
			change.b = k;
			out->about = a->path;
			snprintf(out->sentence, sizeof(out->sentence),
				 "is %s, and %.300s is %s: swap them", noun_of(&a->facts), b->path,
				 noun_of(&b->facts));
			write_command(s, change, out);
			return true;
		}
	return false;
}

/* A directory instead of samples: the recordings in it are meant. */
static bool advise_folder(const struct situation *s, const struct given *file, struct advice *out)
{
	const struct file_facts *facts = &file->facts;
	struct advice_line line = line_in(out->command, sizeof(out->command));

	if (facts->kind != FILE_FOLDER || !facts->recordings ||
	    !(places[file->place].kinds & KIND(FILE_SAMPLES)))
		return false;
	snprintf(out->sentence, sizeof(out->sentence),
		 "is a directory of recordings (%.200s%s), not a recording", facts->recording,
		 facts->recordings > 1 ? ", ..." : "");
	const struct given *binary = find_place(s, PLACE_BINARY);
	bool goes_on =
		binary && takes(PLACE_BINARY, &binary->facts) && s->count == 2 && !file->option;
	add(&line, "%s", goes_on ? s->run : "batconv inspect");
	if (goes_on)
		use_with(&line, " ", binary->path, "");
	use_with(&line, " ", file->path, "");
	if (facts->others) {
		add(&line, "/");
		add_path(&line, facts->recording);
	} else {
		add(&line, "/*");
	}
	if (goes_on)
		add_output(&line, s);
	return true;
}

static const struct given *find_recording(const struct situation *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->files[i].facts.read && s->files[i].facts.kind == FILE_SAMPLES)
			return &s->files[i];
	return NULL;
}

/* What can be done with the file instead. */
static void use_instead(const struct situation *s, const struct given *file, struct advice *out)
{
	struct advice_line line = line_in(out->command, sizeof(out->command));
	const struct given *binary = find_place(s, PLACE_BINARY);
	const struct given *recording = find_recording(s);
	bool has_program = binary && binary != file && binary->facts.opened &&
			   binary->facts.trace == BOLT_NONE &&
			   bolt_input_will_do(&binary->facts.bolt);

	if (file->place == PLACE_JSON && file->facts.opened && file->facts.trace != BOLT_NONE) {
		use_with(&line, "batconv dump --json ", file->path, " -o table.json");
		return;
	}
	switch (file->facts.kind) {
	case FILE_FDATA:
	case FILE_YAML:
		if (has_program) {
			char output[NAME_MAX + 1];
			add_llvm_bolt(&line,
				      &(struct bolt_command){
					      .program = binary->path,
					      .profile = file->path,
					      .output = next_binary(binary->path, binary->path,
								    output, sizeof(output)),
					      .input = &binary->facts.bolt});
			return;
		}
		use_with(&line, "batconv quality ", file->path, "");
		return;
	case FILE_RANGES:
		if (has_program) {
			use_with(&line, "llvm-profgen --unsymbolized-profile=", file->path,
				 " --binary=");
			use_with(&line, "", binary->path, " -o prog.prof");
			return;
		}
		break;
	case FILE_STACKS:
		if (recording) {
			use_with(&line, "batconv stacks --maps=", recording->path, " ");
			use_with(&line, "", file->path, "");
			return;
		}
		break;
	case FILE_NOTE: use_with(&line, "batconv dump ", file->path, ""); return;
	case FILE_BCMAPS:
	case FILE_MAPS: use_with(&line, "batconv maps --list ", file->path, ""); return;
	case FILE_UNKNOWN:
	case FILE_EMPTY:
	case FILE_FOLDER: return;
	case FILE_SHARDS:
		use_with(&line, "batconv inspect ", file->path, "/");
		add_path(&line, file->facts.shard);
		return;
	default: break;
	}
	use_with(&line, "batconv inspect ", file->path, "");
}

/* A binary alone, where quality takes one with samples, or a profile. */
static bool lacks_samples(const struct situation *s, const struct given *file)
{
	return file->place == PLACE_PROFILE && file->facts.opened && s->count == 1 && !file->option;
}

static bool advise_kind(const struct situation *s, const struct given *file, struct advice *out)
{
	out->about = file->path;
	if (advise_folder(s, file, out))
		return true;
	if (lacks_samples(s, file)) {
		snprintf(out->sentence, sizeof(out->sentence),
			 "is %s, and no samples follow it: give both, or a profile",
			 noun_of(&file->facts));
		return true;
	}
	if (file->option)
		snprintf(out->sentence, sizeof(out->sentence), "is %s, and %s%s takes %s",
			 noun_of(&file->facts), dashes_of(file->option), file->option,
			 places[file->place].noun);
	else
		snprintf(out->sentence, sizeof(out->sentence), "is %s, not %s",
			 noun_of(&file->facts), places[file->place].noun);
	use_instead(s, file, out);
	return true;
}

/* ---- files that do not fit each other ---- */

static bool advise_input(const struct situation *s, struct advice *out)
{
	const struct given *input = find_place(s, PLACE_INPUT),
			   *binary = find_place(s, PLACE_BINARY);
	struct advised_change change = no_change;

	binary = binary ? binary : find_place(s, PLACE_TABLE);
	if (!input || !binary || !input->facts.opened || !binary->facts.opened)
		return false;
	if (binary->facts.trace == BOLT_NONE && input->facts.trace != BOLT_NONE) {
		out->about = input->path;
		snprintf(out->sentence, sizeof(out->sentence),
			 "llvm-bolt wrote it, and did not write %.300s: swap them", binary->path);
		change.a = (size_t)(input - s->files);
		change.b = (size_t)(binary - s->files);
	} else if (binary->facts.trace == BOLT_NONE && binary->place == PLACE_BINARY) {
		out->about = binary->path;
		snprintf(out->sentence, sizeof(out->sentence),
			 "is not BOLTed, so it has no input binary: leave out %s%s",
			 dashes_of(input->option), input->option);
		change.without = input;
	} else if (binary->facts.trace != BOLT_NONE && input->facts.trace != BOLT_NONE) {
		out->about = input->path;
		snprintf(out->sentence, sizeof(out->sentence),
			 "llvm-bolt wrote it, and %s%s takes what llvm-bolt read to write %.300s",
			 dashes_of(input->option), input->option, binary->path);
		change.without = input;
	} else {
		return false;
	}
	write_command(s, change, out);
	return true;
}

static const char *uname_of(enum machine machine)
{
	static const char *const names[] = {[MACHINE_X86_64] = "x86_64",
					    [MACHINE_AARCH64] = "aarch64",
					    [MACHINE_RISCV64] = "riscv64"};

	return names[machine];
}

static bool advise_machine(const struct situation *s, const struct given *binary,
			   struct advice *out)
{
	const char *arch = s->ran.arch;

	if (!arch || !*arch || !binary->facts.opened ||
	    !strcmp(arch, uname_of(binary->facts.machine)))
		return false;
	out->about = binary->path;
	snprintf(
		out->sentence, sizeof(out->sentence),
		"is a program of %s, and the samples were recorded on %.60s: they are of another program",
		uname_of(binary->facts.machine), arch);
	const struct given *samples = find_place(s, PLACE_SAMPLES);
	struct advice_line line = line_in(out->command, sizeof(out->command));
	if (samples)
		use_with(&line, "batconv inspect ", samples->path, "");
	return true;
}

/* The samples are of what llvm-bolt read or wrote, and the other one of both was given. */
static bool advise_ran(const struct situation *s, const struct given *binary, struct advice *out)
{
	const char *ran = s->ran.path;
	struct advised_change change = no_change;
	struct file_facts facts;

	if (!ran || !binary->facts.opened)
		return false;
	bool bolted = binary->facts.trace != BOLT_NONE;
	out->about = binary->path;
	snprintf(out->sentence, sizeof(out->sentence),
		 "the samples are of %.300s, which llvm-bolt %s this binary (by the build-ids): "
		 "give that file, not this one",
		 ran, bolted ? "read to write" : "made from");
	file_facts_look(ran, &facts);
	*out->command = '\0';
	if (!facts.opened || !(build_id_is_marked(&facts.id, &binary->facts.id) ||
			       build_id_is_marked(&binary->facts.id, &facts.id)))
		return true; /* it is not on this machine */
	change.binary = ran;
	change.without = bolted ? find_place(s, PLACE_INPUT) : NULL;
	write_command(s, change, out);
	return true;
}

static bool advise_no_samples(const struct situation *s, struct advice *out)
{
	if (!s->ran.counters && !s->ran.no_samples)
		return false;
	out->about = s->ran.counters ? s->ran.counters : s->ran.no_samples;
	snprintf(
		out->sentence, sizeof(out->sentence), "%s",
		s->ran.counters ?
			"was written by perf stat, which counts events and keeps no samples: perf record does" :
			"has no samples: " NO_SAMPLES_WHY "; record again");
	return true;
}

bool advise(const struct situation *s, struct advice *out)
{
	*out = (struct advice){.wrong_kind = true};
	if (advise_swap(s, out))
		return true;
	for (size_t i = 0; i < s->count; i++)
		if (!takes(s->files[i].place, &s->files[i].facts) &&
		    s->files[i].facts.kind != FILE_UNKNOWN)
			return advise_kind(s, &s->files[i], out);
	out->wrong_kind = false;
	if (advise_input(s, out))
		return true;
	if (advise_no_samples(s, out))
		return true;
	const struct given *binary = find_place(s, PLACE_BINARY);
	return binary && (advise_machine(s, binary, out) || advise_ran(s, binary, out));
}
