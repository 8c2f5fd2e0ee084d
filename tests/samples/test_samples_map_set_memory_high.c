/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies and failed changes once more with nodes so short that all trees are high. */
#define LEAF_MOST  7
#define INNER_MOST 8
#include "tests/samples/test_samples_map_set_memory.c"
