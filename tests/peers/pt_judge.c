/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Intel PT as libipt reads it, compared with batconv's reader:  pt_judge WHAT TRACE [IMAGES]
 *
 * `packets`  where packets end: the same for both; prints how many there are
 * `answers`  the branch outcomes that batconv's reader has, a line each
 * `queries`  ... and what libipt has when it is asked, in the same words
 * `branches` what was taken, by libipt, which walks the code of IMAGES: lines `AT START SIZE OFFSET
 *           FILE`, each from that position of the trace on
 */
#include <inttypes.h>
#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/aux/pt.h"

static uint8_t *trace;
static size_t trace_size;

static void fatal(const char *what)
{
	fprintf(stderr, "pt_judge: %s\n", what);
	exit(1);
}

static void read_trace(const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file || fseek(file, 0, SEEK_END) || ftell(file) < 0)
		fatal("no trace");
	trace_size = (size_t)ftell(file);
	rewind(file);
	trace = malloc(trace_size + 1);
	if (!trace || fread(trace, 1, trace_size, file) != trace_size)
		fatal("cannot read the trace");
	fclose(file);
}

static struct pt_config config_of(void)
{
	struct pt_config config = {
		.size = sizeof(config), .begin = trace, .end = trace + trace_size};

	return config;
}

/* ---- packets ---- */

/* Each byte is given to batconv's reader by itself: where nothing is left of it, a packet ends. */
static void mark_ends(uint8_t *ends)
{
	struct flow_answer answers[2 * FLOW_BATCH_ROOM];
	struct flow_batch batch = {answers, 0, sizeof(answers) / sizeof(*answers)};
	struct pt_decoder decoder = {0};
	size_t left = 0;

	for (size_t i = 0; i < trace_size; i++) {
		struct bytes rest = {trace + i - left, left + 1};
		while (pt_read(&decoder, &rest, &batch))
			batch.count = 0;
		batch.count = 0;
		left = rest.size;
		ends[i] = !left;
	}
	if (decoder.counts.bad_bytes)
		fatal("batconv: bytes that are no packet");
}

static void compare_packets(void)
{
	struct pt_config config = config_of();
	struct pt_packet_decoder *decoder = pt_pkt_alloc_decoder(&config);
	uint8_t *ends = calloc(1, trace_size + 1);
	uint64_t at = 0, count = 0;

	if (!decoder || !ends || pt_pkt_sync_forward(decoder) < 0)
		fatal("libipt: no PSB");
	mark_ends(ends);
	for (;;) {
		struct pt_packet packet;
		int size = pt_pkt_next(decoder, &packet, sizeof(packet));
		if (size == -pte_eos)
			break;
		if (size < 0)
			fatal(pt_errstr(pt_errcode(size)));
		uint64_t next = 0;
		(void)pt_pkt_get_offset(decoder, &next);
		for (uint64_t i = at; i < next; i++)
			if (ends[i] != (i + 1 == next)) {
				fprintf(stderr,
					"pt_judge: a packet ends at byte %" PRIu64
					" for one, and not for the other\n",
					i + 1);
				exit(1);
			}
		at = next;
		count++;
	}
	printf("%" PRIu64 " packets\n", count);
	pt_pkt_free_decoder(decoder);
	free(ends);
}

/* ---- branch outcomes ---- */

static void print_answers(const struct flow_batch *batch)
{
	static const char *const names[] = {"bits", "target", "at",  "leave",
					    "stop", "begin",  "lost"};

	for (size_t i = 0; i < batch->count; i++) {
		const struct flow_answer *a = &batch->at[i];
		if (a->kind == FLOW_BITS)
			for (unsigned k = 0; k < a->count; k++)
				puts(a->value >> k & 1 ? "taken" : "not");
		else if (a->kind == FLOW_LOST)
			puts("lost");
		else
			printf("%s %" PRIx64 "\n", names[a->kind], a->value);
	}
}

static void answer(void)
{
	struct flow_answer answers[512];
	struct flow_batch batch = {answers, 0, sizeof(answers) / sizeof(*answers)};
	struct pt_decoder decoder = {0};
	struct bytes rest = {trace, trace_size};

	for (bool more = true; more; batch.count = 0) {
		more = pt_read(&decoder, &rest, &batch);
		print_answers(&batch);
	}
}

static void print_event(const struct pt_event *e)
{
	uint64_t none = 0;
	bool is_state = e->status_update && (e->type == ptev_enabled || e->type == ptev_disabled);

	if (is_state) /* libipt 2.1 says at each PSB whether it is enabled */
		return;
	switch (e->type) {
	case ptev_enabled: printf("begin %" PRIx64 "\n", e->variant.enabled.ip); break;
	case ptev_disabled:
		printf("stop %" PRIx64 "\n", e->ip_suppressed ? none : e->variant.disabled.ip);
		break;
	case ptev_async_disabled:
		printf("leave %" PRIx64 "\n", e->variant.async_disabled.at);
		break;
	case ptev_async_branch:
		printf("leave %" PRIx64 "\nbegin %" PRIx64 "\n", e->variant.async_branch.from,
		       e->variant.async_branch.to);
		break;
	case ptev_overflow:
		puts("lost");
		if (!e->ip_suppressed)
			printf("at %" PRIx64 "\n", e->variant.overflow.ip);
		break;
	case ptev_exec_mode: /* there is one at each PSB in the program */
		if (e->status_update && !e->ip_suppressed)
			printf("at %" PRIx64 "\n", e->variant.exec_mode.ip);
		break;
	default: break;
	}
}

static void query(void)
{
	struct pt_config config = config_of();
	struct pt_query_decoder *decoder = pt_qry_alloc_decoder(&config);
	uint64_t ip;

	if (!decoder)
		fatal("libipt: no decoder");
	for (;;) {
		int status = pt_qry_sync_forward(decoder, &ip);
		if (status == -pte_eos)
			break;
		while (status >= 0) {
			if (status & pts_event_pending) {
				struct pt_event event;
				status = pt_qry_event(decoder, &event, sizeof(event));
				if (status >= 0)
					print_event(&event);
				continue;
			}
			int taken;
			status = pt_qry_cond_branch(decoder, &taken);
			if (status >= 0) {
				puts(taken ? "taken" : "not");
				continue;
			}
			if (status == -pte_bad_query)
				status = pt_qry_indirect_branch(decoder, &ip);
			if (status >= 0)
				printf("target %" PRIx64 "\n", ip);
		}
		if (status == -pte_eos)
			break;
		fprintf(stderr, "pt_judge: libipt: %s\n", pt_errstr(pt_errcode(status)));
		puts("lost");
	}
	pt_qry_free_decoder(decoder);
}

/* ---- branches ---- */

struct image_part {
	uint64_t at, start, size, offset;
	char path[400];
};
static struct image_part parts[64];
static unsigned part_count, next_part;

static void read_images(const char *path)
{
	FILE *file = fopen(path, "r");
	struct image_part *p = parts;

	if (!file)
		fatal("no list of images");
	while (part_count < 64 &&
	       fscanf(file, "%" SCNu64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %399s", &p->at,
		      &p->start, &p->size, &p->offset, p->path) == 5) {
		part_count++;
		p++;
	}
	fclose(file);
}

static void map_images(struct pt_image *image, uint64_t at)
{
	for (; next_part < part_count && parts[next_part].at <= at; next_part++) {
		const struct image_part *p = &parts[next_part];
		if (pt_image_add_file(image, p->path, p->offset, p->size, NULL, p->start) < 0)
			fatal("libipt does not take an image");
	}
}

static void print_branch(const struct pt_insn *from, uint64_t to)
{
	if (from->iclass == ptic_call || from->iclass == ptic_return || from->iclass == ptic_jump ||
	    from->ip + from->size != to)
		printf("%" PRIx64 " %" PRIx64 "\n", from->ip, to);
}

/* What leaves the program shows where the last branch led to.  Does the line continue? */
static bool end_line(const struct pt_event *event, const struct pt_insn *last)
{
	switch (event->type) {
	case ptev_async_disabled:
		print_branch(last, event->variant.async_disabled.at);
		return false;
	case ptev_async_branch: print_branch(last, event->variant.async_branch.from); return false;
	case ptev_disabled:
		if (!event->ip_suppressed)
			print_branch(last, event->variant.disabled.ip);
		return false;
	default: return event->type != ptev_overflow;
	}
}

static void walk(const char *images)
{
	struct pt_config config = config_of();
	struct pt_insn_decoder *decoder = pt_insn_alloc_decoder(&config);
	struct pt_image *image = pt_image_alloc("images");
	uint64_t errors = 0;

	read_images(images);
	if (!decoder || !image || pt_insn_set_image(decoder, image) < 0)
		fatal("libipt: no decoder");
	map_images(image, 0);
	for (;;) {
		int status = pt_insn_sync_forward(decoder);
		if (status == -pte_eos)
			break;
		struct pt_insn before = {0};
		bool known = false;
		while (status >= 0) {
			if (status & pts_event_pending) {
				struct pt_event event;
				uint64_t at;
				status = pt_insn_event(decoder, &event, sizeof(event));
				if (status >= 0 && known)
					known = end_line(&event, &before);
				if (pt_insn_get_offset(decoder, &at) >= 0)
					map_images(image, at);
				continue;
			}
			struct pt_insn insn;
			status = pt_insn_next(decoder, &insn, sizeof(insn));
			if (insn.iclass == ptic_error)
				continue;
			if (known)
				print_branch(&before, insn.ip);
			before = insn;
			known = true;
		}
		if (status == -pte_eos)
			break;
		errors++;
		fprintf(stderr, "pt_judge: libipt: %s\n", pt_errstr(pt_errcode(status)));
	}
	pt_insn_free_decoder(decoder);
	pt_image_free(image);
	if (errors)
		exit(1);
}

int main(int count, char **words)
{
	if (count < 3)
		fatal("pt_judge packets|answers|queries|branches TRACE [IMAGES]");
	read_trace(words[2]);
	if (!strcmp(words[1], "packets"))
		compare_packets();
	else if (!strcmp(words[1], "answers"))
		answer();
	else if (!strcmp(words[1], "queries"))
		query();
	else if (!strcmp(words[1], "branches") && count > 3)
		walk(words[3]);
	else
		fatal("not known");
	free(trace);
	return 0;
}
