/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/walk_summary.h"

#include <inttypes.h>

#include "src/base/share.h"

/* Less than this share of a trace is not worth a warning. */
#define LITTLE_PERCENT 1.0

#define FILES_NAMED 3

static uint64_t lost_answers(const struct flow_walk_report *walked)
{
	return walked->answers - walked->sums.walked;
}

/* ---- text ---- */

void walk_print(const struct flow_walk_report *walked, bool all, FILE *out)
{
	if (!walked->answers && !all)
		return;
	say(out, "traces of the processor: %" PRIu64 " answers, %" PRIu64 " followed through the code, %" PRIu64 " lost (%.1f %%)", walked->answers,
	    walked->sums.walked, lost_answers(walked), percent_of(lost_answers(walked), walked->answers));
	for (size_t i = 0; i < LOSS_COUNT; i++)
		if (all || walked->sums.lost[i])
			say(out, "  %12" PRIu64 " (%4.1f %%) %s", walked->sums.lost[i], percent_of(walked->sums.lost[i], walked->answers),
			    walk_loss_words((enum walk_loss)i));
	for (size_t i = 0; all && i < walked->files.len; i++)
		say(out, "  %12" PRIu64 " (%4.1f %%) %s: %s", walked->files.at[i].answers, percent_of(walked->files.at[i].answers, walked->answers),
		    walk_loss_words(walked->files.at[i].loss), walked->files.at[i].path);
	if (walked->sums.contradictions || walked->sums.circles || walked->sums.gaps || all)
		say(out, "  the way was lost %" PRIu64 " time%s as trace and code did not agree, %" PRIu64 " time%s in circles of code, %" PRIu64
		    " time%s in gaps of the trace", walked->sums.contradictions, plural(walked->sums.contradictions), walked->sums.circles,
		    plural(walked->sums.circles), walked->sums.gaps, plural(walked->sums.gaps));
}

/* ---- warnings ---- */

static size_t advance(size_t size, size_t len, int more)
{
	return more < 0 || len + (size_t)more >= size ? size - 1 : len + (size_t)more;
}

/* "libc.so.6 (build-id ...), ld.so and 3 more" */
static void name_files(const struct flow_walk_report *walked, enum walk_loss loss, char *line, size_t size)
{
	size_t named = 0, more = 0, len = 0;

	*line = '\0';
	for (size_t i = 0; i < walked->files.len; i++) {
		const struct lost_file *file = &walked->files.at[i];
		char id[2 * BUILD_ID_MAX + 1];
		if (file->loss != loss)
			continue;
		if (named == FILES_NAMED) {
			more++;
			continue;
		}
		build_id_format(&file->id, id);
		len = advance(size, len, snprintf(line + len, size - len, "%s%s%s%s%s", named ? ", " : ": ", file->path, *id ? " (build-id " : "", id, *id ? ")" : ""));
		named++;
	}
	if (more)
		advance(size, len, snprintf(line + len, size - len, " and %zu more", more));
}

void warn_of_walk(const struct flow_walk_report *walked, const struct warnings *to)
{
	char files[600];

	for (size_t i = 0; i < LOSS_COUNT; i++) {
		double share = percent_of(walked->sums.lost[i], walked->answers);
		if (!walked->sums.lost[i] || share < LITTLE_PERCENT)
			continue;
		name_files(walked, (enum walk_loss)i, files, sizeof(files));
		warn(to, "warning: %.1f %% of the trace ran %s%s%s", share, walk_loss_words((enum walk_loss)i), files, walk_loss_remedy((enum walk_loss)i));
	}
}

/* ---- JSON ---- */

static void write_lost(struct json *json, const struct figure_row *row, const void *of)
{
	const struct flow_walk_report *walked = of;

	json_open(json, row->key, '{');
	for (size_t i = 0; i < LOSS_COUNT; i++)
		json_number(json, walk_loss_key((enum walk_loss)i), walked->sums.lost[i]);
	json_close(json, '}');
}

static void write_files(struct json *json, const struct figure_row *row, const void *of)
{
	const struct flow_walk_report *walked = of;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < walked->files.len; i++) {
		const struct lost_file *file = &walked->files.at[i];
		char id[2 * BUILD_ID_MAX + 1];
		build_id_format(&file->id, id);
		json_open(json, NULL, '{');
		json_string(json, "path", file->path);
		json_string(json, "build_id", id);
		json_string(json, "reason", walk_loss_key(file->loss));
		json_number(json, "answers", file->answers);
		json_close(json, '}');
	}
	json_close(json, ']');
}

FIGURE_READER(more_files, struct flow_walk_report, figure_number(it->more_files))

const struct figure_row walk_rows[] = {
	FIGURE(struct flow_walk_report, , answers),
	{"walked", NULL, VALUE(struct flow_walk_report, sums.walked)},
	{"lost", .write = write_lost},
	FIGURES(struct flow_walk_report, , branches, rows),
	FIGURES(struct flow_walk_report, sums., contradictions, circles, gaps),
	{"files", .write = write_files},
	{"more_files", .read = more_files},
	{0},
};
