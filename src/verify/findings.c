/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/verify/checks.h"

/* Output offsets are modulo 2^32, as code of an entry can be before its fragment. */
static uint64_t address_of(const struct bat_fragment *f, struct bat_entry e)
{
	if (entry_never_emitted(f, e))
		return f->address;
	return (f->address & ~(uint64_t)UINT32_MAX) | (uint32_t)(f->address + e.output);
}

struct finding_location location_of(const struct binary *subject, uint32_t fragment, uint32_t entry)
{
	const struct bat_fragment *f = &subject->bat.fragments[fragment];
	struct finding_location location = NO_LOCATION;

	location.function = binary_fragment_owner(subject, fragment);
	location.fragment = fragment;
	location.entry = entry;
	location.address = f->address;
	if (entry != NO_INDEX)
		location.address = address_of(f, subject->bat.entries[f->first_entry + entry]);
	return location;
}

/* Such a block has address 0 in BOLT, which stores the difference to the fragment's address. */
bool entry_never_emitted(const struct bat_fragment *f, struct bat_entry e)
{
	return e.output && e.output == (uint32_t)-f->address;
}

const struct finding_info finding_infos[FINDING_KIND_COUNT] = {
#define X(name, id, severity, what, remedy) {id, SEVERITY_##severity, what, remedy},
	FINDING_KINDS(X)
#undef X
};

const char *severity_name(enum severity severity)
{
	static const char *const names[] = {"note", "warning", "error"};

	return names[severity];
}

void findings_init(struct findings *findings, size_t most)
{
	*findings = (struct findings){.most = most};
}

void findings_free(struct findings *findings)
{
	free(findings->at);
	findings->at = NULL;
	findings->len = findings->cap = 0;
}

static struct finding *next(struct findings *findings)
{
	if (findings->len == findings->cap) {
		size_t cap = findings->cap ? 2 * findings->cap : 16;
		struct finding *at = realloc(findings->at, cap * sizeof(*at));
		if (!at) {
			findings->nomem = true;
			return NULL;
		}
		findings->at = at;
		findings->cap = cap;
	}
	return &findings->at[findings->len];
}

/* Memory for one more finding of a kind; NULL if it is only counted. */
static struct finding *take(struct findings *findings, enum finding_kind kind)
{
	struct finding *f = findings->kept[kind] < findings->most ? next(findings) : NULL;

	if (f) {
		findings->len++;
		findings->kept[kind]++;
	}
	return f;
}

void findings_add(struct findings *findings, enum finding_kind kind,
		  struct finding_location location, const char *fmt, ...)
{
	struct finding *f = take(findings, kind);
	va_list args;

	findings->counts[kind]++;
	if (!f)
		return;
	f->kind = kind;
	f->location = location;
	va_start(args, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, args);
	va_end(args);
}

void findings_append(struct findings *to, const struct findings *from)
{
	for (size_t i = 0; i < from->len; i++) {
		struct finding *f = take(to, from->at[i].kind);
		if (f)
			*f = from->at[i];
	}
	for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++)
		to->counts[kind] += from->counts[kind];
	to->nomem |= from->nomem;
}

uint64_t findings_at_least(const struct findings *findings, enum severity severity)
{
	uint64_t count = 0;

	for (size_t kind = 0; kind < FINDING_KIND_COUNT; kind++)
		if (finding_infos[kind].severity >= severity)
			count += findings->counts[kind];
	return count;
}
