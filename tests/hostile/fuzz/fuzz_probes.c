/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two bytes, the length of .pseudo_probe_desc, that section, and .pseudo_probe after it.  Any
 * bytes are refused, or they are trees: nodes after their parents, of functions that are listed;
 * probes by node; no base without a probe. And no more of all than there are bytes for. */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>

#include "src/profile/probes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_nodes(const struct probe_section *section)
{
	for (size_t i = 0; i < section->nodes.len; i++) {
		const struct probe_node *node = &section->nodes.at[i];
		assert(probe_function_find(section, node->guid));
		if (node->parent == NO_PROBE_NODE) {
			assert(node->root == i && !node->site);
			continue;
		}
		assert(node->parent < i);
		assert(node->root == section->nodes.at[node->parent].root);
		assert(node->root >= section->nodes.at[i - 1].root);
	}
}

static void check_probes(const struct probe_section *section)
{
	uint32_t bases = 0;

	for (size_t i = 0; i < section->probes.len; i++) {
		const struct probe *probe = &section->probes.at[i];
		assert(probe->node < section->nodes.len && probe->kind <= PROBE_DIRECT_CALL);
		assert(!i || probe->node >= section->probes.at[i - 1].node);
		assert(probe->base == bases || probe->base + 1 == bases);
		bases = probe->base + 1;
	}
	assert(bases == section->bases.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct probe_section section;
	struct bc_error err;

	if (size < 2)
		return 0;
	struct bytes all = bytes_from((struct bytes){data, size}, 2);
	struct bytes desc = bytes_first(all, le16(data)), probes = bytes_from(all, desc.size);
	if (probe_section_parse(desc, probes, &section, &err)) {
		assert(section.functions.len <= desc.size / 17);
		assert(section.nodes.len <= probes.size / 10 &&
		       section.probes.len <= probes.size / 3);
		check_nodes(&section);
		check_probes(&section);
	} else {
		assert(err.code == BC_FORMAT || err.code == BC_NOMEM);
	}
	probe_section_free(&section);
	return 0;
}
