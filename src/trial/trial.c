/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/trial/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "src/base/sort.h"

/* An interval is looked at in each of the first rounds, and then as often as it can have changed by
 * as much. */
#define LOOK_AT_EACH 64
#define ROUNDS_MOST  4096

#define BY_SIZE(a, b) (*(a) < *(b))
DEFINE_SORT(seconds_sort, double, BY_SIZE);

static size_t below(size_t most)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random))
		random = (uint64_t)rand();
	return (size_t)(random % most);
}

static void shuffle(size_t *order, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = below(i), item = order[other];
		order[other] = order[i - 1];
		order[i - 1] = item;
	}
}

/* One run of a contender, whose errors name it. */
static bool run_one(const struct workload *workload, struct contender *of, struct workload_run *run,
		    struct bc_error *err)
{
	return workload_run(workload, of->path, run, err) || bc_fail_prefix(err, of->path);
}

static bool is_same_output(const struct workload_run *a, const struct workload_run *b)
{
	return a->code == b->code && a->written == b->written &&
	       !memcmp(a->digest, b->digest, sizeof(a->digest));
}

/* The first run of each: what it prints. */
static bool look_at_outputs(const struct workload *workload, const struct trial_options *options,
			    struct contest *trial, bool *differ, struct bc_error *err)
{
	struct contender *first = &trial->at[0];

	*differ = false;
	for (size_t i = 0; i < trial->count; i++)
		if (!run_one(workload, &trial->at[i], &trial->at[i].first, err))
			return false;
	if (options->ignore_output)
		return true;
	if (first->first.code)
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: the workload fails with exit code %d%s%s: nothing is compared",
			       first->path, first->first.code, *first->first.said ? ": " : "",
			       first->first.said);
	for (size_t i = 1; i < trial->count; i++) {
		trial->at[i].differs = !is_same_output(&first->first, &trial->at[i].first);
		*differ |= trial->at[i].differs;
	}
	return true;
}

/* Another run of the first one shows whether its output is the same each time. */
static bool look_whether_steady(const struct workload *workload, struct contest *trial,
				struct bc_error *err)
{
	struct workload_run again;

	if (!run_one(workload, &trial->at[0], &again, err))
		return false;
	trial->at[0].unsteady = !is_same_output(&trial->at[0].first, &again);
	return true;
}

/* What was counted in a run of a round.  An event that one run lacks is left out. */
static bool keep_events(struct contest *trial, struct contender *of, const struct workload_run *run)
{
	bool ok = true;

	for (unsigned i = 0; ok && i < COUNTED_EVENT_COUNT; i++) {
		trial->has_event[i] = run->events.has[i] && trial->has_event[i];
		ok = real_vec_push(&of->events[i].counts, (double)run->events.of[i]);
	}
	return ok;
}

/* One more of each count, as there may be none. */
static bool add_event_ratios(const struct contender *first, struct contender *of, size_t round)
{
	bool ok = true;

	for (unsigned i = 0; ok && i < COUNTED_EVENT_COUNT; i++)
		ok = ratio_add(&of->events[i].ratio, first->events[i].counts.at[round] + 1,
			       of->events[i].counts.at[round] + 1);
	return ok;
}

static bool run_round(const struct workload *workload, struct contest *trial, size_t *order,
		      bool counts, bool ignore_output, struct bc_error *err)
{
	struct contender *first = &trial->at[0];
	struct workload_run run;
	bool ok = true;

	shuffle(order, trial->count);
	for (size_t i = 0; i < trial->count; i++) {
		struct contender *of = &trial->at[order[i]];
		if (!run_one(workload, of, &run, err))
			return false;
		if (!ignore_output && run.code != of->first.code)
			return bc_fail(
				err, BC_UNSUPPORTED,
				"%s: a run ended with exit code %d, the first one with %d%s%s",
				of->path, run.code, of->first.code, *run.said ? ": " : "",
				run.said);
		if (counts &&
		    (!real_vec_push(&of->cpu_seconds, run.cpu) ||
		     !real_vec_push(&of->wall_seconds, run.wall) || !keep_events(trial, of, &run)))
			return bc_fail_nomem(err);
	}
	for (size_t i = 1; counts && ok && i < trial->count; i++) {
		struct contender *of = &trial->at[i];
		size_t last = trial->rounds;
		ok = ratio_add(&of->cpu_ratio, first->cpu_seconds.at[last],
			       of->cpu_seconds.at[last]) &&
		     ratio_add(&of->wall_ratio, first->wall_seconds.at[last],
			       of->wall_seconds.at[last]) &&
		     add_event_ratios(first, of, last);
	}
	if (counts)
		trial->rounds++;
	return ok || bc_fail_nomem(err);
}

static enum trial_verdict verdict_of(const struct ratio_estimate *is, double margin)
{
	return is->high < 1                                          ? TRIAL_FASTER :
	       is->low > 1                                           ? TRIAL_SLOWER :
	       is->high <= 1 + margin && is->low >= 1 / (1 + margin) ? TRIAL_SAME :
								       TRIAL_UNDECIDED;
}

/* Is the interval narrow enough, too: as wide as the margin, or as half of what it shows? */
static bool is_narrow(const struct ratio_estimate *is, double margin)
{
	double half = (log(is->high) - log(is->low)) / 2, shown = fabs(log(is->ratio)) / 4;

	return half <= log1p(margin) || half <= shown;
}

/* The last round can be looked at twice. */
static bool keep_look(struct contender *of, size_t rounds)
{
	struct trial_look_vec *looks = &of->looks;

	return (looks->len && looks->at[looks->len - 1].rounds == rounds) ||
	       trial_look_vec_push(looks, (struct trial_look){rounds, of->cpu_is});
}

/* Works out all estimates.  *decided: no further round is needed. */
static bool judge(struct contest *trial, bool *decided, struct bc_error *err)
{
	*decided = true;
	for (size_t i = 1; i < trial->count; i++) {
		struct contender *of = &trial->at[i];
		if (!ratio_estimate(&of->cpu_ratio, &of->cpu_is) || !keep_look(of, trial->rounds))
			return bc_fail_nomem(err);
		of->verdict = verdict_of(&of->cpu_is, trial->margin);
		of->rounds_for_margin = ratio_rounds_for(trial->rounds, &of->cpu_is, trial->margin);
		*decided = *decided && of->verdict != TRIAL_UNDECIDED &&
			   (of->verdict == TRIAL_SAME || is_narrow(&of->cpu_is, trial->margin));
	}
	return true;
}

static double median(const struct real_vec *of)
{
	double *sorted = calloc(of->len + 1, sizeof(*sorted)), out = NAN;

	if (sorted && of->len) {
		memcpy(sorted, of->at, of->len * sizeof(*sorted));
		seconds_sort(sorted, of->len);
		out = (sorted[(of->len - 1) / 2] + sorted[of->len / 2]) / 2;
	}
	free(sorted);
	return out;
}

/* What is worked out once, at the end. */
static bool finish(struct contest *trial, struct bc_error *err)
{
	for (size_t i = 0; i < trial->count; i++) {
		struct contender *of = &trial->at[i];
		of->cpu = median(&of->cpu_seconds);
		of->wall = median(&of->wall_seconds);
		if (i && !ratio_estimate(&of->wall_ratio, &of->wall_is))
			return bc_fail_nomem(err);
		for (unsigned k = 0; k < COUNTED_EVENT_COUNT; k++) {
			struct contender_event *event = &of->events[k];
			event->count = median(&event->counts);
			if (i && trial->has_event[k] && !ratio_estimate(&event->ratio, &event->is))
				return bc_fail_nomem(err);
		}
	}
	return true;
}

static bool run_rounds(const struct workload *workload, const struct trial_options *options,
		       struct contest *trial, size_t *order, struct bc_error *err)
{
	size_t most = options->rounds ? options->rounds : ROUNDS_MOST;
	double begun = seconds_now();
	bool decided = false;

	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++)
		trial->has_event[i] = true;
	for (size_t i = 0; i < options->warm_up; i++)
		if (!run_round(workload, trial, order, false, options->ignore_output, err))
			return false;
	while (!decided && trial->rounds < most &&
	       (!trial->rounds || seconds_now() - begun < options->budget)) {
		if (!run_round(workload, trial, order, true, options->ignore_output, err))
			return false;
		if (options->each_round)
			options->each_round(options->ctx, trial->rounds);
		if ((trial->rounds <= LOOK_AT_EACH ||
		     trial->rounds % (trial->rounds / LOOK_AT_EACH + 1) == 0) &&
		    !judge(trial, &decided, err))
			return false;
	}
	trial->seconds = seconds_now() - begun;
	return judge(trial, &decided, err) && finish(trial, err);
}

static bool count_all(const struct workload *workload, struct contest *trial, struct bc_error *err)
{
	const struct counted_runs *first = &trial->at[0].counted;

	for (size_t i = 0; i < trial->count; i++) {
		struct contender *of = &trial->at[i];
		if (!counted_runs(workload, of->path, &of->counted, err))
			return bc_fail_prefix(err, of->path);
		if (of->counted.median.code != first->median.code)
			return bc_fail(err, BC_UNSUPPORTED,
				       "%s: under valgrind it ends with exit code %d, %s with %d",
				       of->path, of->counted.median.code, trial->at[0].path,
				       first->median.code);
	}
	trial->counted_runs = counted_runs_of(workload);
	return true;
}

bool trial_run(const struct workload *workload, const char *const *paths, size_t count,
	       const struct trial_options *options, struct contest *out, struct bc_error *err)
{
	bool differ = false;

	*out = (struct contest){
		.at = calloc(count, sizeof(*out->at)), .count = count, .margin = options->margin};
	size_t *order = calloc(count, sizeof(*order));
	if (!out->at || !order) {
		free(order);
		return bc_fail_nomem(err);
	}
	for (size_t i = 0; i < count; i++) {
		out->at[i].path = paths[i];
		order[i] = i;
	}
	bool ok = look_at_outputs(workload, options, out, &differ, err);
	if (ok && differ)
		ok = look_whether_steady(workload, out, err);
	else if (ok)
		ok = (options->untimed || run_rounds(workload, options, out, order, err)) &&
		     (!options->counted || count_all(options->counted, out, err));
	free(order);
	return ok;
}

void trial_free(struct contest *trial)
{
	for (size_t i = 0; trial->at && i < trial->count; i++) {
		real_vec_free(&trial->at[i].cpu_seconds);
		real_vec_free(&trial->at[i].wall_seconds);
		ratio_free(&trial->at[i].cpu_ratio);
		ratio_free(&trial->at[i].wall_ratio);
		trial_look_vec_free(&trial->at[i].looks);
		for (unsigned k = 0; k < COUNTED_EVENT_COUNT; k++) {
			real_vec_free(&trial->at[i].events[k].counts);
			ratio_free(&trial->at[i].events[k].ratio);
		}
	}
	free(trial->at);
	*trial = (struct contest){0};
}
