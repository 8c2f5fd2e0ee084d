/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/operands.h"

#include <string.h>
#include <sys/stat.h>

#include "src/cli/options.h"
#include "src/base/say.h"
#include "src/samples/reader.h"

/* ---- which file has which position ---- */

/* More files are not looked at, and no command is reported that would have to name them. */
#define REMEMBERED 64

static struct {
	const struct command *command;
	struct given files[REMEMBERED];
	size_t count;
} remembered;

static void remember(enum advice_place place, const char *option, const char *path)
{
	if (remembered.count < REMEMBERED)
		remembered.files[remembered.count] =
			(struct given){.place = place, .option = option, .path = path};
	remembered.count += remembered.count <= REMEMBERED;
}

static void remember_operands(const struct command_line *line, bool several_binaries)
{
	const enum advice_place *places = line->command->places;
	const struct words *operands = &line->operands;
	enum advice_place place = places[several_binaries];

	if (place == PLACE_BINARY && operands->len == 1) /* a profile alone: quality */
		place = PLACE_PROFILE;
	for (size_t i = 0; i < operands->len; i++, place = places[1])
		remember(place, NULL, operands->at[i]);
}

/* Options after the operands, as messages have them. */
static void remember_options(const struct command_line *line, bool several_binaries)
{
	for (size_t i = 0; i < line->options.len; i++) {
		const struct given_option *given = &line->options.at[i];
		enum advice_place place = given->row->place;
		bool of_several =
			several_binaries && (place == PLACE_INPUT || place == PLACE_BINARY);
		if (place != PLACE_ANY && given->value && !of_several)
			remember(place, given->row->name, given->value);
	}
}

/* True: options name the binaries, so that no operand does. */
static bool has_several_binaries(const struct command_line *line)
{
	bool several = false;

	for (size_t i = 0; i < line->options.len; i++)
		several |= line->options.at[i].row->place == PLACE_BINARY;
	return several && line->command->places[0] == PLACE_BINARY;
}

void operands_remember(const struct command_line *line)
{
	bool several_binaries = has_several_binaries(line);

	remembered.command = line->command;
	remembered.count = 0;
	if (line->command->operand) /* merge: each has its own message */
		return;
	if (line->command->operands != STDIN_READ)
		remember_operands(line, several_binaries);
	remember_options(line, several_binaries);
}

void operands_profile_first(struct command_line *line)
{
	struct words *operands = &line->operands;
	size_t others = 0, last = 0;

	for (size_t i = 0; i < operands->len; i++) {
		struct file_facts facts;
		file_facts_look(operands->at[i], &facts);
		if (facts.kind == FILE_BINARY || facts.kind == FILE_SIDE || facts.kind == FILE_NOTE)
			continue;
		others++;
		last = i;
	}
	if (others != 1 || !last)
		return;
	const char *profile = operands->at[last];
	for (size_t i = last; i > 0; i--)
		operands->at[i] = operands->at[i - 1];
	operands->at[0] = profile;
	operands_remember(line);
}

void operands_remember_conversion(const struct command *command,
				  const struct conversion_options *options)
{
	remembered.command = command;
	remembered.count = 0;
	for (size_t i = 0; i < options->sample_count; i++)
		remember(PLACE_SAMPLES, "p", options->samples[i]);
	if (options->binary)
		remember(PLACE_BINARY, NULL, options->binary);
}

/* ---- what the advice says ---- */

static struct ran ran_of(const struct conversion *conversion, const struct situation *s)
{
	struct ran ran = {0};
	size_t input = 0, without = 0;

	if (!conversion)
		return ran;
	ran.path = conversion->aggregate.space.report.bolted;
	for (size_t i = 0; i < s->count; i++) {
		if (s->files[i].place != PLACE_SAMPLES || input >= conversion->inputs.len)
			continue;
		const struct reader_report *report = &conversion->inputs.at[input++];
		if (*report->perf.info.arch)
			ran.arch = report->perf.info.arch;
		if (perf_data_is_of_counters(&report->perf))
			ran.counters = s->files[i].path;
		without += report->format == INPUT_PERF_DATA &&
			   perf_data_has_no_samples(&report->perf);
		ran.no_samples = without == input ? s->files[i].path : NULL;
	}
	return ran;
}

/* Samples of another program are no error of the conversion by themselves: only none at all is. */
static bool can_be_explained(const struct bc_error *err, const struct advice *advice,
			     const struct situation *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (err->code == BC_IO && advice->about == s->files[i].path &&
		    (s->files[i].facts.kind == FILE_FOLDER ||
		     s->files[i].facts.kind == FILE_SHARDS))
			return true;
	return err->code != BC_IO;
}

/* A descriptor of this program has no name for another one. */
static bool has_descriptor(const struct situation *s)
{
	bool has = false;

	for (size_t i = 0; i < s->count; i++)
		has |= text_starts(text_of(s->files[i].path), "/proc/self/fd/");
	return has;
}

void operands_explain(const struct conversion *conversion, struct bc_error *err)
{
	const struct command *command = remembered.command;
	const bool named = command && command != &convert_command; /* which needs no name */
	char run[64];
	struct situation s = {.run = run,
			      .output = command ? command->advised_output : NULL,
			      .files = remembered.files,
			      .count = remembered.count};
	struct advice advice;

	if (err->code == BC_NOMEM || err->code == BC_EXISTS || s.count > REMEMBERED)
		return;
	snprintf(run, sizeof(run), "%s%s%s", named && command->llvm ? "" : "batconv",
		 named && !command->llvm ? " " : "", named ? command->name : "");
	for (size_t i = 0; i < s.count; i++)
		file_facts_look(remembered.files[i].path, &remembered.files[i].facts);
	if (err->code == BC_MISMATCH)
		s.ran = ran_of(conversion, &s);
	if (!advise(&s, &advice) || !can_be_explained(err, &advice, &s))
		return;
	if (has_descriptor(&s))
		*advice.command = '\0';
	bc_fail(err, advice.wrong_kind && err->code == BC_MISMATCH ? BC_FORMAT : err->code,
		"%s: %s", advice.about, advice.sentence);
	if (*advice.command)
		bc_hint(err, "run: %s", advice.command);
}

int fail(const struct bc_error *why)
{
	struct bc_error explained = *why, *err = &explained;

	operands_explain(NULL, err);
	say_failure(stderr, err);
	return err->code == BC_MISMATCH ? EXIT_CHECK_FAILED : EXIT_FAILED;
}

/* ---- samples that cannot be read ---- */

static bool ignore(void *ctx, const struct event *event, struct bc_error *err)
{
	(void)ctx;
	(void)event;
	(void)err;
	return true;
}

static bool can_be_read_again(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 &&
	       (stat(path, &st) != 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)));
}

void operands_tell_bad(const struct conversion_options *options, size_t first, FILE *out)
{
	const struct event_sink sink = {NULL, ignore};

	for (size_t i = first; i < options->sample_count; i++) {
		const char *path = options->samples[i];
		struct reader_options how = conversion_reader_options(options, i, NULL);
		struct reader_report report = {0};
		struct bc_error err = {0};
		if (!can_be_read_again(path))
			continue;
		if (!input_run(path, &how, options->progress, &sink, &report, &err) &&
		    err.code != BC_NOMEM)
			say_note(out, "%s", err.text);
	}
}
