/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sections of pseudo-probes, put together by hand as probes.h has them; and what is damaged. */
#include "src/profile/probes.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bytes.h"
#include "src/base/digest.h"
#include "tests/support/cmocka.h"

enum { FIRST = 0x1111, SECOND = 0x2222, INLINED = 0x3333, COLD = 0x4444 }; /* GUIDs */
enum { DELTA = 0x80, SENTINEL = 0x20, DISCRIMINATOR = 0x40 };

static struct byte_vec desc, probes;

static void put_u(struct byte_vec *out, uint64_t value)
{
	assert_true(leb_put_u(out, value));
}

static void put_u64(struct byte_vec *out, uint64_t value)
{
	for (unsigned i = 0; i < 8; i++)
		assert_true(byte_vec_push(out, (uint8_t)(value >> 8 * i)));
}

static void put_function(uint64_t guid, uint64_t hash, const char *name)
{
	put_u64(&desc, guid);
	put_u64(&desc, hash);
	put_u(&desc, strlen(name));
	for (; *name; name++)
		assert_true(byte_vec_push(&desc, (uint8_t)*name));
}

static void put_node(uint64_t guid, uint64_t count, uint64_t children)
{
	put_u64(&probes, guid);
	put_u(&probes, count);
	put_u(&probes, children);
}

/* difference: from 0 to 63 */
static void put_probe(unsigned index, unsigned kind, unsigned difference)
{
	put_u(&probes, index);
	put_u(&probes, 0);
	probes.at[probes.len - 1] = (uint8_t)(kind | DELTA);
	put_u(&probes, difference);
}

static void put_address(unsigned index, unsigned kind, uint64_t address)
{
	put_u(&probes, index);
	put_u(&probes, kind);
	put_u64(&probes, address);
}

static void begin(void)
{
	desc.len = probes.len = 0;
	put_function(SECOND, 22, "second");
	put_function(FIRST, 11, "first");
	put_function(INLINED, 33, "");
}

static bool parse(struct probe_section *out, struct bc_error *err)
{
	return probe_section_parse((struct bytes){desc.at, desc.len},
				   (struct bytes){probes.at, probes.len}, out, err);
}

static void gives(struct probe_section *out)
{
	struct bc_error err;

	if (!parse(out, &err))
		fail_msg("%s", err.text);
}

static void refuses(const char *why)
{
	struct probe_section out;
	struct bc_error err;

	assert_false(parse(&out, &err));
	assert_int_equal(err.code, BC_FORMAT);
	assert_string_equal(err.text, why);
	probe_section_free(&out);
}

static void probe_is(const struct probe *probe, uint32_t node, uint32_t index, enum probe_kind kind,
		     uint64_t address)
{
	assert_int_equal(probe->node, node);
	assert_int_equal(probe->index, index);
	assert_int_equal(probe->kind, kind);
	assert_int_equal(probe->address, address);
}

static void node_is(const struct probe_node *node, const struct probe_node *wanted)
{
	assert_int_equal(node->guid, wanted->guid);
	assert_int_equal(node->root, wanted->root);
	assert_int_equal(node->parent, wanted->parent);
	assert_int_equal(node->site, wanted->site);
}

/* As clang writes them: differences from each function on. */
static void by_function(void **state)
{
	struct probe_section out;

	(void)state;
	begin();
	put_node(FIRST, 2, 2);
	put_probe(1, PROBE_BLOCK, 0);
	put_probe(3, PROBE_DIRECT_CALL, 5);
	put_u(&probes, 2); /* site */
	put_node(INLINED, 1, 1);
	put_probe(1, PROBE_BLOCK | DISCRIMINATOR, 7);
	put_u(&probes, 99);
	put_u(&probes, 4);
	put_node(SECOND, 0, 0);
	put_u(&probes, 6);
	put_node(INLINED, 0, 0);
	put_node(SECOND, 1, 0);
	put_probe(1, PROBE_INDIRECT_CALL, 8);
	gives(&out);

	assert_int_equal(out.nodes.len, 5);
	static const struct probe_node nodes[] = {
		{FIRST, 0, NO_PROBE_NODE, 0},
		{INLINED, 0, 0, 2},
		{SECOND, 0, 1, 4},
		{INLINED, 0, 0, 6},
		{SECOND, 4, NO_PROBE_NODE, 0},
	};
	for (size_t i = 0; i < out.nodes.len; i++)
		node_is(&out.nodes.at[i], &nodes[i]);
	assert_int_equal(out.probes.len, 4);
	probe_is(&out.probes.at[0], 0, 1, PROBE_BLOCK, 0);
	probe_is(&out.probes.at[1], 0, 3, PROBE_DIRECT_CALL, 5);
	probe_is(&out.probes.at[2], 1, 1, PROBE_BLOCK, 12);
	probe_is(&out.probes.at[3], 4, 1, PROBE_INDIRECT_CALL, 8);
	assert_int_equal(out.bases.len, 2);
	assert_int_equal(out.bases.at[0].guid, FIRST);
	assert_int_equal(out.bases.at[1].guid, SECOND);
	assert_false(out.bases.at[0].absolute || out.bases.at[1].absolute);
	assert_int_equal(probe_function_find(&out, FIRST)->hash, 11);
	assert_int_equal(probe_function_find(&out, SECOND)->hash, 22);
	assert_null(probe_function_find(&out, COLD));
	probe_section_free(&out);
}

/* A part of a function that was split off begins at a symbol of its own; a sentinel is no probe. */
static void sentinel(void **state)
{
	struct probe_section out;

	(void)state;
	begin();
	put_node(FIRST, 2, 0);
	put_address(0, PROBE_BLOCK | SENTINEL, COLD);
	put_probe(4, PROBE_BLOCK, 9);
	gives(&out);
	assert_int_equal(out.probes.len, 1);
	probe_is(&out.probes.at[0], 0, 4, PROBE_BLOCK, 9);
	assert_int_equal(out.bases.len, 1);
	assert_int_equal(out.bases.at[0].guid, COLD);
	probe_section_free(&out);
}

/* As llvm-bolt writes them: one address, and differences from there to the end. */
static void by_address(void **state)
{
	struct probe_section out;

	(void)state;
	begin();
	put_node(FIRST, 2, 0);
	put_address(1, PROBE_BLOCK, 0x240001000);
	put_probe(2, PROBE_BLOCK, 16);
	put_node(SECOND, 1, 0);
	put_probe(1, PROBE_BLOCK, 32);
	gives(&out);
	assert_int_equal(out.bases.len, 1);
	assert_true(out.bases.at[0].absolute);
	probe_is(&out.probes.at[0], 0, 1, PROBE_BLOCK, 0x240001000);
	probe_is(&out.probes.at[2], 1, 1, PROBE_BLOCK, 0x240001030);
	probe_section_free(&out);
}

/* 100,000 functions, each inlined into the one before. */
static void deep(void **state)
{
	struct probe_section out;
	size_t depth = 100000;

	(void)state;
	begin();
	put_node(FIRST, 0, 1);
	for (size_t i = 1; i < depth; i++) {
		put_u(&probes, 1);
		put_node(INLINED, 0, i + 1 < depth);
	}
	gives(&out);
	assert_int_equal(out.nodes.len, depth);
	assert_int_equal(out.nodes.at[depth - 1].parent, depth - 2);
	assert_int_equal(out.nodes.at[depth - 1].root, 0);
	probe_section_free(&out);
}

/* The record of a function is its tree also where none of its probes is left, at the end, too; that
 * of a name that no function has is of none. */
static void records_without_probes(void **state)
{
	static const char *const names[] = {"f", "g", "h", "k"};
	static struct function functions[BC_COUNT(names)];
	static struct symbol symbols[BC_COUNT(names)];
	struct function_table table = {.at = functions,
				       .count = BC_COUNT(names),
				       .symbols = {.at = symbols, .count = BC_COUNT(names)}};
	struct placed_probes placed;
	struct bc_error err;

	(void)state;
	begin();
	for (size_t i = 0; i < BC_COUNT(names); i++) {
		functions[i] = (struct function){.address = 0x1000 + 0x100 * i,
						 .size = 0x100,
						 .extent = 0x100,
						 .primary = names[i],
						 .printed = names[i]};
		symbols[i] = (struct symbol){.address = functions[i].address,
					     .size = 0x100,
					     .name = names[i],
					     .type = STT_FUNC};
		put_function(md5_guid(text_of(names[i])), i + 1, names[i]);
	}
	put_node(md5_guid(text_of("f")), 1, 0);
	put_probe(1, PROBE_BLOCK, 4);
	put_node(md5_guid(text_of("g")), 0, 0);
	put_node(md5_guid(text_of("h")), 1, 0);
	put_probe(1, PROBE_BLOCK, 8);
	put_node(FIRST, 0, 0);
	put_node(md5_guid(text_of("k")), 0, 0);
	size_t size = desc.len;
	for (size_t i = 0; i < probes.len; i++)
		assert_true(byte_vec_push(&desc, probes.at[i]));
	struct section sections[] = {
		{.name = text_of(".pseudo_probe_desc"),
		 .type = SHT_PROGBITS,
		 .offset = 0,
		 .size = size},
		{.name = text_of(".pseudo_probe"),
		 .type = SHT_PROGBITS,
		 .offset = size,
		 .size = probes.len},
	};
	struct segment code = {.vaddr = 0x1000, .memsz = 0x1000, .executable = true};
	struct image image = {.file = {desc.at, desc.len},
			      .machine = MACHINE_X86_64,
			      .segments = &code,
			      .segment_count = 1,
			      .sections = sections,
			      .section_count = BC_COUNT(sections)};
	assert_true(functions_index(&table));
	if (!placed_probes_open(&image, &table, NULL, &placed, &err))
		fail_msg("%s", err.text);
	assert_int_equal(placed.at.len, 2);
	assert_int_equal(placed.at.at[0].vaddr, 0x1004);
	assert_int_equal(placed.at.at[1].vaddr, 0x1208);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(placed.record_of[i], i);
	assert_int_equal(placed.record_of[3], 4);
	placed_probes_close(&placed);
	free(table.index.below);
}

static void damaged(void **state)
{
	(void)state;
	begin();
	put_node(COLD, 0, 0);
	refuses(".pseudo_probe, byte 10: a function that .pseudo_probe_desc does not list");
	begin();
	put_node(FIRST, 4, 0);
	put_probe(1, PROBE_BLOCK, 0);
	refuses(".pseudo_probe, byte 9: a count that is larger than the data");
	begin();
	put_node(FIRST, 0, UINT32_MAX);
	refuses(".pseudo_probe, byte 14: a count that is larger than the data");
	begin();
	put_node(FIRST, 1, 0);
	put_probe(1, 3, 0);
	refuses(".pseudo_probe, byte 13: a probe of an unknown kind");
	begin();
	put_node(FIRST, 1, 0);
	put_u(&probes, UINT64_C(1) << 32);
	put_u(&probes, 0);
	refuses(".pseudo_probe, byte 15: a number that is too large");
	begin();
	put_node(FIRST, 1, 0);
	put_address(1, PROBE_BLOCK, 0);
	probes.len--;
	refuses(".pseudo_probe, byte 12: the section ends in a field");
	begin();
	desc.len--;
	put_u(&desc, 9);
	refuses(".pseudo_probe_desc, byte 62: the data ends in a string");
}

/* Cut anywhere, it is refused, but between two records. */
static void cut(void **state)
{
	struct probe_section out;
	struct bc_error err;

	(void)state;
	begin();
	put_node(FIRST, 1, 1);
	put_probe(1, PROBE_BLOCK, 0);
	put_u(&probes, 1);
	put_node(INLINED, 1, 0);
	put_probe(1, PROBE_BLOCK, 1);
	size_t first = probes.len;
	put_node(SECOND, 1, 0);
	put_probe(1, PROBE_BLOCK, 1);
	for (size_t whole = probes.len; probes.len; probes.len--) {
		assert_int_equal(parse(&out, &err), probes.len == whole || probes.len == first);
		probe_section_free(&out);
	}
	byte_vec_free(&desc);
	byte_vec_free(&probes);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_function),
		cmocka_unit_test(sentinel),
		cmocka_unit_test(by_address),
		cmocka_unit_test(deep),
		cmocka_unit_test(records_without_probes),
		cmocka_unit_test(damaged),
		cmocka_unit_test(cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
