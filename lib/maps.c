/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/handles.h"
#include "src/base/output.h"
#include "src/samples/bcmaps.h"
#include "src/samples/maps_text.h"
#include "src/samples/open.h"

uint32_t batconv_version(void)
{
	return BATCONV_VERSION_NUMBER;
}

struct batconv_snapshots *batconv_snapshots_new(void)
{
	struct batconv_snapshots *s = calloc(1, sizeof(*s));
	struct bc_error ignored;

	if (s && snapshots_index(&s->snapshots, &ignored))
		return s;
	batconv_snapshots_free(s);
	return NULL;
}

void batconv_snapshots_free(struct batconv_snapshots *s)
{
	if (s)
		snapshots_free(&s->snapshots);
	free(s);
}

/* Fails if text is left where the first map ended: that is another map. */
static bool is_one_map(struct text rest, uint64_t lines, struct bc_error *err)
{
	return !rest.len || bc_fail(err, BC_FORMAT,
				    "line %" PRIu64 ": it begins another map: "
				    "batconv_snapshots_add_file() reads text of several",
				    lines + 1);
}

bool batconv_snapshots_add_text(struct batconv_snapshots *s, uint32_t pid, uint32_t id,
				uint64_t time, const char *text, size_t size,
				struct batconv_error *err)
{
	struct snapshots_mark mark = snapshots_mark(&s->snapshots);
	struct text rest = {text, size};
	struct map_set *maps = NULL;
	struct bc_error why = {0};
	uint64_t line = 0;

	if (snapshots_of_id(&s->snapshots, pid, id))
		return refuse(err, "the process has a map of this id");
	bool ok = maps_text_read(&rest, &line, &s->snapshots.files, &maps, &why) &&
		  is_one_map(rest, line, &why) &&
		  snapshots_add(&s->snapshots, pid, id, time, maps, &why) &&
		  snapshots_index(&s->snapshots, &why);
	map_set_release(maps);
	if (ok)
		return true;
	snapshots_restore(&s->snapshots, mark);
	return give_error(&why, err);
}

static bool merge(struct batconv_snapshots *s, struct snapshots *more, struct batconv_error *err)
{
	struct bc_error why = {0};
	bool ok = snapshots_merge(&s->snapshots, more, &why);

	snapshots_free(more);
	return ok || give_error(&why, err);
}

bool batconv_snapshots_add_process(struct batconv_snapshots *s, uint32_t pid,
				   struct batconv_error *err)
{
	struct snapshots more = {0};
	struct bc_error why = {0};

	return maps_open_process(pid, &more, &why) ? merge(s, &more, err) : give_error(&why, err);
}

bool batconv_snapshots_add_file(struct batconv_snapshots *s, const char *path, bool *partial,
				struct batconv_error *err)
{
	struct snapshots more = {0};
	struct reader_report report;
	struct bc_error why = {0};

	if (!maps_open(path, UINT64_MAX, &more, &report, &why))
		return give_error(&why, err);
	if (!merge(s, &more, err))
		return false;
	if (partial)
		*partial = reader_report_is_partial(&report);
	return true;
}

bool batconv_snapshots_write(const struct batconv_snapshots *s, const char *path,
			     struct batconv_error *err)
{
	struct bc_error why = {0};
	struct output output;
	uint8_t *data;
	size_t size;

	if (!bcmaps_write(&s->snapshots, &data, &size, &why))
		return give_error(&why, err);
	bool ok = output_open(path, &output, &why);
	if (ok) {
		fwrite(data, 1, size, output.file);
		ok = output_commit(&output, &why);
	}
	free(data);
	return ok || give_error(&why, err);
}

bool batconv_snapshots_get(const struct batconv_snapshots *s, size_t number,
			   struct batconv_snapshot *out)
{
	if (number >= s->snapshots.all.len)
		return false;
	const struct snapshot *at = &s->snapshots.all.at[number];
	*out = (struct batconv_snapshot){.pid = at->pid,
					 .id = at->id,
					 .time = at->time,
					 .regions = (uint32_t)map_set_count(at->maps)};
	return true;
}

/* snapshot: NULL if there is none that was asked for */
static bool open_maps(const struct batconv_snapshots *s, const struct snapshot *snapshot,
		      struct batconv_maps **out, struct batconv_error *err)
{
	struct batconv_maps *maps = snapshot ? calloc(1, sizeof(*maps)) : NULL;
	struct bc_error why = {0};

	*out = NULL;
	if (maps && maps_of(snapshot->maps, &maps->maps)) {
		maps->files = &s->snapshots.files;
		*out = maps;
		return true;
	}
	free(maps);
	if (snapshot)
		bc_fail_nomem(&why);
	else
		bc_fail(&why, BC_NOTFOUND, "the process has no such map");
	return give_error(&why, err);
}

bool batconv_maps_open_at(const struct batconv_snapshots *s, uint32_t pid, uint64_t time,
			  struct batconv_maps **out, struct batconv_error *err)
{
	return open_maps(s, snapshots_at(&s->snapshots, pid, time), out, err);
}

bool batconv_maps_open_id(const struct batconv_snapshots *s, uint32_t pid, uint32_t id,
			  struct batconv_maps **out, struct batconv_error *err)
{
	return open_maps(s, snapshots_of_id(&s->snapshots, pid, id), out, err);
}

void batconv_maps_close(struct batconv_maps *maps)
{
	if (maps)
		maps_free(&maps->maps);
	free(maps);
}

/* NUL-terminated text that is there, or NULL. */
static const char *known(struct text text)
{
	return text.len ? text.at : NULL;
}

bool batconv_maps_region(const struct batconv_maps *maps, size_t number, struct batconv_region *out)
{
	if (number >= maps->maps.len)
		return false;
	const struct mapping *m = &maps->maps.at[number];
	struct text id = mapped_files_build_id(maps->files, m->file);
	*out = (struct batconv_region){
		.start = {m->start},
		.end = {m->end},
		.offset = {m->offset},
		.flags = m->flags,
		.path = known(mapped_files_path(maps->files, m->file)),
		.build_id = (const uint8_t *)known(id),
		.build_id_size = id.len,
		.go_build_id = known(mapped_files_go_id(maps->files, m->file)),
	};
	return true;
}

uint32_t batconv_maps_find(const struct batconv_maps *maps, struct batconv_run_addr at)
{
	const struct mapping *m = maps_find(&maps->maps, (struct run_addr){at.v});

	return m ? (uint32_t)(m - maps->maps.at) : BATCONV_NOWHERE;
}

/* Translates addresses block by block: the public type and the internal one have the same content
 * but are different types, so each block is copied. */
void batconv_maps_find_all(const struct batconv_maps *maps, const struct batconv_run_addr *at,
			   size_t count, uint32_t *out)
{
	struct run_addr block[256];

	for (size_t done = 0; done < count;) {
		size_t size = count - done < BC_COUNT(block) ? count - done : BC_COUNT(block);
		for (size_t i = 0; i < size; i++)
			block[i].v = at[done + i].v;
		maps_find_all(&maps->maps, block, size, out + done);
		done += size;
	}
}
