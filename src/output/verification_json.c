/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/json.h"
#include "src/output/verification.h"

static void write_finding(struct json *json, const struct finding *f)
{
	const struct finding_info *info = &finding_infos[f->kind];

	json_open(json, NULL, '{');
	json_string(json, "id", info->id);
	json_string(json, "severity", severity_name(info->severity));
	json_string(json, "what", info->what);
	json_string(json, "detail", f->text);
	if (f->location.function)
		json_string(json, "function", f->location.function);
	if (f->location.address != NO_OFFSET)
		json_hex_string(json, "address", f->location.address);
	if (f->location.entry != NO_INDEX)
		json_number(json, "entry", f->location.entry);
	if (f->location.byte != NO_OFFSET)
		json_number(json, "byte", f->location.byte);
	json_string(json, "remedy", info->remedy);
	json_close(json, '}');
	putc('\n', json->out);
}

static void write_counts(struct json *json, const struct findings *findings)
{
	json_open(json, "counts", '{');
	for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++)
		if (findings->counts[kind])
			json_number(json, finding_infos[kind].id, findings->counts[kind]);
	json_close(json, '}');
}

static void write_table(struct json *json, const struct binary *subject)
{
	json_open(json, "table", '{');
	json_string(json, "layout", bat_layout_name(subject->bat.layout));
	json_number(json, "bytes", subject->desc.size);
	json_number(json, "fragments", subject->bat.fragment_count);
	json_number(json, "hot", subject->bat.hot_count);
	json_number(json, "entries", subject->bat.entry_count);
	json_close(json, '}');
}

static void write_coverage(struct json *json, const struct coverage *c)
{
	json_open(json, "coverage", '{');
	json_number(json, "executable_bytes", c->executable);
	json_number(json, "rewritten_bytes", c->rewritten);
	json_number(json, "mapped_bytes", c->mapped);
	json_number(json, "mapped_functions", c->mapped_functions);
	json_number(json, "fragments", c->fragments);
	json_open(json, "unmapped", '{');
	for (size_t i = 0; i < UNMAPPED_COUNT; i++) {
		json_open(json, unmapped_infos[i].key, '{');
		json_number(json, "functions", c->unmapped[i].functions);
		json_number(json, "bytes", c->unmapped[i].bytes);
		json_string(json, "why", unmapped_infos[i].why);
		json_close(json, '}');
	}
	json_close(json, '}');
	json_close(json, '}');
}

static void write_sample(struct json *json, const struct sample_result *s)
{
	json_open(json, "sample", '{');
	json_number(json, "addresses", s->addresses);
	json_number(json, "differ", s->differ);
	json_number(json, "compared", s->compared);
	json_number(json, "same", s->same);
	json_number(json, "added", s->added);
	json_close(json, '}');
}

void verification_json(const struct verification *found, FILE *out)
{
	const struct verify_report *v = found->verify;
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "format", "batconv-verify");
	json_number(&json, "version", 1);
	json_string(&json, "binary", found->binary);
	if (found->input)
		json_string(&json, "input", found->input);
	json_string(&json, "instructions_checked", code_state_text(v->code));
	if (v->decoded)
		write_table(&json, &v->subject);
	if (v->linked)
		write_coverage(&json, &v->coverage);
	if (found->sample)
		write_sample(&json, found->sample);
	write_counts(&json, &v->findings);
	json_open(&json, "findings", '[');
	for (size_t i = 0; i < v->findings.len; i++)
		write_finding(&json, &v->findings.at[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	putc('\n', out);
}
