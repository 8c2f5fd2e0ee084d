/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/profile_output.h"

#include <stdlib.h>
#include <string.h>

#include "src/elf/code_digest.h"
#include "src/profile/shard.h"
#include "src/profile/fdata.h"
#include "src/profile/preagg.h"
#include "src/output/profgen.h"
#include "src/profile/nameable.h"

static const char *const format_names[] = {"fdata", "yaml", "preagg", "profgen"};

const char *profile_format_name(enum profile_format format)
{
	return format_names[format];
}

bool profile_format_parse(const char *word, enum profile_format *out)
{
	for (size_t i = 0; i < BC_COUNT(format_names); i++) {
		if (!strcmp(word, format_names[i])) {
			*out = (enum profile_format)i;
			return true;
		}
	}
	return false;
}

void profile_output_prepare(const struct profile_output *output,
			    struct conversion_options *options)
{
	static const unsigned wants[] = {[FORMAT_FDATA] = WANT_RECORDS, [FORMAT_YAML] = WANT_RECORDS,
					 [FORMAT_PREAGG] = WANT_COUNTS, [FORMAT_PROFGEN] = WANT_RANGES};
	unsigned yaml = WANT_YAML | (output->without_hashes ? 0u : WANT_HASHES) | (output->probes ? WANT_PROBES : 0u);

	options->wants |= wants[output->format] | (output->profgen ? WANT_RANGES : 0u) |
			  (output->yaml || output->format == FORMAT_YAML ? yaml : 0u);
	options->aggregate.names = (output->format == FORMAT_FDATA ? NAMES_ONE_LINE : 0u) |
				   (options->wants & WANT_YAML ? NAMES_UTF8 : 0u);
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
		return fdata_write_profile(profile, &(struct fdata_header){events, count},
				   conversion->threads, file, err);
	case FORMAT_YAML:
		return yaml_write(profile, &(struct yaml_header){
					  .binary_name = binary, .events = events, .event_count = count,
					  .leave_out_unsited = rules_restore(&conversion->aggregate.options.rules, RESTORE_SITES),
					  .probes = &conversion->probes, .touched = conversion->touched,
					  .graphs = &conversion->graphs, .hashes = conversion_hashes(conversion),
					  .reached = conversion->aggregate.options.rules.reached},
				  file, yaml, err);
	case FORMAT_PROFGEN:
		profgen_write(&conversion->ranges, file);
		return true;
	case FORMAT_PREAGG:
		break;
	}
	preagg_write_profile(&(struct preagg_profile){conversion->preagg.rows, conversion->preagg.count, &conversion->aggregate, &conversion_binary(conversion)->image,
					      conversion->basic}, file);
	return true;
}

/* Returns the mode of a shard.  A shard without a record can be merged with shards of both modes. */
static enum profile_mode shard_mode(const struct conversion *conversion)
{
	if (!conversion->preagg.count)
		return MODE_OPEN;
	return conversion->basic ? MODE_PLAIN : MODE_BRANCHES;
}

/* Writes a shard, whose addresses are those of the optimised binary. */
static bool write_shard(const struct conversion *conversion, FILE *file, struct bc_error *err)
{
	const struct preagg_profile preagg = {conversion->preagg.rows, conversion->preagg.count, &conversion->aggregate, &conversion_binary(conversion)->image,
					      conversion->basic};
	struct shard shard = {.kind = KIND_PREAGG, .mode = shard_mode(conversion),
			      .id = code_digest(conversion_binary(conversion))};
	FILE *text = shard_begin(&shard, file);

	if (!text)
		return bc_fail_nomem(err);
	preagg_write_profile(&preagg, text);
	if (fclose(text) != 0)
		return bc_fail_errno(err, "cannot write the shard");
	shard.records = preagg.count;
	for (size_t i = 0; i < preagg.count; i++) {
		shard.sums[0] += preagg.rows[i].count;
		shard.sums[1] += preagg_mispredictions(&preagg, i);
	}
	shard_end(&shard, file);
	return true;
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

bool profile_output_fill(const struct profile_output *output, const struct output files[PROFILE_FILES],
			 const struct conversion *conversion, const char *binary,
			 struct yaml_report *yaml, struct bc_error *err)
{
	const struct output *also = &files[PROFILE_YAML];

	if (files[PROFILE_PROFGEN].file)
		profgen_write(&conversion->ranges, files[PROFILE_PROFGEN].file);
	if (output->shard)
		return write_shard(conversion, files[PROFILE_ITSELF].file, err);
	return write_format(conversion, output->format, binary, files[PROFILE_ITSELF].file, yaml, err) &&
	       (!also->file || write_format(conversion, FORMAT_YAML, binary, also->file, yaml, err));
}
