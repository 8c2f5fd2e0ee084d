/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * BOLT's YAML profiles as a stream of functions, one in memory at a time.  libyaml reads the
 * text; what stands in it, and what must, is checked here.  A file can have several documents: profiles of a program and its libraries.
 */
#ifndef MERGE_YAML_INPUT_H
#define MERGE_YAML_INPUT_H

#include "src/base/file.h"
#include "src/profile/head.h"
#include "src/merge/yaml_function.h"

struct yaml_input;

/* begin: what was read of the stream already.  NULL: BC_NOMEM */
struct yaml_input *yaml_input_open(struct file_stream *stream, struct text begin, struct bc_error *err);
void yaml_input_close(struct yaml_input *in); /* or NULL */

/* The head of a document, which comes first.  It stays where it is until the end of the document, which can add to it.  BC_FORMAT, also for pseudo probes; BC_NOMEM; errors of stream_read() */
BC_MUST_USE bool yaml_input_head(struct yaml_input *in, struct profile_head *head, struct bc_error *err);

/* The next function, valid until the next call.  False at the end of the document, with BC_OK in `err`, and on
 * errors: as yaml_input_head(). */
BC_MUST_USE bool yaml_input_next(struct yaml_input *in, const struct yaml_function **out, struct bc_error *err);

/* At the end of a document: does another one follow? */
bool yaml_input_goes_on(const struct yaml_input *in);

#endif
