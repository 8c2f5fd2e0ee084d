/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/profile_output.h"

#include <stdlib.h>
#include <string.h>

#include "src/elf/binary.h"
#include "src/elf/load.h"
#include "src/flow/ranges.h"
#include "src/profile/fdata.h"
#include "src/profile/preagg.h"
#include "src/profile/profile.h"

static bool write_fdata(const struct conversion *c, const char *binary, FILE *file,
			struct yaml_report *yaml, struct bc_error *err)
{
	const struct fdata_header header = {(const char *const *)c->aggregate.events.at,
					    c->aggregate.events.len};

	(void)binary;
	(void)yaml;
	return fdata_write_profile(&c->profile, &header, c->threads, file, err);
}

static bool write_yaml(const struct conversion *c, const char *binary, FILE *file,
		       struct yaml_report *yaml, struct bc_error *err)
{
	const struct yaml_header header = {
		.binary_name = binary,
		.events = (const char *const *)c->aggregate.events.at,
		.event_count = c->aggregate.events.len,
		.leave_out_unsited = rules_restore(&c->aggregate.options.rules, RESTORE_SITES),
		.probes = &c->probes,
		.touched = c->touched,
		.graphs = &c->graphs,
		.hashes = conversion_hashes(c),
		.reached = c->aggregate.options.rules.reached,
		.external = conversion_wants(c, WANT_EXTERN)};

	return yaml_write(&c->profile, &header, file, yaml, err);
}

static struct preagg_profile counts_of(const struct conversion *c)
{
	const struct image *image = &conversion_binary(c)->image;

	return (struct preagg_profile){.rows = c->preagg.rows,
				       .count = c->preagg.count,
				       .basic = c->basic,
				       .returns = &c->aggregate.returns,
				       .events = (const char *const *)c->aggregate.events.at,
				       .event_count = c->aggregate.events.len,
				       .file = image_is_library(image) ? &image->build_id : NULL};
}

static bool write_preagg(const struct conversion *c, const char *binary, FILE *file,
			 struct yaml_report *yaml, struct bc_error *err)
{
	const struct preagg_profile preagg = counts_of(c);

	(void)binary;
	(void)yaml;
	(void)err;
	preagg_write_profile(&preagg, file);
	return true;
}

static bool write_profgen(const struct conversion *c, const char *binary, FILE *file,
			  struct yaml_report *yaml, struct bc_error *err)
{
	(void)binary;
	(void)yaml;
	(void)err;
	profgen_write(&c->ranges, file);
	return true;
}

static const struct format {
	const char *name;
	unsigned wants; /* of the conversion */
	unsigned names; /* that it can hold */
	bool (*write)(const struct conversion *c, const char *binary, FILE *file,
		      struct yaml_report *yaml, struct bc_error *err);
} formats[] = {
	[FORMAT_FDATA] = {"fdata", WANT_RECORDS, NAMES_ONE_LINE, write_fdata},
	[FORMAT_YAML] = {"yaml", WANT_RECORDS, 0, write_yaml},
	[FORMAT_PREAGG] = {"preagg", WANT_COUNTS, 0, write_preagg},
	[FORMAT_PROFGEN] = {"profgen", WANT_RANGES, 0, write_profgen},
};

const char *profile_format_name(enum profile_format format)
{
	return formats[format].name;
}

void profile_output_prepare(const struct profile_output *output, struct conversion_options *options)
{
	const struct format *format = &formats[output->format];
	unsigned yaml = WANT_YAML | (output->without_hashes ? 0u : WANT_HASHES) |
			(output->probes ? WANT_PROBES : 0u) |
			(yaml_release_knows_extern(output->yaml_for) ? WANT_EXTERN : 0u);

	options->wants |= format->wants | (output->profgen ? WANT_RANGES : 0u) |
			  (output->yaml || output->format == FORMAT_YAML ? yaml : 0u);
	options->aggregate.names = format->names | (options->wants & WANT_YAML ? NAMES_UTF8 : 0u);
}

/* The addresses of a shard are those of the optimized binary. */
static bool write_shard(const struct conversion *conversion, FILE *file, struct bc_error *err)
{
	const struct preagg_profile preagg = counts_of(conversion);

	return preagg_write_shard(&preagg, code_digest(conversion_binary(conversion)), file, err);
}

bool profile_output_open(const struct profile_output *output, struct output files[PROFILE_FILES],
			 struct bc_error *err)
{
	for (size_t i = 0; i < PROFILE_FILES; i++)
		files[i] = (struct output){0};
	return (!output->yaml || output_open(output->yaml, &files[PROFILE_YAML], err)) &&
	       (!output->profgen || output_open(output->profgen, &files[PROFILE_PROFGEN], err)) &&
	       output_open(output->path, &files[PROFILE_ITSELF], err);
}

bool profile_output_fill(const struct profile_output *output,
			 const struct output files[PROFILE_FILES],
			 const struct conversion *conversion, const char *binary,
			 struct yaml_report *yaml, struct bc_error *err)
{
	const struct output *also = &files[PROFILE_YAML];

	if (files[PROFILE_PROFGEN].file)
		profgen_write(&conversion->ranges, files[PROFILE_PROFGEN].file);
	if (output->shard)
		return write_shard(conversion, files[PROFILE_ITSELF].file, err);
	return formats[output->format].write(conversion, binary, files[PROFILE_ITSELF].file, yaml,
					     err) &&
	       (!also->file || write_yaml(conversion, binary, also->file, yaml, err));
}
