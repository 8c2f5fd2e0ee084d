/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/perf2bolt_info.h"

#include <inttypes.h>

#include "src/cli/say.h"

static const char *machine_word(enum machine machine)
{
	static const char *const words[] = {"x86_64", "aarch64", "riscv64"};

	return words[machine];
}

/* Does the image have the relocations that ld --emit-relocs leaves in it? */
static bool has_relocations(const struct image *image)
{
	return image_section(image, ".rela.text");
}

bool perf2bolt_is_strict(const struct perf2bolt_arguments *arguments, const struct image *image)
{
	return has_relocations(image) && (!arguments->strict.given || arguments->strict.is);
}

bool perf2bolt_is_lite(const struct perf2bolt_arguments *arguments, const struct image *image)
{
	return (!arguments->lite.given || arguments->lite.is) && image->machine == MACHINE_X86_64 && !perf2bolt_is_strict(arguments, image);
}

static void print_mode(const struct perf2bolt_arguments *arguments, const struct image *image, FILE *out)
{
	if (has_relocations(image))
		fputs("BOLT-INFO: enabling relocation mode\n", out);
	if (perf2bolt_is_strict(arguments, image) && !arguments->strict.given)
		fputs("BOLT-INFO: enabling strict relocation mode for aggregation purposes\n", out);
	if (perf2bolt_is_lite(arguments, image) && !arguments->lite.given)
		fputs("BOLT-INFO: enabling lite mode\n", out);
}

static void print_build_id(const struct build_id *id, FILE *out)
{
	fputs("BOLT-INFO: binary build-id is:     ", out);
	for (size_t i = 0; i < id->size; i++)
		fprintf(out, "%02x", id->data[i]);
	putc('\n', out);
}

void perf2bolt_info_kind(const struct binary *binary, FILE *out)
{
	if (binary->image.position_independent)
		fputs("BOLT-INFO: shared object or position-independent executable detected\n", out);
}

void perf2bolt_info_binary(const struct perf2bolt_arguments *arguments, const struct binary *binary,
			   FILE *out)
{
	const struct image *image = &binary->image;
	uint64_t first = image->segment_count ? image->segments[0].vaddr : 0;

	fprintf(out, "BOLT-INFO: Target architecture: %s\n", machine_word(image->machine));
	fprintf(out, "BOLT-INFO: first alloc address is 0x%" PRIx64 "\n", first);
	if (binary->kind == BINARY_BOLTED && !arguments->only_heat)
		fprintf(out, "BOLT-INFO: Parsed %zu BAT entries\n", (size_t)binary->bat.fragment_count);
	print_mode(arguments, image, out);
	fputs("BOLT-INFO: pre-processing profile using perf data aggregator\n", out);
	if (binary->kind == BINARY_BOLTED)
		fputs("BOLT-INFO: profile collection done on a binary already processed by BOLT\n", out);
	if (arguments->conversion.format != INPUT_PREAGG && image->build_id.size)
		print_build_id(&image->build_id, out);
}

static void print_density(const struct perf2bolt_arguments *arguments, double density, FILE *out, FILE *warnings)
{
	double wanted = (double)arguments->density_threshold;

	if (!(density > 0))
		fputs("BOLT-WARNING: the output profile is empty or the --profile-density-cutoff-hot option is set too "
		      "low. Please check your command.\n", warnings);
	else if (density < wanted)
		fprintf(warnings, "BOLT-WARNING: BOLT is estimated to optimize better with %.1fx more samples. Please "
			"consider increasing sampling rate or profiling for longer duration to get more samples.\n",
			wanted / density);
	fprintf(out, "BOLT-INFO: Functions with density >= %.1f account for %.2f%% total sample counts.\n",
		density, (double)arguments->density_cutoff / 10000);
}

void perf2bolt_info_figures(const struct perf2bolt_arguments *arguments, const struct figures *figures,
			    FILE *out, FILE *warnings)
{
	float share = figures->functions ? (float)figures->profiled / (float)figures->functions * 100.0f : 0;

	fprintf(out, "BOLT-INFO: %" PRIu64 " out of %" PRIu64 " functions in the binary (%.1f%%) have non-empty "
		"execution profile\n", figures->profiled, figures->functions, (double)share);
	if (figures->not_simple)
		fprintf(out, "BOLT-INFO: %" PRIu64 " function%s with profile could not be optimized\n",
			figures->not_simple, plural(figures->not_simple));
	print_density(arguments, figures->density, out, warnings);
}
