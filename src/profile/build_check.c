/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/build_check.h"

#include "src/elf/branch.h"
#include "src/input/sample.h"

static struct branch_insn branch_at(const struct image *image, uint64_t at)
{
	struct vaddr address = {at};

	return branch_decode(image->machine, image_bytes_at(image, address), address);
}

static bool in_code(const struct image *image, uint64_t at)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *s = &image->segments[i];
		if (s->executable && at - s->vaddr < s->filesz)
			return true;
	}
	return false;
}

/* A branch that was aggregated with an unknown target (0) agrees. */
static bool target_agrees(struct branch_insn insn, uint64_t target)
{
	bool direct = insn.kind == BRANCH_DIRECT || insn.kind == BRANCH_CONDITIONAL;

	return !direct || target == TRACE_EXTERNAL || insn.target.v == target;
}

static void check_branch(const struct image *image, const struct count_row *row,
			 struct build_check *check)
{
	uint64_t source = row->key[0];

	if (!in_code(image, source))
		return;
	struct branch_insn insn = branch_at(image, source);
	check->checked += row->count;
	if (insn.kind == BRANCH_NONE)
		check->not_branch += row->count;
	else if (!target_agrees(insn, row->key[1]))
		check->bad_target += row->count;
}

/* A fall-through ends at the next taken branch.  Counted for lines without a
 * branch only: in a stack every end is another entry's source. */
static void check_end(const struct image *image, const struct count_row *row,
		      struct build_check *check)
{
	if (row->key[0] < TRACE_FT_RETURN || !in_code(image, row->key[2]))
		return;
	check->checked += row->count;
	if (branch_at(image, row->key[2]).kind == BRANCH_NONE)
		check->bad_end += row->count;
}

void build_check_trace(const struct image *image, const struct count_row *trace,
		       struct build_check *check)
{
	check_branch(image, trace, check);
	check_end(image, trace, check);
}

void build_check_add(struct build_check *to, const struct build_check *from)
{
	to->checked += from->checked;
	to->not_branch += from->not_branch;
	to->bad_target += from->bad_target;
	to->bad_end += from->bad_end;
}

double build_check_rate(const struct build_check *check)
{
	uint64_t bad = check->not_branch + check->bad_target + check->bad_end;

	return check->checked ? 100.0 * (double)bad / (double)check->checked : 0;
}
