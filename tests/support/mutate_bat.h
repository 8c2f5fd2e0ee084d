/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Damages a real BAT section in every way, and asks what verify finds. */
#ifndef TESTS_SUPPORT_MUTATE_BAT_H
#define TESTS_SUPPORT_MUTATE_BAT_H

#include "src/verify/verify.h"

/* Bytes that grow and shrink. */
struct buffer {
	uint8_t *data;
	size_t size;
};
void buffer_replace(struct buffer *b, uint64_t at, uint64_t size, const void *with,
		    size_t with_size);

/* A binary whose section is sound: the ground for damage. */
struct world {
	const char *name;
	struct buffer file;
	struct binary subject; /* of `file`, decoded and linked */
	const struct section *section;
	struct bat_field *fields; /* all of the section */
	size_t field_count;
	char input[4096]; /* path of the input binary */
};

/* layout: to which the section is transcoded first, or -1. */
void world_open(struct world *w, const char *name, const char *input, int layout);
void world_close(struct world *w);

/* Finds the first field of this name, from field `from` on, that `is` accepts (NULL: any); NULL:
 * there is none. */
const struct bat_field *world_field(const struct world *w, const char *name, size_t from,
				    bool (*is)(const struct world *, const struct bat_field *));

/* One kind of damage.  Each returns false if the section has nothing of the kind. */
struct mutation {
	const char *name;
	enum finding_kind finding;
	int also; /* another finding that the same damage justifies */
	bool (*table)(const struct world *w, struct bat_table *table);
	bool (*desc)(const struct world *w, struct buffer *desc);
	bool (*note)(const struct world *w, struct buffer *note);
	bool (*file)(const struct world *w, struct buffer *file);
	bool with_input;
	bool others; /* more findings follow from it */
};

/* All kinds, in four files; each list ends with a NULL name. */
extern const struct mutation note_mutations[], desc_mutations[], table_mutations[],
	code_mutations[];

/* Damages a copy of the file.  False: not applicable.  The caller frees out->data. */
bool mutate(const struct world *w, const struct mutation *m, struct buffer *out);

/* Counts the findings of verify in the bytes of a file. */
void verify_bytes(struct buffer file, const char *input, uint64_t counts[FINDING_KIND_COUNT]);

#endif
