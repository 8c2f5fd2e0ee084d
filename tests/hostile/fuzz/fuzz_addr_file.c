/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Run-time addresses of the demo in a process that a file of any format describes, as
 * batconv addr --perf and --maps have it.
 *
 * An error is one line.  Without a process said there is a result exactly if one
 * process has the demo, and it is that process's.  Its loads ascend.  For each address the
 * region holds it; what has a vaddr lies in a region of the demo, at run-time address minus
 * one of the bases, in the segment, section and function of that vaddr; and the way back
 * from that vaddr leads to the address.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <string.h>

#include "src/samples/loads.h"
#include "src/samples/open.h"
#include "src/address/address_chain.h"
#include "tests/hostile/fuzz/support/check_snapshots.h"
#include "tests/hostile/fuzz/support/mutators.h"
#include "tests/support/bytes_file.h"
#include "tests/support/convert_all.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* More snapshots than these are asked together, not one by one. */
#define SNAPSHOTS_ASKED 64

static struct subject demo;

static void open_demo(void)
{
	struct bc_error err = {0};

	if (!demo.binary.file.data)
		assert(subject_open(BATCONV_SOURCE_DIR "/inputs/demo/demo.bolt",
				    BATCONV_SOURCE_DIR "/inputs/demo/demo", NULL, &demo, &err));
}

/* False: no such process, or it has not the demo. */
static bool locate(const struct snapshots *all, const struct load_choice *choice, struct maps *maps,
		   struct loaded_at *process)
{
	struct bc_error err = {0};

	*maps = (struct maps){0};
	*process = (struct loaded_at){0};
	if (!load_choose(all, choice, maps, &process->path, &process->loads, &err)) {
		assert(err.code == BC_MISMATCH);
		error_check(&err);
		assert(!maps->at && !process->loads.all.at);
		return false;
	}
	process->maps = maps;
	process->files = &all->files;
	assert(process->path && process->loads.all.len);
	for (size_t i = 0; i < process->loads.all.len; i++) {
		const struct load *load = &process->loads.all.at[i];
		assert(!i || load[-1].base < load->base);
		assert(load->executable && load->executable <= load->mappings &&
		       load->start < load->end);
	}
	check_mappings(maps);
	return true;
}

static bool is_base(const struct loads *loads, uint64_t base)
{
	for (size_t i = 0; i < loads->all.len; i++)
		if (loads->all.at[i].base == base)
			return true;
	return false;
}

/* From the vaddr on the chain is that of the vaddr. */
static void check_places(const struct address_chain *chain)
{
	struct address_chain plain = address_chain_of_vaddr(&demo, chain->vaddr);

	assert(plain.segment == chain->segment && plain.section == chain->section);
	assert(plain.has_offset == chain->has_offset && plain.offset.v == chain->offset.v);
	assert(plain.place.function == chain->place.function &&
	       plain.input.function == chain->input.function);
	assert(plain.input.offset == chain->input.offset && plain.orphan == chain->orphan);
	assert(!plain.has_run && plain.has_input_vaddr == chain->has_input_vaddr);
	if (chain->segment)
		assert(chain->vaddr.v - chain->segment->vaddr < chain->segment->memsz);
	if (chain->place.function)
		assert(chain->vaddr.v - chain->place.function->address == chain->place.offset);
}

/* For a mapping that leads elsewhere than most of its load. */
static bool is_differing(const struct loads *loads, uint64_t base)
{
	for (size_t i = 0; i < loads->differing.len; i++)
		if (loads->differing.at[i].base == base)
			return true;
	return false;
}

static void check_address(const struct loaded_at *process, uint64_t at)
{
	struct address_chain chain = address_chain_of_run(&demo, process, (struct run_addr){at});

	assert(chain.has_run && chain.run.v == at);
	assert(chain.mapping == maps_find(process->maps, (struct run_addr){at}));
	if (!chain.has_vaddr) {
		assert(!chain.segment && !chain.has_offset && !chain.place.function &&
		       !chain.input.function);
		return;
	}
	assert(chain.mapping &&
	       mapped_files_at(process->files, chain.mapping->file)->path == process->path);
	assert((is_base(&process->loads, chain.base) ||
		is_differing(&process->loads, chain.base)) &&
	       at == chain.vaddr.v + chain.base);
	check_places(&chain);
	for (size_t i = 0; i < process->loads.all.len; i++) {
		struct address_chain back = address_chain_of_vaddr(&demo, chain.vaddr);
		address_chain_add_run(&back, process, i);
		assert(back.has_run && back.run.v - back.vaddr.v == process->loads.all.at[i].base);
		assert(back.base != chain.base ||
		       (back.run.v == at && back.mapping == chain.mapping));
	}
}

static void check_addresses(const struct loaded_at *process)
{
	for (size_t i = 0; i < process->maps->len && i < 200; i++) {
		const struct mapping *r = &process->maps->at[i];
		uint64_t size = r->end - r->start;
		check_address(process, r->start - 1);
		check_address(process, r->end - 1);
		check_address(process, r->end);
		for (uint64_t part = 0; part < 8; part++)
			check_address(process, r->start + size / 8 * part);
	}
	for (size_t f = 0; f < demo.binary.functions.count; f++)
		for (size_t i = 0; i < process->loads.all.len && i < 4; i++)
			check_address(process, demo.binary.functions.at[f].address +
						       process->loads.all.at[i].base);
}

/* One by one the processes have what is found without saying which. */
static void check_processes(const struct snapshots *all, struct load_choice choice,
			    const struct loaded_at *any)
{
	unsigned found = 0;

	for (size_t i = 0; i < all->all.len; i++) {
		const struct snapshot *s = &all->all.at[i];
		struct maps maps;
		struct loaded_at process;
		const struct snapshot *of = choice.id == LOAD_CHOICE_ANY ?
						    snapshots_at(all, s->pid, choice.time) :
						    snapshots_of_id(all, s->pid, choice.id);
		choice.pid = s->pid;
		if (of != s || !locate(all, &choice, &maps, &process))
			continue;
		found++;
		if (any) {
			assert(any->path == process.path && any->maps->len == maps.len);
			assert(any->loads.all.len == process.loads.all.len);
		}
		loads_free(&process.loads);
		maps_free(&maps);
	}
	assert(any ? found == 1 : found != 1);
}

static void check_pick(const struct snapshots *all, uint32_t id, uint64_t time)
{
	struct load_choice choice = {&demo.binary.image, "demo.bolt", LOAD_CHOICE_ANY, id, time};
	struct maps maps;
	struct loaded_at process;
	bool ok = locate(all, &choice, &maps, &process);

	/* A process of the number that represents any cannot be asked for. */
	bool ask = all->all.len <= SNAPSHOTS_ASKED;
	for (size_t i = 0; ask && i < all->all.len; i++)
		ask = all->all.at[i].pid != LOAD_CHOICE_ANY;
	if (ask)
		check_processes(all, choice, ok ? &process : NULL);
	if (!ok)
		return;
	check_addresses(&process);
	loads_free(&process.loads);
	maps_free(&maps);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct snapshots all = {0};
	struct reader_report report;
	struct bc_error err = {0};

	open_demo();
	struct bytes_file file = bytes_file_open(data, size);
	bool ok = maps_open(file.path, UINT64_MAX, &all, &report, &err);
	bytes_file_close(&file);
	if (!ok) {
		error_check(&err);
		return 0;
	}
	if (count_mappings(&all) <= CHECK_REGIONS_MOST) {
		check_pick(&all, LOAD_CHOICE_ANY, UINT64_MAX);
		check_pick(&all, LOAD_CHOICE_ANY,
			   all.all.len ? all.all.at[all.all.len / 2].time : 0);
		check_pick(&all, 0, UINT64_MAX);
	}
	snapshots_free(&all);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_perf_data(data, size, most, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
				 uint8_t *out, size_t most, unsigned seed)
{
	return cross_perf_data(a, a_size, b, b_size, out, most, seed);
}
