/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the opaque types of include/batconv are. */
#ifndef LIB_HANDLES_H
#define LIB_HANDLES_H

#include "batconv/image.h"
#include "batconv/resolve.h"
#include "src/address/places.h"
#include "src/address/resolver.h"

struct batconv_image {
	struct binary binary;
	struct places places;
	char *go_build_id; /* NULL: none */
};

struct batconv_snapshots {
	struct snapshots snapshots;
};

struct batconv_maps {
	struct maps maps;
	const struct mapped_files *files;
};

DEFINE_VEC(given_vec, struct given_binary);

struct batconv_resolver {
	struct resolver resolver;
	struct given_vec given;
	bool lines;                /* source lines were asked for */
	struct batconv_frame *out; /* where the frames of the current stack are put */
};

/* Copy an error out, where it is wanted; returns false. */
bool give_error(const struct bc_error *from, struct batconv_error *to);

/* Fails with BATCONV_ERROR_ARGUMENT: the call is wrong. */
bool refuse(struct batconv_error *to, const char *why);

/* Fails unless all that is asked for is known. */
bool check_lookup(uint32_t lookup, struct batconv_error *err);

/* The call of a number among `count` that were inlined, which `calls` (struct source_place) has;
 * false: there are no more. */
bool inlined_call(const void *calls, size_t count, size_t number, struct batconv_inlined *out);

#endif
