/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/perf_features.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/perf_data/perf_records.h"

/* perf reads the buffers of the processors one after the other when it begins another file, so
 * the parts of a recording overlap by a moment. */
#define OVERLAP_NS UINT64_C(1000000000)

/* FNV-1a. */
void recording_origin_tell(struct recording_origin *origin, enum origin_fact fact,
			   struct bytes bytes)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < bytes.size; i++)
		hash = (hash ^ bytes.data[i]) * 0x100000001b3;
	origin->facts[fact] = hash ? hash : 1;
}

/* For what does not show these nothing can be believed. */
static bool is_told(const struct recording_origin *origin)
{
	return origin->facts[ORIGIN_HOST] && origin->facts[ORIGIN_RELEASE] &&
	       origin->facts[ORIGIN_COMMAND] &&
	       (origin->facts[ORIGIN_PROCESSOR] || origin->facts[ORIGIN_PROCESSOR_ID]);
}

enum continuation recordings_judge(const struct recordings *before,
				   const struct recording_origin *origin, uint64_t first_ns)
{
	if (!before->last_ns || !is_told(origin) ||
	    memcmp(origin, &before->origin, sizeof(*origin)) != 0)
		return CONTINUATION_NONE;
	return first_ns >= before->last_ns || before->last_ns - first_ns <= OVERLAP_NS ?
		       CONTINUATION_OF_LAST :
		       CONTINUATION_GOES_BACK;
}

/* s32 pid, u8 id[20], u8 size, 3 bytes reserved, path */
#define ID_BYTES      20
#define MISC_HAS_SIZE (1u << 15) /* else the size is 20 */

void perf_build_ids_free(struct perf_build_ids *table)
{
	for (size_t i = 0; i < table->all.len; i++)
		free(table->all.at[i].path);
	perf_build_id_vec_free(&table->all);
	map_free(&table->by_path);
	*table = (struct perf_build_ids){0};
}

static bool is_user(uint16_t misc)
{
	unsigned mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_USER || mode == PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

/* The kernel's own entry, not one of a module: perf names the file if it found it. */
static bool is_kernel(uint16_t misc, struct text path)
{
	return (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL &&
	       (text_is(path, PERF_KERNEL_NAME) || text_starts(text_basename(path), "vmlinux"));
}

static uint64_t hash(uint64_t seed, struct text path)
{
	return hash_end(hash_bytes(seed, path.at, path.len));
}

static bool matches(const struct perf_build_id *all, uint32_t number, struct text path)
{
	return text_equal(text_of(all[number].path), path);
}
DEFINE_MAP(by_path, const struct perf_build_id *, struct text, hash, matches);

static bool push(struct perf_build_ids *table, struct perf_build_id entry, struct text path)
{
	entry.path = strndup(path.at, path.len);
	if (entry.path && perf_build_id_vec_push(&table->all, entry))
		return true;
	free(entry.path);
	return false;
}

/* A path that has two different build-ids is ambiguous. */
static bool put_entry(struct perf_build_ids *table, struct perf_build_id entry, struct text path)
{
	uint32_t number;

	if (by_path_find(&table->by_path, table->all.at, path, &number)) {
		table->all.at[number].ambiguous |=
			!build_id_equal(&table->all.at[number].id, &entry.id);
		return true;
	}
	if (!map_reserve(&table->by_path, 1) || !push(table, entry, path))
		return false;
	by_path_put(&table->by_path, path, (uint32_t)table->all.len - 1);
	return true;
}

bool perf_build_ids_add(struct perf_build_ids *table, uint16_t misc, struct bytes body,
			struct bc_error *err)
{
	struct perf_cursor c = perf_cursor(body);
	struct perf_build_id entry = {.ambiguous = false};
	cursor_u32(&c); /* pid, mostly -1 */
	struct bytes id = cursor_take(&c, ID_BYTES);
	uint32_t size = cursor_u32(&c) & 0xff;
	struct text path = bytes_string(c.rest);

	if (c.failed || !path.len)
		return bc_fail(err, BC_FORMAT, "a damaged build-id entry");
	if (is_kernel(misc, path))
		path = text_of(PERF_KERNEL_NAME);
	else if (!is_user(misc))
		return true;
	if (!(misc & MISC_HAS_SIZE) || size > ID_BYTES)
		size = ID_BYTES;
	entry.id.size = (uint8_t)size;
	memcpy(entry.id.data, id.data, size);
	return put_entry(table, entry, path) || bc_fail_nomem(err);
}

static int compare_paths(const void *a, const void *b)
{
	const struct perf_build_id *x = a, *y = b;

	return strcmp(x->path, y->path);
}

void perf_build_ids_sort(struct perf_build_ids *table)
{
	if (table->all.len)
		qsort(table->all.at, table->all.len, sizeof(*table->all.at), compare_paths);
	map_free(&table->by_path);
}

const struct build_id *perf_build_ids_find(const struct perf_build_ids *table, struct text path)
{
	uint32_t number;

	if (text_starts(path, PERF_KERNEL_NAME))
		path = text_of(PERF_KERNEL_NAME);
	if (!by_path_find(&table->by_path, table->all.at, path, &number))
		return NULL;
	const struct perf_build_id *entry = &table->all.at[number];
	return entry->ambiguous || !entry->id.size ? NULL : &entry->id;
}

struct feature {
	struct perf_cursor c;
	struct perf_features *out;
	struct perf_events *events;
	struct bc_error *err;
};

/* Append to a text of `size` bytes that is `len` long so far. */
static size_t append(char *out, size_t size, size_t len, struct text text)
{
	struct text cut = text_first(text, size - 1 - len);

	if (cut.len)
		memcpy(out + len, cut.at, cut.len);
	out[len + cut.len] = '\0';
	return len + cut.len;
}

static bool read_string(struct perf_cursor *c, char *out, size_t size)
{
	append(out, size, 0, cursor_string(c));
	return true;
}

static bool read_hostname(struct feature *s)
{
	return read_string(&s->c, s->out->info.hostname, sizeof(s->out->info.hostname));
}

/* It only distinguishes recordings. */
static bool read_nothing(struct feature *s)
{
	(void)s;
	return true;
}

static bool read_version(struct feature *s)
{
	return read_string(&s->c, s->out->info.version, sizeof(s->out->info.version));
}

static bool read_arch(struct feature *s)
{
	return read_string(&s->c, s->out->info.arch, sizeof(s->out->info.arch));
}

static bool read_cmdline(struct feature *s)
{
	char *out = s->out->info.cmdline;
	size_t len = 0, size = sizeof(s->out->info.cmdline);
	uint32_t count = cursor_u32(&s->c);

	*out = '\0';
	for (uint32_t i = 0; i < count && !s->c.failed; i++) {
		if (i)
			len = append(out, size, len, text_of(" "));
		len = append(out, size, len, cursor_string(&s->c));
	}
	return true;
}

static bool read_sample_time(struct feature *s)
{
	s->out->info.first_ns = cursor_u64(&s->c);
	s->out->info.last_ns = cursor_u64(&s->c);
	return true;
}

static bool read_compressed(struct feature *s)
{
	cursor_u32(&s->c); /* version */
	cursor_u32(&s->c); /* the algorithm: zstd is the only one */
	s->out->info.compression_level = cursor_u32(&s->c);
	cursor_u32(&s->c); /* ratio */
	s->out->info.mmap_size = cursor_u32(&s->c);
	return true;
}

/* The section is a sequence of build-id records. */
static bool read_build_ids(struct feature *s)
{
	while (s->c.rest.size && !s->c.failed) {
		cursor_u32(&s->c); /* the type, not always set */
		uint16_t misc = cursor_u16(&s->c), size = cursor_u16(&s->c);
		struct bytes body = cursor_take(&s->c, size < 8 ? UINT64_MAX : size - 8u);
		if (!s->c.failed && !perf_build_ids_add(&s->out->build_ids, misc, body, s->err))
			return false;
	}
	return true;
}

/* The attrs again, with names.  An event is identified by its first id, or by its index if it
 * has no ids. */
static bool read_event_desc(struct feature *s)
{
	uint32_t count = cursor_u32(&s->c), attr_size = cursor_u32(&s->c);

	for (uint32_t i = 0; i < count && !s->c.failed; i++) {
		cursor_take(&s->c, attr_size);
		uint32_t id_count = cursor_u32(&s->c);
		struct text name = cursor_string(&s->c);
		struct perf_cursor ids = s->c;
		cursor_skip(&s->c, id_count, 8);
		if (s->c.failed)
			break;
		if (id_count)
			perf_events_name_by_id(s->events, cursor_u64(&ids), name);
		else
			perf_events_name(s->events, i, name);
	}
	return true;
}

/* Lines of NAME,TYPE,CONFIG: names for events that have none. */
static void read_event_types(struct perf_events *events, struct text lines)
{
	struct text line;

	while (text_line(&lines, &line)) {
		struct text name = text_first(line, text_find(line, ','));
		struct text rest = text_behind(line, name.len);
		struct text type = text_first(rest, text_find(rest, ','));
		uint64_t type_value, config;
		if (text_dec(type, &type_value) && type_value <= UINT32_MAX &&
		    text_dec(text_behind(rest, type.len), &config))
			perf_events_name_by_config(events, (uint32_t)type_value, config, name);
	}
}

static struct text take_until_nul(struct perf_cursor *c)
{
	struct text text = bytes_string(c->rest);

	cursor_take(c, text.len < c->rest.size ? text.len + 1 : text.len);
	return text;
}

static bool read_meta_info(struct feature *s)
{
	while (s->c.rest.size) {
		struct text key = take_until_nul(&s->c), value = take_until_nul(&s->c);
		if (text_is(key, "event_type_info"))
			read_event_types(s->events, value);
		else if (text_is(key, "simpleperf_version"))
			snprintf(s->out->info.simpleperf, sizeof(s->out->info.simpleperf), "%.*s",
				 (int)(value.len < 64 ? value.len : 63), value.at);
	}
	return true;
}

static const struct reader {
	unsigned feature;
	const char *name;
	bool (*read)(struct feature *s);
} readers[] = {
	{PERF_FEATURE_BUILD_ID, "build-ids", read_build_ids},
	{PERF_FEATURE_HOSTNAME, "host name", read_hostname},
	{PERF_FEATURE_OS_RELEASE, "release of the system", read_nothing},
	{PERF_FEATURE_VERSION, "version", read_version},
	{PERF_FEATURE_ARCH, "architecture", read_arch},
	{PERF_FEATURE_CPU_DESC, "name of the processor", read_nothing},
	{PERF_FEATURE_CPU_ID, "processor", read_nothing},
	{PERF_FEATURE_CMDLINE, "command line", read_cmdline},
	{PERF_FEATURE_EVENT_DESC, "event names", read_event_desc},
	{PERF_FEATURE_SAMPLE_TIME, "sample times", read_sample_time},
	{PERF_FEATURE_COMPRESSED, "compression", read_compressed},
	{PERF_FEATURE_META_INFO, "meta information", read_meta_info},
};

static const struct reader *reader_of(unsigned feature)
{
	for (size_t i = 0; i < BC_COUNT(readers); i++)
		if (readers[i].feature == feature)
			return &readers[i];
	return NULL;
}

bool perf_feature_is_read(unsigned feature)
{
	return reader_of(feature);
}

/* Command lines are distinguished by all of them, also where they are too long to be kept. */
static void tell_origin(unsigned feature, struct bytes bytes, struct perf_features *out)
{
	static const unsigned facts[ORIGIN_FACTS] = {[ORIGIN_HOST] = PERF_FEATURE_HOSTNAME,
						     [ORIGIN_RELEASE] = PERF_FEATURE_OS_RELEASE,
						     [ORIGIN_PROCESSOR] = PERF_FEATURE_CPU_DESC,
						     [ORIGIN_PROCESSOR_ID] = PERF_FEATURE_CPU_ID,
						     [ORIGIN_COMMAND] = PERF_FEATURE_CMDLINE};

	for (unsigned i = 0; i < ORIGIN_FACTS; i++)
		if (facts[i] == feature)
			recording_origin_tell(&out->info.origin, (enum origin_fact)i, bytes);
}

bool perf_feature_parse(unsigned feature, struct bytes bytes, struct perf_features *out,
			struct perf_events *events, struct bc_error *err)
{
	struct feature s = {perf_cursor(bytes), out, events, err};
	const struct reader *reader = reader_of(feature);

	if (!reader)
		return true;
	if (!reader->read(&s))
		return false;
	if (!s.c.failed)
		tell_origin(feature, bytes, out);
	return !s.c.failed || bc_fail(err, BC_FORMAT, "damaged %s", reader->name);
}

#define UPDATE_NAME 2 /* EVENT_UPDATE records: what is updated */

void perf_setup_fini(struct perf_setup *setup)
{
	perf_events_free(&setup->events);
	perf_build_ids_free(&setup->features.build_ids);
}

/* A feature that cannot be read is counted and left out. */
static bool forgive(struct perf_setup *setup, const struct bc_error *err)
{
	if (err->code != BC_FORMAT && err->code != BC_UNSUPPORTED)
		return false;
	++*setup->damaged_features;
	return true;
}

static bool read_feature(struct perf_setup *setup, unsigned feature, struct perf_section section,
			 struct perf_section_reader sections, struct bc_error *err)
{
	struct bytes bytes;

	return (sections.read(sections.ctx, section, &bytes, err) &&
		perf_feature_parse(feature, bytes, &setup->features, &setup->events, err)) ||
	       forgive(setup, err);
}

static bool read_features(struct perf_setup *setup, struct perf_section_reader sections,
			  struct bc_error *err)
{
	struct perf_section table = perf_header_feature_table(&setup->header), section;
	struct perf_section entry = {table.offset, sizeof(section)};
	struct bytes bytes;

	for (unsigned i = 0; table.size && i < PERF_FEATURES; i++) {
		if (!perf_header_has(&setup->header, i))
			continue;
		if (perf_feature_is_read(i)) {
			if (!sections.read(sections.ctx, entry, &bytes, err))
				return forgive(setup, err);
			section = (struct perf_section){le64(bytes.data), le64(bytes.data + 8)};
			if (!read_feature(setup, i, section, sections, err))
				return false;
		}
		entry.offset += sizeof(section);
	}
	return true;
}

/* For a pipe only the bytes at the beginning can be read again: a small file is completely in
 * them. */
static bool has_features_at_hand(const struct perf_setup *setup, const struct perf_file *file)
{
	struct perf_section table = perf_header_feature_table(&setup->header);

	return file->seekable || range_fits(table.offset, table.size, file->start_size);
}

bool perf_setup_file(struct perf_setup *setup, struct perf_file *file, struct bc_error *err)
{
	struct bytes start = {file->start, file->start_size};
	struct perf_section_reader sections = perf_file_sections(file);

	if (!perf_header_parse(start, &setup->header, err))
		return false;
	if (setup->header.pipe)
		return true;
	setup->features_late = !has_features_at_hand(setup, file);
	return perf_file_keep(file, setup->header.data.offset, err) &&
	       perf_header_events(&setup->header, sections, &setup->events, err) &&
	       (setup->features_late || read_features(setup, sections, err));
}

bool perf_setup_ids_may_come(const struct perf_setup *setup)
{
	return setup->features_late || setup->header.pipe;
}

bool perf_setup_late(struct perf_setup *setup, struct perf_file *file, struct bc_error *err)
{
	return !setup->features_late || (perf_file_keep_rest(file, err) &&
					 read_features(setup, perf_file_sections(file), err));
}

static bool take_attr(struct perf_setup *setup, struct bytes body, struct bc_error *err)
{
	size_t size = perf_attr_size(body);
	struct perf_attr attr;

	if (!size || !perf_attr_parse(body, &attr))
		return bc_fail(err, BC_FORMAT, "a damaged event");
	setup->settled = false;
	return perf_events_add(&setup->events, &attr, bytes_from(body, size), err);
}

static bool take_feature(struct perf_setup *setup, struct bytes body, struct bc_error *err)
{
	struct perf_cursor c = perf_cursor(body);
	uint64_t feature = cursor_u64(&c);

	if (c.failed || feature >= PERF_FEATURES)
		return true;
	return perf_feature_parse((unsigned)feature, c.rest, &setup->features, &setup->events,
				  err) ||
	       forgive(setup, err);
}

static bool take_update(struct perf_setup *setup, struct bytes body)
{
	struct perf_cursor c = perf_cursor(body);
	uint64_t what = cursor_u64(&c), id = cursor_u64(&c);

	if (!c.failed && what == UPDATE_NAME)
		perf_events_name_by_id(&setup->events, id, bytes_string(c.rest));
	return true;
}

static bool take(struct perf_setup *setup, const struct perf_record *record, struct bc_error *err)
{
	switch (record->type) {
	case PERF_USER_ATTR: return take_attr(setup, record->body, err);
	case PERF_USER_FEATURE: return take_feature(setup, record->body, err);
	case PERF_USER_EVENT_UPDATE: return take_update(setup, record->body);
	case PERF_USER_BUILD_ID:
		return perf_build_ids_add(&setup->features.build_ids, record->misc, record->body,
					  err) ||
		       forgive(setup, err);
	default: return true;
	}
}

bool perf_setup_record(struct perf_setup *setup, const struct perf_record *record,
		       struct bc_error *err)
{
	struct bc_error why = {0};

	if (take(setup, record, &why))
		return true;
	return bc_fail(err, why.code, "%s, byte %" PRIu64, why.text, record->offset);
}

bool perf_setup_settle(struct perf_setup *setup, struct bc_error *err)
{
	if (!setup->settled)
		setup->settled = perf_events_settle(&setup->events, err);
	return setup->settled;
}

static uint64_t all_sample_types(const struct perf_setup *setup)
{
	uint64_t types = 0;

	for (size_t i = 0; i < setup->events.all.len; i++)
		types |= setup->events.all.at[i].attr.sample_type;
	return types;
}

bool perf_setup_has_stacks(const struct perf_setup *setup)
{
	return all_sample_types(setup) & PERF_SAMPLE_BRANCH_STACK;
}

bool perf_setup_has_partial_stacks(const struct perf_setup *setup)
{
	for (size_t i = 0; i < setup->events.all.len; i++) {
		if (setup->events.all.at[i].partial_stacks)
			return true;
	}
	return false;
}

bool perf_setup_is_timeless(const struct perf_setup *setup)
{
	return !(all_sample_types(setup) & PERF_SAMPLE_TIME);
}
