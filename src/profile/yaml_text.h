/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The text of YAML: scalars are written; libyaml's events are read, one after the other, and the
 * mappings that they make: keys whose values are words or numbers.
 */
#ifndef PROFILE_YAML_TEXT_H
#define PROFILE_YAML_TEXT_H

#include <stdbool.h>

#include <yaml.h>

#include "src/base/attr.h"
#include "src/base/emit.h"
#include "src/base/file.h"
#include "src/base/text.h"

/* ---- writing ---- */

/* A string of any bytes, quoted where a reader could take it for something else.  What is
 * no UTF-8, which YAML cannot hold, becomes U+FFFD. */
void yaml_scalar(struct emit *out, const char *string);

/* The strings as one, with blanks between, always quoted; '' for none.  Returns false when
 * out of memory. */
BC_MUST_USE bool yaml_joined(struct emit *out, const char *const *strings, size_t count);

void yaml_hex(struct emit *out, uint64_t value); /* upper case, with 0x */

/* KEY and the value, nothing if that is 0. */
void yaml_hex_field(struct emit *out, const char *key, uint64_t value);
void yaml_dec_field(struct emit *out, const char *key, uint64_t value);

/* ---- reading ----
 * All functions fail with BC_FORMAT and the line and byte of what is wrong, or with BC_IO,
 * BC_NOMEM, or BC_UNSUPPORTED as the stream does. */

struct yaml_scan {
	struct file_stream *stream;
	struct text begin; /* of the stream, which is still to be read */
	struct bc_error io;
	yaml_parser_t parser;
	yaml_event_t event; /* the present one */
	bool has_event;
	bool refuses_probes;
	unsigned depth; /* of mappings and sequences that are open */
};

/* The parser keeps the address of `scan`.  begin: what was read of the stream already.
 * False: out of memory; nothing is to be closed then. */
BC_MUST_USE bool scan_open(struct yaml_scan *scan, struct file_stream *stream, struct text begin);
void scan_close(struct yaml_scan *scan);

/* Returns false, with an error at the present event. */
bool scan_fail(const struct yaml_scan *in, const char *why, struct bc_error *err);

/* Continue to the next event; the second must find this type, or fails with `why`. */
BC_MUST_USE bool scan_event(struct yaml_scan *in, struct bc_error *err);
BC_MUST_USE bool scan_expect(struct yaml_scan *in, yaml_event_type_t type, const char *why,
			     struct bc_error *err);

/* The text of the present event, a scalar, until the next event. */
struct text scan_text(const struct yaml_scan *in);

/* Read the value of a key.  A word has no zero byte; a number is decimal or, with 0x, hexadecimal.
 */
BC_MUST_USE bool scan_word(struct yaml_scan *in, struct text *out, struct bc_error *err);
BC_MUST_USE bool scan_number(struct yaml_scan *in, uint64_t most, uint64_t *out,
			     struct bc_error *err);
BC_MUST_USE bool scan_bool(struct yaml_scan *in, bool *out, struct bc_error *err);

/* Continue to the next key of a mapping, or to the next mapping of a sequence; *end: there is none.
 * */
BC_MUST_USE bool scan_key(struct yaml_scan *in, struct text *key, bool *end, struct bc_error *err);
BC_MUST_USE bool scan_mapping(struct yaml_scan *in, bool *end, struct bc_error *err);

/* A field of a struct, a uint64_t, and the key that has its value. */
struct scan_field {
	const char *key;
	size_t offset;
	uint64_t most;
	bool needed;
};

/* Read the value of a key into its field of *to, if it is one of `fields`: *known.  A field can be
 * given once; *given has a bit for each. */
BC_MUST_USE bool scan_field(struct yaml_scan *in, const struct scan_field *fields, size_t count,
			    struct text key, void *to, unsigned *given, bool *known,
			    struct bc_error *err);

/* Fail if a field that is needed was not given. */
BC_MUST_USE bool scan_has_all(const struct yaml_scan *in, const struct scan_field *fields,
			      size_t count, unsigned given, struct bc_error *err);

/* Read the value of the present event, a key that nobody knows, into `out`: the key, a zero byte,
 * the value on one line, a zero byte.  A word that was not quoted stays so.  BC_FORMAT also for
 * keys of pseudo probes that are refused */
BC_MUST_USE bool scan_unknown(struct yaml_scan *in, struct emit *out, struct bc_error *err);

#endif
