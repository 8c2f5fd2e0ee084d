/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Chunks of a trace as one row of bytes, and where bytes are missing. */
#include <stdlib.h>
#include <string.h>

#include "src/samples/aux/queue.h"
#include "tests/support/cmocka.h"

/* Byte n of the file is n, below 256. */
static bool read_file(void *ctx, uint64_t at, uint8_t *to, size_t size, struct bc_error *err)
{
	uint64_t *end = ctx;

	if (!range_fits(at, size, *end))
		return bc_fail(err, BC_FORMAT, "beyond the end");
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(at + i);
	return true;
}

static uint64_t file_size = UINT64_C(1) << 30;

static void add_file(struct aux_queues *queues, uint32_t number, uint64_t at, uint64_t size,
		     uint64_t file_at)
{
	struct bc_error err = {0};

	assert_true(aux_queue_add(
		queues, number,
		(struct aux_piece){.at = at, .size = size, .file_at = file_at, .time = at}, &err));
}

static void add_text(struct aux_queues *queues, uint32_t number, uint64_t at, const char *text)
{
	struct bc_error err = {0};
	size_t size = strlen(text);
	uint8_t *data = malloc(size + 1);

	memcpy(data, text, size + 1);
	assert_true(aux_queue_add(queues, number,
				  (struct aux_piece){.at = at, .size = size, .data = data}, &err));
}

static uint32_t begin(struct aux_queues *queues)
{
	uint32_t number;
	struct bc_error err = {0};

	*queues = (struct aux_queues){.file = {&file_size, read_file}};
	assert_true(aux_queues_obtain(queues, 3, AUX_NONE, 0, &number, &err));
	return number;
}

static enum aux_more more(struct aux_queues *queues, uint32_t number)
{
	struct bc_error err = {0};

	return aux_queue_read(queues, number, &err);
}

static void assert_window(const struct aux_queue *queue, uint64_t at, const char *text)
{
	struct bytes bytes = aux_queue_bytes(queue);

	assert_int_equal(aux_queue_at(queue), at);
	assert_int_equal(bytes.size, strlen(text));
	assert_memory_equal(bytes.data, text, bytes.size);
}

static void test_pieces_are_joined(void **state)
{
	struct aux_queues queues;
	uint32_t number = begin(&queues);
	struct aux_queue *queue = &queues.all.at[number];

	(void)state;
	assert_int_equal(more(&queues, number), AUX_NO_MORE);
	add_text(&queues, number, 100, "abc");
	add_text(&queues, number, 103, "");
	add_text(&queues, number, 103, "defg");
	assert_int_equal(queues.in_memory, 7);
	assert_int_equal(more(&queues, number), AUX_MORE);
	assert_window(queue, 100, "abc");
	aux_queue_keep(queue, 1);
	assert_int_equal(more(&queues, number), AUX_MORE);
	assert_window(queue, 102, "cdefg");
	assert_int_equal(more(&queues, number), AUX_NO_MORE);
	assert_window(queue, 102, "cdefg");
	assert_int_equal(queues.in_memory, 0);
	/* More can come. */
	add_text(&queues, number, 107, "h");
	assert_int_equal(more(&queues, number), AUX_MORE);
	assert_window(queue, 102, "cdefgh");
	aux_queue_keep(queue, 0);
	assert_int_equal(more(&queues, number), AUX_NO_MORE);
	assert_null(queue->window); /* it needs no memory any more */
	aux_queues_free(&queues);
}

static void test_gaps(void **state)
{
	struct aux_queues queues;
	uint32_t number = begin(&queues);
	struct aux_queue *queue = &queues.all.at[number];

	(void)state;
	add_text(&queues, number, 0, "abc");
	add_text(&queues, number, 8, "ijk");
	add_text(&queues, number, 4, "efg"); /* back: no part of a snapshot */
	assert_int_equal(more(&queues, number), AUX_MORE);
	assert_int_equal(more(&queues, number), AUX_GAP);
	assert_window(queue, 8, "ijk");
	assert_int_equal(more(&queues, number), AUX_GAP);
	assert_window(queue, 4, "efg");
	aux_queues_free(&queues);
}

/* The recorder says where it lost something: reading stops there, though no position is missing. */
static void test_losses(void **state)
{
	struct aux_queues queues;
	uint32_t number = begin(&queues);
	struct aux_queue *queue = &queues.all.at[number];
	struct bc_error err = {0};

	(void)state;
	assert_true(aux_queue_lost(queue, 2, &err) && aux_queue_lost(queue, 5, &err) &&
		    aux_queue_lost(queue, 5, &err) && aux_queue_lost(queue, 99, &err));
	add_text(&queues, number, 0, "abcd");
	add_text(&queues, number, 4, "efgh");
	assert_int_equal(more(&queues, number), AUX_MORE);
	assert_window(queue, 0, "ab");
	aux_queue_keep(queue, 1);
	assert_int_equal(more(&queues, number), AUX_LOSS);
	assert_window(queue, 2, "cd");
	assert_int_equal(more(&queues, number), AUX_MORE);
	assert_window(queue, 2, "cde");
	assert_int_equal(more(&queues, number), AUX_LOSS);
	assert_window(queue, 5, "fgh");
	assert_int_equal(more(&queues, number), AUX_NO_MORE);
	aux_queues_free(&queues);
}

/* Snapshots of a ring: what was in the one before is passed; one that has nothing new is left out.
 */
static void test_pictures(void **state)
{
	struct aux_queues queues;
	uint32_t number = begin(&queues);
	struct aux_queue *queue = &queues.all.at[number];

	(void)state;
	queue->overwrites = true;
	add_text(&queues, number, 10, "abcdef");
	add_text(&queues, number, 10, "abcdef"); /* nothing was written in between ... */
	add_text(&queues, number, 12, "cd");     /* ... or it ends before */
	add_text(&queues, number, 14, "efgh");
	add_text(&queues, number, 18, "i");
	add_text(&queues, number, 30, "xyz");
	assert_int_equal(more(&queues, number), AUX_GAP); /* the first can begin anywhere */
	assert_window(queue, 10, "abcdef");
	assert_int_equal(more(&queues, number), AUX_MORE);
	assert_window(queue, 10, "abcdefgh");
	assert_int_equal(more(&queues, number), AUX_MORE);
	assert_window(queue, 10, "abcdefghi");
	assert_int_equal(more(&queues, number), AUX_GAP);
	assert_window(queue, 30, "xyz");
	add_text(&queues, number, 30, "xyz");
	assert_int_equal(more(&queues, number), AUX_NO_MORE);
	assert_int_equal(queue->left, 0);
	assert_int_equal(queues.in_memory, 0);
	aux_queues_free(&queues);
}

/* A window is no larger than it may be, whatever the chunk says, and a reader that takes nothing is
 * stopped. */
static void test_window(void **state)
{
	struct aux_queues queues;
	uint32_t number = begin(&queues);
	struct aux_queue *queue = &queues.all.at[number];
	struct bc_error err = {0};
	uint64_t read = 0;

	(void)state;
	add_file(&queues, number, 0, 3 * AUX_WINDOW + 7, 1000);
	for (; more(&queues, number) == AUX_MORE; aux_queue_keep(queue, 3)) {
		struct bytes bytes = aux_queue_bytes(queue);
		assert_true(queue->capacity <= AUX_WINDOW);
		for (size_t i = 0; i < bytes.size; i++)
			assert_int_equal(bytes.data[i], (uint8_t)(1000 + aux_queue_at(queue) + i));
		read = aux_queue_at(queue) + bytes.size;
	}
	assert_int_equal(read, 3 * AUX_WINDOW + 7);
	add_file(&queues, number, read, 2 * AUX_WINDOW, 0);
	assert_int_equal(aux_queue_read(&queues, number, &err), AUX_MORE);
	assert_int_equal(aux_queue_read(&queues, number, &err), AUX_FAILED);
	assert_int_equal(err.code, BC_FORMAT);
	/* What the file cannot give is its error. */
	aux_queue_keep(queue, 0);
	queue->pieces.at[queue->first].file_at = file_size;
	assert_int_equal(aux_queue_read(&queues, number, &err), AUX_FAILED);
	assert_string_equal(err.text, "beyond the end");
	aux_queues_free(&queues);
}

static void test_whose_they_are(void **state)
{
	struct aux_queues queues = {0};
	struct bc_error err = {0};
	uint32_t cpu, thread, other, index, again;

	(void)state;
	assert_true(aux_queues_obtain(&queues, 3, AUX_NONE, 0, &cpu, &err));
	assert_true(aux_queues_obtain(&queues, AUX_NONE, 3, 0, &thread, &err));
	assert_true(aux_queues_obtain(&queues, AUX_NONE, AUX_NONE, 3, &index, &err));
	assert_true(aux_queues_obtain(&queues, AUX_NONE, AUX_NONE, 4, &other, &err));
	assert_int_equal(queues.all.len, 4);
	assert_true(aux_queues_obtain(&queues, 3, 77, 9, &again,
				      &err)); /* a processor's, whatever its index */
	assert_int_equal(again, cpu);
	assert_ptr_equal(aux_queues_find(&queues, 3, 3), &queues.all.at[cpu]);
	assert_ptr_equal(aux_queues_find(&queues, 4, 3), &queues.all.at[thread]);
	assert_ptr_equal(aux_queues_find(&queues, AUX_NONE, 3), &queues.all.at[thread]);
	assert_null(aux_queues_find(&queues, 4, AUX_NONE));
	for (uint32_t i = 4; i < AUX_QUEUES_MOST; i++)
		assert_true(aux_queues_obtain(&queues, i, AUX_NONE, 0, &again, &err));
	assert_true(aux_queues_obtain(&queues, 5, AUX_NONE, 0, &again, &err));
	assert_false(aux_queues_obtain(&queues, 1, AUX_NONE, 0, &again, &err));
	assert_int_equal(err.code, BC_FORMAT);
	aux_queues_free(&queues);
}

/* A position that passes the end of all numbers: nothing is there. */
static void test_no_such_position(void **state)
{
	struct aux_queues queues;
	uint32_t number = begin(&queues);

	(void)state;
	add_file(&queues, number, UINT64_MAX - 3, 10, 0);
	assert_int_equal(more(&queues, number), AUX_NO_MORE);
	aux_queues_free(&queues);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_are_joined),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_pictures),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_whose_they_are),
		cmocka_unit_test(test_no_such_position),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
