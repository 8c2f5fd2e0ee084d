/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Call frame information, evaluated: which rule finds the caller's frame (the CFA) and each saved
 * register at which address.  An FDE's instructions (eh_frame.h) make rows; each holds from its
 * address to that of the next one.
 */
#ifndef VERIFY_CFI_H
#define VERIFY_CFI_H

#include "src/base/vec.h"
#include "src/elf/eh_frame.h"

enum cfi_how {
	CFI_UNDEFINED,      /* the caller's value is lost */
	CFI_AT_OFFSET,      /* saved at CFA + value */
	CFI_OFFSET,         /* is CFA + value; of the CFA: register + value */
	CFI_REGISTER,       /* in the register of this number */
	CFI_EXPRESSION,     /* saved at what the expression yields */
	CFI_VAL_EXPRESSION, /* is what the expression yields; also of the CFA */
	CFI_SIGNED,         /* AArch64: whether the return address is signed */
};

struct cfi_rule {
	uint32_t reg;
	uint8_t how;
	int64_t value;
	struct bytes expression;
};

struct cfi_row {
	uint64_t from;         /* vaddr */
	struct cfi_rule cfa;   /* CFI_OFFSET of .reg, or CFI_VAL_EXPRESSION; CFI_UNDEFINED: no
				  instruction set it */
	uint64_t args_size;    /* of DW_CFA_GNU_args_size: bytes of arguments on the stack, that
				  landing pads take off */
	uint32_t first, count; /* rules of registers, by ascending number; a register without one
				  has the caller's value */
};

DEFINE_VEC(cfi_rule_vec, struct cfi_rule);
DEFINE_VEC(cfi_row_vec, struct cfi_row);

/* Rows of any number of FDEs, one after the other. */
struct cfi_rows {
	struct cfi_row_vec rows;
	struct cfi_rule_vec rules;
};
void cfi_rows_free(struct cfi_rows *rows);

/* An FDE with all that its rows follow from. */
struct cfi_fde {
	struct code_range code;
	uint64_t at;   /* byte of the section */
	uint32_t cie;  /* which of the table */
	uint64_t lsda; /* vaddr of its table of call sites; 0: none */
	struct eh_cursor program;
};
DEFINE_VEC(cfi_fde_vec, struct cfi_fde);
DEFINE_VEC(cfi_cie_vec, struct eh_frame_cie);

struct cfi_table {
	struct cfi_fde_vec fdes; /* by address, those of one address in the order of the section,
				    but empty ones last */
	struct cfi_cie_vec cies;
	struct work *work; /* of the image */
	enum machine machine;
};

/* Reads all FDEs of a section.  BC_FORMAT: damaged; what was read before the damage is in the
 * table, which is to be freed either way. BC_NOMEM */
BC_MUST_USE bool cfi_table_read(const struct image *image, struct eh_frame section,
				struct cfi_table *out, struct bc_error *err);
void cfi_table_free(struct cfi_table *table);

/* The same, of the FDEs at `count` bytes of the section only.  codes[i]: the address of the code of
 * the FDE at bytes[i]; CFI_NO_FDE: none is there. */
#define CFI_NO_FDE UINT64_MAX
BC_MUST_USE bool cfi_table_read_some(const struct image *image, struct eh_frame section,
				     const uint64_t *bytes, size_t count, uint64_t *codes,
				     struct cfi_table *out);

/* The FDE of the greatest address at or below this one that holds it, or NULL. */
const struct cfi_fde *cfi_table_find(const struct cfi_table *table, uint64_t address);

/* Appends the rows of an FDE, by ascending address, of each address one.  What lies after the
 * FDE's end is left out.  Returns what is wrong with its instructions, or NULL; CFI_NOMEM: out of
 * memory; CFI_TOO_MUCH: work_check() of the image shows. */
const char *cfi_rows_append(const struct cfi_table *table, const struct cfi_fde *fde,
			    struct cfi_rows *out);
extern const char CFI_NOMEM[], CFI_TOO_MUCH[];

/* Do both find the same caller's frame and registers?  a_rules, b_rules: of the rows' own struct
 * cfi_rows. */
bool cfi_same_rule(const struct cfi_rule *a, const struct cfi_rule *b);
bool cfi_same_row(const struct cfi_row *a, const struct cfi_rule *a_rules, const struct cfi_row *b,
		  const struct cfi_rule *b_rules);

/* A rule as text: "rsp+16", "CFA-8", "expression"; of the CFA if `cfa`. */
void cfi_rule_text(enum machine machine, const struct cfi_rule *rule, bool cfa, char *out,
		   size_t size);

/* The name of a register by its DWARF number; a number in text if it has none.  size: at least 8 */
void cfi_register_name(enum machine machine, uint32_t reg, char *out, size_t size);

/* The rule of a register in a row, or NULL; of no row NULL, too. */
const struct cfi_rule *cfi_rule_of(const struct cfi_row *row, const struct cfi_rule *rules,
				   uint32_t reg);

#endif
