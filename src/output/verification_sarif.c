/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * SARIF 2.1.0 (OASIS): one run, a rule for each kind of finding, a result for each
 * finding.  A result points at the binary: code-scanning tools want a file.
 */
#include "src/output/json.h"
#include "src/output/verification.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static void write_text(struct json *json, const char *key, const char *text)
{
	json_open(json, key, '{');
	json_string(json, "text", text);
	json_close(json, '}');
}

static void write_rules(struct json *json)
{
	json_open(json, "rules", '[');
	for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++) {
		const struct finding_info *info = &finding_infos[kind];
		json_open(json, NULL, '{');
		json_string(json, "id", info->id);
		write_text(json, "shortDescription", info->what);
		write_text(json, "help", info->remedy);
		json_open(json, "defaultConfiguration", '{');
		json_string(json, "level", severity_name(info->severity));
		json_close(json, '}');
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_driver(struct json *json, const char *version)
{
	json_open(json, "tool", '{');
	json_open(json, "driver", '{');
	json_string(json, "name", "batconv");
	json_string(json, "version", version);
	write_rules(json);
	json_close(json, '}');
	json_close(json, '}');
}

/* Tools that show code want a line; the byte is the file's, not the descriptor's. */
static void write_region(struct json *json)
{
	json_open(json, "region", '{');
	json_number(json, "startLine", 1);
	json_close(json, '}');
}

static void write_byte(struct json *json, const struct verify_report *v, uint64_t byte)
{
	if (byte == NO_OFFSET || !v->subject.desc.data)
		return;
	json_open(json, "properties", '{');
	json_number(json, "byteOffset", (uint64_t)(v->subject.desc.data - v->subject.file.data) + byte);
	json_close(json, '}');
}

static void write_function(struct json *json, const struct finding_location *location)
{
	if (!location->function && location->address == NO_OFFSET)
		return;
	json_open(json, "logicalLocations", '[');
	json_open(json, NULL, '{');
	if (location->function)
		json_string(json, "fullyQualifiedName", location->function);
	json_string(json, "kind", "function");
	json_close(json, '}');
	json_close(json, ']');
}

static void write_location(struct json *json, const struct verification *found,
			   const struct finding_location *location)
{
	json_open(json, "locations", '[');
	json_open(json, NULL, '{');
	json_open(json, "physicalLocation", '{');
	json_open(json, "artifactLocation", '{');
	json_string(json, "uri", found->binary);
	json_close(json, '}');
	write_region(json);
	if (location->address != NO_OFFSET) {
		json_open(json, "address", '{');
		json_number(json, "absoluteAddress", location->address);
		json_close(json, '}');
	}
	json_close(json, '}');
	write_function(json, location);
	json_close(json, '}');
	json_close(json, ']');
}

static void write_result(struct json *json, const struct verification *found, const struct finding *f)
{
	const struct finding_info *info = &finding_infos[f->kind];
	char message[512];

	snprintf(message, sizeof(message), "%s: %s. %s", info->what, f->text, info->remedy);
	json_open(json, NULL, '{');
	json_string(json, "ruleId", info->id);
	json_number(json, "ruleIndex", (uint64_t)f->kind);
	json_string(json, "level", severity_name(info->severity));
	write_text(json, "message", message);
	write_location(json, found, &f->location);
	write_byte(json, found->verify, f->location.byte);
	json_close(json, '}');
	putc('\n', json->out);
}

void verification_sarif(const struct verification *found, FILE *out)
{
	const struct findings *findings = &found->verify->findings;
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "$schema", SCHEMA);
	json_string(&json, "version", "2.1.0");
	json_open(&json, "runs", '[');
	json_open(&json, NULL, '{');
	write_driver(&json, found->version);
	json_open(&json, "results", '[');
	for (size_t i = 0; i < findings->len; i++)
		write_result(&json, found, &findings->at[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	json_close(&json, ']');
	json_close(&json, '}');
	putc('\n', out);
}
