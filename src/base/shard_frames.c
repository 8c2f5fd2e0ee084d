/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/shard_frames.h"

#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <string.h>

#define MAGIC_SIZE  ((size_t)8)
#define CHECKSUM_AT (SHARD_FRAME - SHARD_CHECKSUM_LINE)
#define LATER       (SHARD_VERSION + 1)

static const char magic[MAGIC_SIZE + 1] =
	"\x5b\x2a\x4d\x18\x00\x01\x00\x00"; /* and the size of the text */
static const char *const titles[] = {
	[SHARD_HEAD] = "batconv-shard ", [SHARD_TAIL] = "batconv-shard-end "};

/* ---- writing ---- */

void shard_frame_make(enum shard_frame which, const char *lines, uint8_t out[SHARD_FRAME])
{
	char text[SHARD_TEXT];
	int length = snprintf(text, sizeof(text), "%s%d\n%s", titles[which], SHARD_VERSION, lines);

	memcpy(out, magic, MAGIC_SIZE);
	memset(out + MAGIC_SIZE, ' ', SHARD_TEXT);
	memcpy(out + MAGIC_SIZE, text, (size_t)length < SHARD_TEXT ? (size_t)length : SHARD_TEXT);
}

uint64_t shard_checksum(uint64_t checksum, const void *data, size_t size)
{
	return lzma_crc64(data, size, checksum);
}

static void checksum_line(uint64_t before, const uint8_t frame[SHARD_FRAME],
			  char out[SHARD_CHECKSUM_LINE + 1])
{
	snprintf(out, SHARD_CHECKSUM_LINE + 1, SHARD_CHECKSUM "%016" PRIx64 "\n",
		 shard_checksum(before, frame, CHECKSUM_AT));
}

void shard_frame_close(uint64_t before, uint8_t frame[SHARD_FRAME])
{
	char line[SHARD_CHECKSUM_LINE + 1];

	checksum_line(before, frame, line);
	memcpy(frame + CHECKSUM_AT, line, SHARD_CHECKSUM_LINE);
}

/* ---- reading ---- */

static unsigned version_of(enum shard_frame which, const uint8_t *frame, size_t size)
{
	struct text text = {(const char *)frame + MAGIC_SIZE,
			    size < MAGIC_SIZE ? 0 : size - MAGIC_SIZE};

	if (!text_starts(text, titles[which]))
		return 0;
	text = text_from(text, strlen(titles[which]));
	return text_starts(text, "1\n") ? 1 : text_starts(text, "2\n") ? 2 : LATER;
}

unsigned shard_frame_version(enum shard_frame which, const uint8_t frame[SHARD_FRAME])
{
	return version_of(which, frame, SHARD_FRAME);
}

bool shard_frames_fit(unsigned head, unsigned tail, struct bc_error *err)
{
	if (head == LATER ? !tail || tail == LATER : !head && tail == LATER)
		return bc_fail(err, BC_UNSUPPORTED, "a shard of a later version of batconv");
	if (head == tail)
		return true;
	if (!tail)
		return bc_fail(err, BC_FORMAT, "the end of the shard is missing: it was cut");
	return head ? bc_fail(err, BC_FORMAT,
			      "the beginning of the shard and its end are of two versions: it was damaged") :
		      bc_fail(err, BC_FORMAT,
			      "the beginning of the shard is missing or was damaged");
}

static bool is_blank(struct text text)
{
	size_t at = 0;

	while (at < text.len && text.at[at] == ' ')
		at++;
	return at == text.len;
}

bool shard_frame_lines(enum shard_frame which, const uint8_t frame[SHARD_FRAME], struct text *lines)
{
	const char *begin =
		(const char *)frame + MAGIC_SIZE + strlen(titles[which]) + strlen("1\n");
	const char *end =
		(const char *)frame +
		(which == SHARD_TAIL && version_of(which, frame, SHARD_FRAME) > 1 ? CHECKSUM_AT :
										    SHARD_FRAME);
	const char *last = end;

	while (last > begin && last[-1] != '\n')
		last--;
	*lines = (struct text){begin, (size_t)(last - begin)};
	return !memcmp(frame, magic, MAGIC_SIZE) &&
	       is_blank((struct text){last, (size_t)(end - last)});
}

bool shard_frame_value(struct text *rest, const char *key, struct text *value)
{
	struct text line;

	if (!text_line(rest, &line) || !text_starts(line, key))
		return false;
	*value = text_from(line, strlen(key));
	return true;
}

bool shard_frame_identity(struct text *rest, struct build_id *out)
{
	struct text id;

	out->size = 0;
	return shard_frame_value(rest, "identity ", &id) &&
	       (text_is(id, "-") || build_id_parse(id, out));
}

/* A head that says nothing sensible is damaged, which its checksum shows at the end. */
static void take_head(struct shard_check *check)
{
	struct text lines, line;

	check->head = version_of(SHARD_HEAD, check->last, check->held);
	if (!check->head || check->held < SHARD_FRAME ||
	    !shard_frame_lines(SHARD_HEAD, check->last, &lines))
		return;
	while (lines.len && !text_starts(lines, "identity "))
		if (!text_line(&lines, &line))
			return;
	if (!shard_frame_identity(&lines, &check->identity))
		check->identity.size = 0;
}

static void add(struct shard_check *check, const uint8_t *data, size_t size)
{
	if (check->head > 1)
		check->before = shard_checksum(check->before, data, size);
}

/* Up to a whole frame the bytes are those of the head; from then on the last ones are kept. */
void shard_check_take(struct shard_check *check, const uint8_t *data, size_t size)
{
	size_t fill = SHARD_FRAME - check->held < size ? SHARD_FRAME - check->held : size;

	memcpy(check->last + check->held, data, fill);
	check->held += fill;
	if (!check->begun)
		take_head(check);
	if (fill == size)
		return;
	check->begun = true;
	data += fill;
	size -= fill;
	size_t over = size < SHARD_FRAME ? size : SHARD_FRAME; /* so many of `last` make room */
	add(check, check->last, over);
	add(check, data, size - over);
	memmove(check->last, check->last + over, SHARD_FRAME - over);
	memcpy(check->last + SHARD_FRAME - over, data + (size - over), over);
}

bool shard_check_end(const struct shard_check *check, struct bc_error *err)
{
	unsigned head = check->head, tail = version_of(SHARD_TAIL, check->last, check->held);
	char line[SHARD_CHECKSUM_LINE + 1];

	if (!shard_frames_fit(head, tail, err))
		return false;
	if (head < 2)
		return true;
	checksum_line(check->before, check->last, line);
	return !memcmp(line, check->last + CHECKSUM_AT, SHARD_CHECKSUM_LINE) ||
	       bc_fail(err, BC_FORMAT,
		       "the checksum does not match: the shard was damaged, or is several shards");
}
