/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/verified.h"

#include "src/figures/part.h"

static void write_finding(struct json *json, const struct finding *finding)
{
	json_open(json, NULL, '[');
	json_string(json, NULL, finding_infos[finding->kind].id);
	if (finding->location.function)
		json_string(json, NULL, finding->location.function);
	else
		json_null(json, NULL);
	if (finding->location.address != NO_OFFSET)
		json_hex_string(json, NULL, finding->location.address);
	else
		json_null(json, NULL);
	json_string(json, NULL, finding->text);
	json_close(json, ']');
}

static void write_kind(struct json *json, enum finding_kind kind, uint64_t count)
{
	const struct finding_info *info = &finding_infos[kind];

	json_open(json, NULL, '{');
	json_string(json, "id", info->id);
	json_string(json, "severity", severity_name(info->severity));
	json_string(json, "what", info->what);
	json_whole_string(json, "remedy", info->remedy);
	json_number(json, "count", count);
	json_close(json, '}');
}

/* The worst first. */
static bool write_findings(struct json *json, const struct findings *findings, size_t room)
{
	struct page_part part = {.room = room, .base = json->base};
	bool ok = true, added = true;

	json_open(json, "findings", '[');
	for (int severity = SEVERITY_ERROR; ok && severity >= SEVERITY_NOTE; severity--)
		for (size_t i = 0; ok && added && i < findings->len; i++) {
			if ((int)finding_infos[findings->at[i].kind].severity != severity)
				continue;
			ok = part_begin(&part);
			if (ok) {
				write_finding(&part.json, &findings->at[i]);
				ok = part_end(&part, 0, json, &added);
			}
		}
	json_close(json, ']');
	return ok;
}

bool verified_write(struct json *json, const char *key, const struct verify_report *report, size_t room)
{
	const struct findings *findings = &report->findings;
	uint64_t errors = findings_at_least(findings, SEVERITY_ERROR), warnings = findings_at_least(findings, SEVERITY_WARNING) - errors;

	json_open(json, key, '{');
	json_number(json, "errors", errors);
	json_number(json, "warnings", warnings);
	json_number(json, "notes", findings_at_least(findings, SEVERITY_NOTE) - errors - warnings);
	json_bool(json, "unwound", report->unwound);
	json_bool(json, "lined", report->lined);
	json_open(json, "kinds", '[');
	for (int severity = SEVERITY_ERROR; severity >= SEVERITY_NOTE; severity--)
		for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++)
			if (findings->counts[kind] && (int)finding_infos[kind].severity == severity)
				write_kind(json, (enum finding_kind)kind, findings->counts[kind]);
	json_close(json, ']');
	bool ok = write_findings(json, findings, room);
	json_close(json, '}');
	return ok;
}
