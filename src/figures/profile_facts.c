/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/profile_facts.h"

#include <stdio.h>

#include "src/base/counts.h"
#include "src/profile/fdata.h"
#include "src/profile/text_input.h"
#include "src/profile/yaml.h"

/* The strings of a set, in the order in which they came. */
static void join(const struct strings *set, const char *between, char *out, size_t size)
{
	size_t length = 0;

	for (uint32_t i = 1; i < set->len && length < size; i++) { /* 0 is the empty string */
		struct text one = strings_at(set, i);
		length += (size_t)snprintf(out + length, size - length, "%s%.*s",
					   i > 1 ? between : "",
					   (int)(one.len < size ? one.len : size), one.at);
	}
}

static void take_head(const struct profile_head *head, struct profile_facts *out)
{
	out->basic = head->mode == MODE_PLAIN;
	out->bolted = head->bolted;
	join(&head->events, " ", out->events, sizeof(out->events));
}

/* ---- fdata ---- */

static bool add_function(struct strings *names, const struct fdata_place *place)
{
	uint32_t number;

	return place->kind != '1' || strings_intern(names, place->name, &number);
}

static bool take_line(const struct fdata_line *line, struct strings *names,
		      struct profile_facts *out)
{
	out->records++;
	out->count = count_add_saturating(out->count, line->count);
	out->mispredicted = count_add_saturating(out->mispredicted, line->mispredicted);
	return add_function(names, &line->from) &&
	       (line->sampled || add_function(names, &line->to));
}

static bool read_fdata(struct file_stream *stream, struct profile_facts *out, struct bc_error *err)
{
	struct text_input in = {0};
	struct fdata_input input = {.in = &in};
	struct strings names = {0};
	struct fdata_line line;

	bool ok = text_input_init(&in, stream, err);
	while (ok && fdata_input_next(&input, &line, err))
		ok = take_line(&line, &names, out) || bc_fail_nomem(err);
	ok = ok && err->code == BC_OK;
	take_head(&input.head, out);
	out->functions = names.len ? names.len - 1 : 0; /* 0 is the empty string */
	strings_free(&names);
	fdata_input_free(&input);
	text_input_free(&in);
	return ok;
}

bool profile_facts_fdata(const char *path, struct profile_facts *out, struct bc_error *err)
{
	struct file_stream stream;

	*out = (struct profile_facts){0};
	if (!stream_open(path, &stream, err))
		return false;
	bool ok = read_fdata(&stream, out, err);
	stream_close(&stream);
	return ok;
}

/* ---- YAML ---- */

static void take_yaml_head(const struct profile_head *head, struct profile_facts *out)
{
	struct text binary = head->binary_name ? strings_at(&head->words, head->binary_name)
					       : (struct text){"", 0};

	take_head(head, out);
	build_id_format(&head->id, out->build_id);
	snprintf(out->binary, sizeof(out->binary), "%.*s", (int)binary.len, binary.at);
	join(&head->origins, "; ", out->origin, sizeof(out->origin));
}

static bool read_document(struct yaml_input *yaml, bool first, struct profile_facts *out,
			  struct bc_error *err)
{
	struct profile_head head = {.kind = KIND_YAML};
	const struct yaml_function *function;

	bool ok = yaml_input_head(yaml, &head, err);
	while (ok && yaml_input_next(yaml, &function, err)) {
		out->functions++;
		out->records += function->blocks.len;
		out->count = count_add_saturating(out->count, function->exec);
	}
	if (first)
		take_yaml_head(&head, out);
	profile_head_free(&head);
	return ok && err->code == BC_OK;
}

bool profile_facts_yaml(const char *path, struct profile_facts *out, struct bc_error *err)
{
	struct file_stream stream;

	*out = (struct profile_facts){0};
	if (!stream_open(path, &stream, err))
		return false;
	struct yaml_input *yaml = yaml_input_open(&stream, (struct text){"", 0}, err);
	bool ok = yaml;
	for (bool first = true; ok && (first || yaml_input_goes_on(yaml)); first = false)
		ok = read_document(yaml, first, out, err);
	yaml_input_close(yaml);
	stream_close(&stream);
	return ok;
}
