/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/profile_output.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/file.h"
#include "src/output/fdata.h"
#include "src/output/preagg.h"
#include "src/output/read_back.h"

bool profile_format_parse(const char *word, enum profile_format *out)
{
	static const char *const words[] = {"fdata", "yaml", "preagg"};

	for (size_t i = 0; i < BC_COUNT(words); i++) {
		if (!strcmp(word, words[i])) {
			*out = (enum profile_format)i;
			return true;
		}
	}
	return false;
}

void profile_output_prepare(const struct profile_output *output,
			    struct conversion_options *options)
{
	options->aggregate_only = output->format == FORMAT_PREAGG;
	options->hashes = output->format == FORMAT_YAML || output->yaml;
}

static bool write_format(const struct conversion *conversion, enum profile_format format,
			 const char *binary, FILE *file, struct yaml_report *yaml,
			 struct bc_error *err)
{
	const struct profile *profile = &conversion->profile;
	const char *const *events = (const char *const *)conversion->aggregate.events.at;
	size_t count = conversion->aggregate.events.len;

	switch (format) {
	case FORMAT_FDATA:
		return fdata_write(profile, &(struct fdata_header){events, count},
				   conversion->threads, file, err);
	case FORMAT_YAML:
		return yaml_write(profile, &(struct yaml_header){binary, events, count},
				  conversion->threads, file, yaml, err);
	case FORMAT_PREAGG:
		break;
	}
	return preagg_write(&conversion->aggregate, conversion->basic, file, err);
}

static bool read_back(const struct conversion *conversion, enum profile_format format, struct text written,
		      const struct yaml_report *yaml, struct bc_error *err)
{
	const struct profile *profile = &conversion->profile;
	const struct name_vec *events = &conversion->aggregate.events;
	const struct fdata_header header = {(const char *const *)events->at, events->len};

	switch (format) {
	case FORMAT_FDATA: return fdata_read_back(profile, &header, written, err);
	case FORMAT_YAML: return yaml_read_back(profile, yaml, written, err);
	case FORMAT_PREAGG: break;
	}
	return preagg_read_back(&conversion->aggregate, conversion->basic, written, err);
}

/* A temporary file is read back; a pipe gets what was read in memory. */
static bool write_to_memory(const struct conversion *conversion, enum profile_format format,
			    const char *binary, FILE *file, struct yaml_report *yaml, struct bc_error *err)
{
	struct memory_sink memory = {0};
	FILE *to = sink_memory(&memory);

	bool ok = to ? write_format(conversion, format, binary, to, yaml, err) : bc_fail_nomem(err);
	if (to && (fclose(to) != 0 || memory.failed) && ok)
		ok = bc_fail_nomem(err);
	ok = ok && read_back(conversion, format, (struct text){memory.at, memory.len}, yaml, err);
	if (ok)
		fwrite(memory.at, 1, memory.len, file);
	free(memory.at);
	return ok;
}

static bool write_and_read_back(const struct conversion *conversion, enum profile_format format,
				const char *binary, const struct output *output, struct yaml_report *yaml,
				struct bc_error *err)
{
	struct file_map map;

	if (!output->temporary)
		return write_to_memory(conversion, format, binary, output->file, yaml, err);
	if (!write_format(conversion, format, binary, output->file, yaml, err))
		return false;
	if (fflush(output->file) != 0)
		return true; /* the disk is full; output_commit_all() says so */
	if (!file_map(output->temporary, &map, err))
		return false;
	bool ok = read_back(conversion, format, (struct text){(const char *)map.data, map.size}, yaml, err);
	file_unmap(&map);
	return ok;
}

static bool write_one(const struct conversion *conversion, enum profile_format format, const char *binary,
		      const struct output *output, struct yaml_report *yaml, struct bc_error *err)
{
	if (!conversion->self_check.on)
		return write_format(conversion, format, binary, output->file, yaml, err);
	return write_and_read_back(conversion, format, binary, output, yaml, err) ||
	       (err->code == BC_BUG && bc_fail_prefix(err, output->path ? output->path : "<stdout>"));
}

bool profile_output_open(const struct profile_output *output, struct output files[PROFILE_FILES],
			 struct bc_error *err)
{
	files[PROFILE_YAML] = files[PROFILE_ITSELF] = (struct output){0};
	return (!output->yaml || output_open(output->yaml, &files[PROFILE_YAML], err)) &&
	       output_open(output->path, &files[PROFILE_ITSELF], err);
}

bool profile_output_fill(const struct profile_output *output, const struct output files[PROFILE_FILES],
			 const struct conversion *conversion, const char *binary,
			 struct yaml_report *yaml, struct bc_error *err)
{
	const struct output *also = &files[PROFILE_YAML];

	return write_one(conversion, output->format, binary, &files[PROFILE_ITSELF], yaml, err) &&
	       (!also->file || write_one(conversion, FORMAT_YAML, binary, also, yaml, err));
}
