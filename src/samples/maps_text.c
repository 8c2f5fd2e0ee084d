/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/maps_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/base/text.h"

#define HEAD "# batconv-maps"

/* Where the kernel begins to write the path. */
#define PATH_COLUMN 73

/* Take the text up to a separator off the front, and the separator. */
static bool take_hex(struct text *rest, char separator, uint64_t *out)
{
	size_t len = text_find(*rest, separator);

	if (len == rest->len || !text_hex(text_first(*rest, len), out))
		return false;
	*rest = text_from(*rest, len + 1);
	return true;
}

static bool parse_flags(struct text word, uint32_t *out)
{
	static const char letters[] = "rwx";

	if (word.len != 4 || (word.at[3] != 'p' && word.at[3] != 's'))
		return false;
	*out = word.at[3] == 's' ? MAPPING_SHARED : 0;
	for (int i = 0; i < 3; i++) {
		if (word.at[i] == letters[i])
			*out |= 1u << i;
		else if (word.at[i] != '-')
			return false;
	}
	return true;
}

static bool parse_device(struct text word, struct maps_line *out)
{
	uint64_t major, minor;

	if (!take_hex(&word, ':', &major) || !text_hex(word, &minor) || major > UINT32_MAX ||
	    minor > UINT32_MAX)
		return false;
	out->major = (uint32_t)major;
	out->minor = (uint32_t)minor;
	return true;
}

const char *maps_line_parse(struct text line, struct maps_line *out)
{
	struct text rest = line;

	*out = (struct maps_line){0};
	if (!take_hex(&rest, '-', &out->start) || !take_hex(&rest, ' ', &out->end))
		return "expected START-END";
	if (out->start >= out->end)
		return "the region ends before it begins";
	if (!parse_flags(text_word(&rest), &out->flags))
		return "expected permissions such as r-xp";
	if (!text_hex(text_word(&rest), &out->offset))
		return "expected a file offset";
	if (out->offset > UINT64_MAX - (out->end - out->start))
		return "the region reaches beyond the largest file";
	if (!parse_device(text_word(&rest), out))
		return "expected a device, MAJOR:MINOR";
	if (!text_dec(text_word(&rest), &out->inode))
		return "expected an inode";
	while (rest.len && (*rest.at == ' ' || *rest.at == '\t'))
		rest = text_from(rest, 1);
	out->path = rest;
	return NULL;
}

size_t maps_path_unescape(struct text path, char *out)
{
	size_t len = 0;

	for (size_t i = 0; i < path.len; i++) {
		if (text_starts(text_from(path, i), "\\012")) {
			out[len++] = '\n';
			i += 3;
		} else {
			out[len++] = path.at[i];
		}
	}
	return len;
}

/* pid=77 */
static bool parse_field(struct text word, const char *name, uint64_t most, uint64_t *out)
{
	size_t len = strlen(name);

	return text_starts(word, name) && word.len > len && word.at[len] == '=' &&
	       text_dec(text_from(word, len + 1), out) && *out <= most;
}

bool maps_head_parse(struct text line, struct maps_head *out)
{
	uint64_t pid = 0, id = 0, time = 0;

	if (!text_starts(line, HEAD))
		return false;
	struct text rest = text_from(line, strlen(HEAD));
	if (rest.len && *rest.at != ' ')
		return false;
	for (struct text word; (word = text_word(&rest)).len;)
		if (!parse_field(word, "pid", UINT32_MAX, &pid) &&
		    !parse_field(word, "id", UINT32_MAX, &id) &&
		    !parse_field(word, "time", UINT64_MAX, &time))
			return false;
	*out = (struct maps_head){(uint32_t)pid, (uint32_t)id, time};
	return true;
}

static bool intern_path(struct strings *texts, struct text path, uint32_t *out)
{
	if (text_find(path, '\\') == path.len)
		return strings_intern(texts, path, out);
	char *copy = malloc(path.len + 1);
	if (!copy)
		return false;
	bool ok = strings_intern(texts, (struct text){copy, maps_path_unescape(path, copy)}, out);
	free(copy);
	return ok;
}

static bool put_line(const struct maps_line *line, struct mapped_files *files,
		     struct map_set **maps)
{
	struct mapped_file file = {
		.inode = line->inode, .major = line->major, .minor = line->minor};
	struct mapping mapping = {.start = line->start,
				  .end = line->end,
				  .offset = line->offset,
				  .flags = line->flags};

	return intern_path(&files->texts, line->path, &file.path) &&
	       mapped_files_intern(files, &file, &mapping.file) &&
	       map_set_replace(maps, mapping.start, mapping.end, &mapping);
}

bool maps_text_read(struct text *rest, uint64_t *number, struct mapped_files *files,
		    struct map_set **maps, struct bc_error *err)
{
	struct maps_head head;
	struct maps_line line;
	uint64_t blank;

	while (rest->len) {
		size_t len = text_find(*rest, '\n');
		struct text text = text_first(*rest, len);
		if (maps_head_parse(text, &head))
			break;
		*rest = text_from(*rest, len + 1);
		++*number;
		if (!text_trim(text).len || *text.at == '#') {
			*rest = text_from(*rest, text_blank_lines(*rest, &blank));
			*number += blank;
			continue;
		}
		const char *wrong = maps_line_parse(text, &line);
		if (wrong)
			return bc_fail(err, BC_FORMAT, "line %" PRIu64 ": %s", *number, wrong);
		if (!put_line(&line, files, maps))
			return bc_fail_nomem(err);
	}
	return true;
}

/* All but the path, which is returned. */
static struct text write_region(const struct mapping *m, const struct mapped_files *files,
				FILE *out)
{
	const struct mapped_file *file = mapped_files_at(files, m->file);
	struct text path = strings_at(&files->texts, file->path);
	int len = fprintf(out,
			  "%08" PRIx64 "-%08" PRIx64 " %c%c%c%c %08" PRIx64 " %02" PRIx32
			  ":%02" PRIx32 " %" PRIu64 " ",
			  m->start, m->end, m->flags & MAPPING_READ ? 'r' : '-',
			  m->flags & MAPPING_WRITE ? 'w' : '-', m->flags & MAPPING_EXEC ? 'x' : '-',
			  m->flags & MAPPING_SHARED ? 's' : 'p', m->offset, file->major,
			  file->minor, file->inode);
	if (path.len && len > 0 && len < PATH_COLUMN)
		fprintf(out, "%*s", PATH_COLUMN - len, "");
	return path;
}

void maps_text_write_mapping(const struct mapping *m, const struct mapped_files *files, FILE *out)
{
	struct text path = write_region(m, files, out);

	for (size_t i = 0; i < path.len; i++)
		if (path.at[i] == '\n')
			fputs("\\012", out);
		else
			putc(path.at[i], out);
	putc('\n', out);
}

void maps_text_print_mapping(const struct mapping *m, const struct mapped_files *files, FILE *out)
{
	print_name(write_region(m, files, out), out);
	putc('\n', out);
}

void maps_text_write_head(const struct maps_head *head, FILE *out)
{
	fprintf(out, HEAD " pid=%" PRIu32 " id=%" PRIu32 " time=%" PRIu64 "\n", head->pid, head->id,
		head->time);
}
