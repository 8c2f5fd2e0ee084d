/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CoreSight's frames, by the tables of IHI 0029. */
#include "src/samples/aux/etm_frame.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"

/* What frames hold, as "ID:byte byte ID:byte ..." in hex; "|" where something was lost. */
static void deal(struct etm_frames *frames, const void *data, size_t size, char *text, unsigned *id,
		 size_t *left)
{
	struct bytes rest = {data, size};
	struct etm_byte out[15];
	unsigned count;
	char *end = text + strlen(text);

	for (;;) {
		enum etm_frame frame = etm_frame_next(frames, &rest, out, &count);
		if (frame == ETM_FRAME_CUT)
			break;
		if (frame == ETM_FRAME_BARRIER) {
			end += sprintf(end, "|");
			*id = 0;
			continue;
		}
		for (unsigned i = 0; i < count; *id = out[i++].id)
			end += out[i].id != *id ? sprintf(end, "%x:%x ", out[i].id, out[i].data) :
						  sprintf(end, "%x ", out[i].data);
	}
	*left = rest.size;
}

#define FRAME_16 "\x21\x80\x00\x01\x00\x85\x10\x00\x00\x00\x00\x00\xf6\xfe\x00\x48"

/* A trace id, then 14 bytes; byte 15 has the lowest bits of the even ones after byte 0. */
static void test_one_source(void **state)
{
	struct etm_frames frames = {0};
	char text[512] = "";
	size_t left;
	unsigned id = 0;

	(void)state;
	deal(&frames, FRAME_16, 16, text, &id, &left);
	assert_string_equal(text, "10:80 0 1 0 85 11 0 0 0 0 0 f7 fe 0 ");
	assert_int_equal(left, 0);
	/* the id holds in the next frame */
	*text = 0;
	deal(&frames, "\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x01", 16, text,
	     &id, &left);
	assert_string_equal(text, "3 3 4 5 6 7 8 9 a b c d e f 10 ");
}

/* A trace id at once, and one of which the next byte is still of the source before; padding (id 0)
 * and reserved ids are left out. */
static void test_change_of_source(void **state)
{
	struct etm_frames frames = {0};
	char text[512] = "";
	size_t left;
	unsigned id = 0;

	(void)state;
	deal(&frames, "\x21\xa1\x23\xa2\xa4\xa3\x23\xb1\x01\xb2\xb4\xb3\xfb\xb5\xb6\x02", 16, text,
	     &id, &left);
	assert_string_equal(text, "10:a1 a2 11:a4 a3 b1 ");
	/* of no source yet: left out */
	struct etm_frames other = {0};
	*text = 0;
	id = 0;
	deal(&other, "\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x21\x0f\x10\x00", 16, text,
	     &id, &left);
	assert_string_equal(text, "10:f 10 ");
}

/* Chunks of any size make the same of the same bytes, with synchronizations between and within
 * frames. */
static void test_pieces(void **state)
{
	static const char stream[] =
		"\xff\xff\xff\x7f" FRAME_16
		"\xff\xff\xff\x7f\x21\x80\xff\x7f\x00\x01\x00\x85\x10\x00\x00\x00\xff\x7f\xff\x7f\x00\x00\xf6\xfe\x00\x48";

	(void)state;
	for (size_t piece = 1; piece < sizeof(stream); piece++) {
		struct etm_frames frames = {0};
		uint8_t window[sizeof(stream)];
		char text[512] = "";
		size_t left = 0;
		unsigned id = 0;
		for (size_t at = 0; at < sizeof(stream) - 1; at += piece) {
			size_t more =
				sizeof(stream) - 1 - at < piece ? sizeof(stream) - 1 - at : piece;
			memcpy(window + left, stream + at, more);
			size_t have = left + more;
			deal(&frames, window, have, text, &id, &left);
			memmove(window, window + have - left, left);
		}
		assert_string_equal(
			text,
			"10:80 0 1 0 85 11 0 0 0 0 0 f7 fe 0 80 0 1 0 85 11 0 0 0 0 0 f7 fe 0 ");
	}
}

/* Four full synchronizations in a row; three are none of a barrier.  The source is not known after
 * one if there were several. */
static void test_barrier(void **state)
{
	struct etm_frames frames = {0};
	char text[512] = "";
	size_t left;
	unsigned id = 0;
	static const char sync[] =
		"\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f";

	(void)state;
	deal(&frames, FRAME_16, 16, text, &id, &left);
	deal(&frames, sync, 12, text, &id, &left);
	deal(&frames, "\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x21\x00", 16, text,
	     &id, &left);
	deal(&frames, sync, 16, text, &id, &left);
	deal(&frames, "\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x21\x0f\x10\x00", 16, text,
	     &id, &left);
	assert_string_equal(
		text,
		"10:80 0 1 0 85 11 0 0 0 0 0 f7 fe 0 2 3 4 5 6 7 8 9 a b c d e f |10:2 3 4 5 6 7 8 9 a b c d f 10 ");
	*text = 0;
	id = 0;
	deal(&frames, "\x23\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x00", 16, text,
	     &id, &left);
	deal(&frames, sync, 16, text, &id, &left);
	deal(&frames, "\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x21\x0f\x10\x00", 16, text,
	     &id, &left);
	assert_string_equal(text, "11:3 4 5 6 7 8 9 a b c d e f 10 |10:f 10 ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_source),
		cmocka_unit_test(test_change_of_source),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_barrier),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
