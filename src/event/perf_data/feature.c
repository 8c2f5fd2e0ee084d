/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/feature.h"

#include "src/event/perf_data/cursor.h"

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

/* It only tells recordings apart. */
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
		if (!s->c.failed &&
		    !perf_build_ids_add(&s->out->build_ids, misc, body, s->err))
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

/* Command lines are told apart by all of them, also where they are too long to be kept. */
static void tell_origin(unsigned feature, struct bytes bytes, struct perf_features *out)
{
	static const unsigned facts[ORIGIN_FACTS] = {
		[ORIGIN_HOST] = PERF_FEATURE_HOSTNAME, [ORIGIN_RELEASE] = PERF_FEATURE_OS_RELEASE,
		[ORIGIN_PROCESSOR] = PERF_FEATURE_CPU_DESC, [ORIGIN_PROCESSOR_ID] = PERF_FEATURE_CPU_ID,
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
