/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/build_check.h"

/* ---- basic samples ---- */

/* A function without a table is read from its start: do not read on for ever. */
#define MOST_BYTES 65536

/* Where an instruction is known to begin, at or before the location. */
static uint32_t known_beginning(const struct binary *binary, struct output_place place)
{
	const struct bat_entry *entry = NULL;

	if (place.fragment)
		entry = bat_entry_at(&binary->bat, place.fragment, place.offset);
	return entry ? entry->output : 0;
}

/* Continue from the last address, if from the same beginning. */
static uint32_t begin(struct address_walk *walk, struct output_place place, uint32_t from)
{
	if (walk->function != place.function || walk->from != from || walk->at > place.offset)
		*walk = (struct address_walk){place.function, from, from};
	return walk->at;
}

enum address_verdict address_check(const struct binary *binary, struct output_place place,
				   struct address_walk *walk)
{
	uint32_t from = known_beginning(binary, place);
	struct bytes code = image_bytes_at(&binary->image, (struct vaddr){place.function->address});

	if (place.function->kind == FUNCTION_PLT || place.offset - from > MOST_BYTES)
		return ADDRESS_UNSURE;
	uint32_t at = begin(walk, place, from);
	while (at < place.offset) {
		size_t length = insn_decode(binary->image.machine, bytes_from(code, at), 0).size;
		if (!length)
			return ADDRESS_UNSURE;
		walk->at = at;
		at += (uint32_t)length;
	}
	return at == place.offset ? ADDRESS_BEGINS : ADDRESS_INSIDE;
}

struct insn build_check_insn(const struct image *image, struct vaddr at)
{
	return insn_branch(image->machine, image_bytes_at(image, at), at.v);
}

static bool in_code(const struct image *image, struct vaddr at)
{
	const struct segment *s = image_segment_at(image, at);

	return s && s->executable && at.v - s->vaddr < s->filesz;
}

/* A branch that was aggregated with an unknown target agrees. */
static bool target_agrees(struct insn insn, struct trace_end target)
{
	return !insn_is_direct(insn) || trace_end_is(target, TRACE_END_EXTERNAL) ||
	       insn.target == trace_end_vaddr(target).v;
}

/* Arm SPE samples conditional branches that were not taken, too. */
static bool goes_on(const struct image *image, const struct trace *trace, struct insn insn)
{
	return image->machine == MACHINE_AARCH64 && insn.kind == INSN_CONDITIONAL &&
	       trace_end_vaddr(trace->from).v == trace_end_vaddr(trace->branch).v + 4;
}

static void check_branch(const struct image *image, const struct trace *trace, struct insn insn,
			 uint64_t count, struct build_check *check)
{
	if (!trace_end_is(trace->branch, TRACE_END_VADDR) ||
	    !in_code(image, trace_end_vaddr(trace->branch)))
		return;
	check->checked += count;
	if (!insn_is_branch(insn))
		check->not_branch += count;
	else if (!target_agrees(insn, trace->from) && !goes_on(image, trace, insn))
		check->bad_target += count;
}

/* A fall-through ends at the next taken branch.  Checked where no branch is
 * known only: in a stack every end is another entry's source. */
static void check_end(const struct image *image, const struct trace *trace, uint64_t count,
		      struct build_check *check)
{
	if (trace_has_branch(trace) || !in_code(image, trace_end_vaddr(trace->to)))
		return;
	check->checked += count;
	if (!insn_is_branch(build_check_insn(image, trace_end_vaddr(trace->to))))
		check->bad_end += count;
}

void build_check_trace(const struct image *image, const struct trace *trace, struct insn branch,
		       uint64_t count, struct build_check *check)
{
	check_branch(image, trace, branch, count, check);
	check_end(image, trace, count, check);
}

struct build_check build_check_all(const struct image *image, const struct counts *traces)
{
	struct build_check check = {0};

	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = &traces->shards[shard];
		for (size_t i = 0; i < table->capacity; i++) {
			struct trace trace = trace_of(table->rows[i].key);
			if (table->rows[i].count)
				build_check_trace(
					image, &trace,
					build_check_insn(image, trace_end_vaddr(trace.branch)),
					table->rows[i].count, &check);
		}
	}
	return check;
}

void build_check_add(struct build_check *to, const struct build_check *from)
{
	to->checked += from->checked;
	to->not_branch += from->not_branch;
	to->bad_target += from->bad_target;
	to->bad_end += from->bad_end;
	to->inside += from->inside;
	to->outcomes += from->outcomes;
	to->mismatched += from->mismatched;
}

static struct disagreement of_samples(const struct build_check *check)
{
	return (struct disagreement){check->checked, check->not_branch + check->bad_target +
							     check->bad_end + check->inside};
}

static struct disagreement of_answers(const struct build_check *check)
{
	return (struct disagreement){check->outcomes, check->mismatched};
}

static bool answers_are_worse(const struct build_check *check)
{
	return disagreement_percent(of_answers(check)) > disagreement_percent(of_samples(check));
}

struct disagreement build_check_worst(const struct build_check *check)
{
	return answers_are_worse(check) ? of_answers(check) : of_samples(check);
}

double build_check_rate(const struct build_check *check)
{
	return disagreement_percent(build_check_worst(check));
}

const char *build_check_words(const struct build_check *check, bool basic)
{
	if (answers_are_worse(check))
		return "branch outcomes";
	return basic ? "addresses" : "branches";
}
