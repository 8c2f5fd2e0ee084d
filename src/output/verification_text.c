/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>

#include "src/base/print_name.h"
#include "src/output/verification.h"

const char *code_state_text(enum code_state state)
{
	switch (state) {
	case CODE_CHECKED:
		return "yes";
	case CODE_NOT_ASKED:
		return "no: not asked for";
	case CODE_PARTLY:
		return "partly: libLLVM is not installed";
	case CODE_NONE:
		break;
	}
	return "no: there is nothing to check";
}

static void print_location(const struct finding_location *location, FILE *out)
{
	if (location->function) {
		fputs(", ", out);
		print_name(text_of(location->function), out);
	}
	if (location->entry != NO_INDEX)
		fprintf(out, ", entry %" PRIu32, location->entry);
	if (location->address != NO_OFFSET)
		fprintf(out, ", 0x%" PRIx64, location->address);
	if (location->byte != NO_OFFSET)
		fprintf(out, ", byte %" PRIu64, location->byte);
}

static void print_findings(const struct verification *found, FILE *out)
{
	const struct findings *findings = &found->verify->findings;

	for (size_t i = 0; i < findings->len; i++) {
		const struct finding *f = &findings->at[i];
		const struct finding_info *info = &finding_infos[f->kind];
		print_name(text_of(found->binary), out);
		fprintf(out, ": %s: %s", severity_name(info->severity), info->id);
		print_location(&f->location, out);
		fprintf(out, ": %s; ", info->what);
		print_name(text_of(f->text), out);
		putc('\n', out);
	}
}

static void print_remedies(const struct findings *findings, FILE *out)
{
	for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		if (!findings->counts[kind])
			continue;
		fprintf(out, "%s: %" PRIu64, finding_infos[kind].id, findings->counts[kind]);
		if (findings->counts[kind] > findings->kept[kind])
			fprintf(out, " (%zu shown)", findings->kept[kind]);
		fprintf(out, ".  %s\n", finding_infos[kind].remedy);
	}
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_coverage(const struct coverage *c, FILE *out)
{
	fprintf(out, "coverage: %" PRIu64 " fragments of %" PRIu64 " functions map %" PRIu64
		" bytes, %.1f %% of all code", c->fragments, c->mapped_functions, c->mapped,
		percent(c->mapped, c->executable));
	if (c->rewritten)
		fprintf(out, " and %.1f %% of what BOLT wrote", percent(c->mapped, c->rewritten));
	putc('\n', out);
	for (size_t i = 0; i < UNMAPPED_COUNT; i++)
		if (c->unmapped[i].functions)
			fprintf(out, "unmapped: %" PRIu64 " functions of %" PRIu64 " bytes: %s\n",
				c->unmapped[i].functions, c->unmapped[i].bytes, unmapped_infos[i].why);
}

static void print_sample(const struct sample_result *s, FILE *out)
{
	fprintf(out, "sample: %" PRIu64 " addresses translated in two ways, %" PRIu64 " differ\n",
		s->addresses, s->differ);
	if (s->compared)
		fprintf(out, "sample: %" PRIu64 " of %" PRIu64 " instructions (%.2f %%) are the same in "
			"the input binary; %" PRIu64 " more were added by BOLT\n", s->same, s->compared,
			percent(s->same, s->compared), s->added);
}

void verification_text(const struct verification *found, bool quiet, FILE *out)
{
	const struct verify_report *v = found->verify;

	print_findings(found, out);
	if (quiet)
		return;
	print_remedies(&v->findings, out);
	if (v->decoded)
		fprintf(out, "layout: %s, %zu bytes, %" PRIu32 " fragments, %" PRIu32 " entries\n",
			bat_layout_name(v->subject.bat.layout), v->subject.desc.size,
			v->subject.bat.fragment_count, v->subject.bat.entry_count);
	if (v->linked)
		print_coverage(&v->coverage, out);
	if (v->decoded)
		fprintf(out, "instructions checked: %s\n", code_state_text(v->code));
	if (found->sample)
		print_sample(found->sample, out);
	print_name(text_of(found->binary), out);
	fprintf(out, ": %" PRIu64 " errors, %" PRIu64 " warnings, %" PRIu64 " notes\n",
		findings_at_least(&v->findings, SEVERITY_ERROR),
		findings_at_least(&v->findings, SEVERITY_WARNING) -
			findings_at_least(&v->findings, SEVERITY_ERROR),
		findings_at_least(&v->findings, SEVERITY_NOTE) -
			findings_at_least(&v->findings, SEVERITY_WARNING));
}
