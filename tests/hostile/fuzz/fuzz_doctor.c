/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What doctor reads of a machine and of llvm-bolt: a byte for each event, how the kernel replies;
 * then nine files of /proc and /sys and what `llvm-bolt --version` prints, with zero bytes between.
 * Properties: what works was opened, and all is closed again; what is printed has no control bytes,
 * and the JSON is read; a processor that is listed twice is the same one; a release is taken from
 * text that names BOLT alone, and is the same when printed again.
 */
#undef NDEBUG       /* what is asserted here must be done, too */
#define _GNU_SOURCE /* memmem() */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/figures/doctor.h"
#include "src/record/perf_count.h"
#include "tests/support/played_machine.h"

enum { PART_SIZE = 8192 /* as much is read of /proc/cpuinfo */ };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next part, as a file; NULL: it is empty, and the file is not there. */
static const char *take(struct text *rest, char part[PART_SIZE])
{
	size_t length = text_find(*rest, '\0'), used = length < PART_SIZE ? length : PART_SIZE - 1;

	if (used)
		memcpy(part, rest->at, used);
	part[used] = '\0';
	*rest = text_behind(*rest, length);
	return used ? part : NULL;
}

/* ---- what is printed ---- */

typedef void print_fn(const struct doctor *doctor, FILE *out);

static char *printed(print_fn *print, const struct doctor *doctor, size_t *size)
{
	char *text;
	FILE *out = open_memstream(&text, size);

	assert(out);
	print(doctor, out);
	assert(fclose(out) == 0);
	return text;
}

static void check_printed(const struct doctor *doctor)
{
	static struct json_reader reader;
	struct bc_error err = {0};
	size_t size;
	char *text = printed(doctor_text, doctor, &size);

	for (size_t i = 0; i < size; i++)
		assert(((unsigned char)text[i] >= ' ' || text[i] == '\n') && text[i] != '\x7f');
	free(text);
	text = printed(doctor_json, doctor, &size);
	struct file_stream stream = {
		.name = "json", .fd = -1, .memory = (const uint8_t *)text, .size = size};
	json_reader_init(&reader, &stream, &err);
	assert(json_skip(&reader) && json_finish(&reader));
	free(text);
}

/* ---- the machine ---- */

/* Each state has its text; what the kernel opens for no device does not work. */
static void check_ways(const struct sampling_facts *sampling, const struct played_machine *machine)
{
	for (int i = 0; i < SAMPLING_WAY_COUNT; i++) {
		const struct sampled_way *way = &sampling->ways[i];
		assert(way->state != WAY_WORKS || *way->event);
		assert(way->state != WAY_REFUSED || *way->why.text);
	}
	for (int i = SAMPLING_INTEL_PT; i < SAMPLING_WAY_COUNT && machine->trace && machine->etm;
	     i++)
		assert(sampling->ways[i].state != WAY_WORKS);
	assert(sampling->ways[SAMPLING_TIMER].state != WAY_WORKS || !machine->clock);
	assert(sampling->depth < 4096);
}

static void check_machine(const struct played_machine *machine)
{
	/* No program: none is run. */
	static const char no_llvm_bolt[] = "/proc/self/no-llvm-bolt";
	struct event_counters counters;
	struct doctor doctor;
	struct bc_error err;

	play_machine(machine);
	assert(doctor_look(&played_kernel, no_llvm_bolt, NULL, NULL, &doctor, &err));
	assert(doctor.failed && *doctor.next && !played_open_now());
	check_ways(&doctor.sampling, machine);
	check_printed(&doctor);
	doctor_free(&doctor);
	event_counters_open(&played_kernel, 1, false, &counters);
	event_counters_close(&counters);
	assert(!played_open_now());
}

/* Each processor of a machine has its rows: those of the first one count. */
static void check_second_processor(const struct played_machine *one)
{
	static char both[PART_SIZE];
	struct played_machine machine = *one;
	struct sampling_facts before, after;

	if (!one->cpuinfo || 2 * strlen(one->cpuinfo) + 2 > sizeof(both))
		return;
	snprintf(both, sizeof(both), "%s\n%s", one->cpuinfo, one->cpuinfo);
	machine.cpuinfo = both;
	play_machine(one);
	sampling_look(&played_kernel, &before);
	play_machine(&machine);
	sampling_look(&played_kernel, &after);
	assert(!strcmp(before.processor, after.processor) && before.maker == after.maker &&
	       before.has_machine == after.has_machine && before.machine == after.machine &&
	       before.virtual_machine == after.virtual_machine &&
	       before.arch_lbr == after.arch_lbr && before.amd_lbr == after.amd_lbr &&
	       before.amd_brs == after.amd_brs);
}

/* ---- llvm-bolt ---- */

static void check_version(struct text text)
{
	struct bolt_program program = {0}, again = {0};
	char back[512];

	if (!bolt_program_read_version(text, &program))
		return;
	assert(memmem(text.at, text.len, "BOLT", 4) && *program.version);
	assert(program.release == strtoul(program.version, NULL, 10));
	int length =
		snprintf(back, sizeof(back), "LLVM version %s\nBOLT\n%s%s%s", program.version,
			 program.x86_64 ? "  x86-64 - \n" : "", program.aarch64 ? "aarch64\n" : "",
			 program.riscv64 ? "\triscv64 -" : "");
	assert(length > 0 && (size_t)length < sizeof(back));
	assert(bolt_program_read_version((struct text){back, (size_t)length}, &again));
	assert(program.release == again.release && !strcmp(program.version, again.version) &&
	       program.x86_64 == again.x86_64 && program.aarch64 == again.aarch64 &&
	       program.riscv64 == again.riscv64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int answers[] = {0, EACCES, EPERM, ENOENT, EOPNOTSUPP, ENOSYS, EINVAL, EMFILE};
	static char parts[9][PART_SIZE];
	struct played_machine machine = {0};
	int *const events[] = {&machine.stacks,       &machine.brs_stacks, &machine.cycles,
			       &machine.clock,        &machine.trace,      &machine.etm,
			       &machine.whole_machine};
	const char **const files[] = {&machine.cpuinfo,  &machine.osrelease, &machine.paranoid,
				      &machine.status,   &machine.depth,     &machine.pt_type,
				      &machine.spe_type, &machine.etm_type,  &machine.container};

	if (size < BC_COUNT(events))
		return 0;
	for (size_t i = 0; i < BC_COUNT(events); i++)
		*events[i] = answers[data[i] % BC_COUNT(answers)];
	machine.brs = data[0] & 0x80;
	struct text rest = text_from((struct text){(const char *)data, size}, BC_COUNT(events));
	for (size_t i = 0; i < BC_COUNT(files); i++)
		*files[i] = take(&rest, parts[i]);
	check_version(rest);
	check_machine(&machine);
	check_second_processor(&machine);
	return 0;
}
