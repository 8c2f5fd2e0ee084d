/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/aux/trace_flow.h"

#include "src/samples/aux/etm.h"
#include "src/samples/aux/pt.h"

static const struct flow_reader *const readers[] = {
	&pt_reader,
	&etm_reader,
};

const struct flow_reader *flow_reader_of(uint32_t kind)
{
	for (size_t i = 0; i < BC_COUNT(readers); i++)
		if (readers[i]->kind == kind)
			return readers[i];
	return NULL;
}
