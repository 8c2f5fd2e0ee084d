/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/maps_print.h"

#include <inttypes.h>

#include "src/addrspace/maps_text.h"
#include "src/cli/mapped_images.h"
#include "src/cli/print.h"

static const char *verdict(const struct mapped_image *m, const struct load *load)
{
	if (m->loads.misfits)
		return "DISAGREES: executable mappings that fit no segment";
	if (!load_agrees(load))
		return "DISAGREES";
	if (load->has_lowest)
		return "agrees with the lowest segment";
	return load->has_lowest_executable ? "agrees with the lowest executable segment"
					   : "its lowest segment is not in the map";
}

static void print_other_base(uint64_t base, uint64_t other)
{
	printf(" 0x%" PRIx64 ", 0x%" PRIx64 " %s\n", other, other > base ? other - base : base - other,
	       other > base ? "above" : "below");
}

static void print_load(const struct mapped_image *m, const struct load *load)
{
	printf("    base 0x%" PRIx64 " by %" PRIu32 " mappings, %s\n", load->base,
	       load->mappings - load->differing, verdict(m, load));
	if (load->has_lowest && load->lowest != load->base) {
		fputs("        by the lowest segment:", stdout);
		print_other_base(load->base, load->lowest);
	}
	if (load->has_lowest_executable && load->lowest_executable != load->base) {
		fputs("        by the lowest executable segment:", stdout);
		print_other_base(load->base, load->lowest_executable);
	}
	for (uint32_t i = 0; i < load->differing; i++) {
		const struct differing *d = &m->loads.differing.at[load->first_differing + i];
		printf("        by %08" PRIx64 "-%08" PRIx64 ":", d->start, d->end);
		print_other_base(load->base, d->base);
	}
}

static void print_image(void *ctx, const struct mapped_image *m)
{
	const struct mapped_files *files = ctx;
	struct text id = mapped_image_gnu_id(m, files), go = mapped_image_go_id(m, files);

	print_name(mapped_files_path(files, m->number), stdout);
	fputs("\n    build-id ", stdout);
	if (id.len)
		print_bytes(id, stdout);
	if (go.len) {
		fputs(id.len ? ", Go " : "Go ", stdout);
		print_name(go, stdout);
	}
	if ((id.len || go.len) && !mapped_image_id_recorded(m, files))
		fputs(", of the file that is here: none was recorded", stdout);
	puts(id.len || go.len ? "" : "not known");
	if (!m->opened)
		printf("    base not known: the file is %s\n", m->why_not);
	for (size_t i = 0; i < m->loads.all.len; i++)
		print_load(m, &m->loads.all.at[i]);
	if (m->opened && !m->loads.all.len)
		puts("    DISAGREES: no mapping fits a segment of the file");
}

void maps_print_head(const struct snapshot *s)
{
	printf("process %" PRIu32 ", map %" PRIu32 ", time %" PRIu64 ".%09" PRIu64 ", %zu regions\n",
	       s->pid, s->id, s->time / 1000000000, s->time % 1000000000, map_set_count(s->maps));
}

bool maps_print_text(const struct snapshot *s, const struct maps *maps,
		      struct mapped_programs *programs, bool all, bool *agree)
{
	const struct mapped_files *files = programs->files;

	maps_print_head(s);
	for (size_t i = 0; i < maps->len; i++)
		if (all || maps->at[i].flags & MAPPING_EXEC)
			maps_text_print_mapping(&maps->at[i], files, stdout);
	puts("images:");
	return mapped_images_each(maps, programs, agree, print_image, (void *)(uintptr_t)files);
}

void maps_print_raw(const struct snapshot *s, const struct maps *maps,
		      const struct mapped_files *files)
{
	struct maps_head head = {s->pid, s->id, s->time};

	maps_text_write_head(&head, stdout);
	for (size_t i = 0; i < maps->len; i++)
		maps_text_write_mapping(&maps->at[i], files, stdout);
}
