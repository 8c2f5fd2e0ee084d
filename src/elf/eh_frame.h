/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Exception tables, and the entries of .eh_frame and .debug_frame: CIEs, and FDEs with the code
 * that each describes.  What their instructions say about it is in src/verify/cfi.h.
 *
 * .eh_frame is a sequence of entries
 *
 *   u32 length (0: the end; ffffffff: a u64 length follows)
 *   u32 id     0: a CIE; else an FDE, whose CIE begins that many bytes before
 *              this field
 *
 * A CIE's augmentation string says how its FDEs write addresses ("R"); an FDE
 * begins with the address and the length of the code it describes.  If there is an
 * "L", the FDE's augmentation data begins with a pointer to a table of call sites.
 *
 * In .debug_frame all bits of a CIE's id are set, the id of an FDE is the byte of the section at
 * which its CIE begins, and an id has 8 bytes if the length has.
 */
#ifndef ELF_EH_FRAME_H
#define ELF_EH_FRAME_H

#include "src/base/bytes.h"
#include "src/base/vec.h"
#include "src/elf/image.h"

/*
 * Reads the numbers and pointers of .eh_frame, and of the tables of call sites that it
 * points to.
 */

/* Pointer encodings (DW_EH_PE_...): the low four bits give the format, the next
 * three what the value is relative to. */
enum {
	EH_PE_ABSPTR = 0x00,
	EH_PE_ULEB128 = 0x01,
	EH_PE_UDATA2 = 0x02,
	EH_PE_UDATA4 = 0x03,
	EH_PE_UDATA8 = 0x04,
	EH_PE_SLEB128 = 0x09,
	EH_PE_SDATA2 = 0x0a,
	EH_PE_SDATA4 = 0x0b,
	EH_PE_SDATA8 = 0x0c,
	EH_PE_FORMAT = 0x0f,
	EH_PE_PCREL = 0x10,
	EH_PE_DATAREL = 0x30,
	EH_PE_BASE = 0x70,
	EH_PE_INDIRECT = 0x80,
	EH_PE_OMIT = 0xff,
};

/* After the first field that cannot be read, each field is read as 0. */
struct eh_cursor {
	struct bytes left;
	uint64_t address; /* vaddr of what is left */
	const char *bad;  /* what is wrong there; NULL: nothing so far */
};

/* `size` bytes, or NULL. */
const uint8_t *eh_take(struct eh_cursor *c, uint64_t size);

uint8_t eh_take_byte(struct eh_cursor *c);
uint64_t eh_take_leb(struct eh_cursor *c, bool is_signed);

/* A number in the format of an encoding, whatever it is relative to. */
uint64_t eh_take_number(struct eh_cursor *c, uint8_t encoding);

/* The same, and an indirect one is bad, too. */
uint64_t eh_take_pointer(struct eh_cursor *c, uint8_t encoding);

struct code_range {
	uint64_t address, size;
};

struct eh_frame_cie {
	uint64_t at;                  /* byte of the section */
	uint8_t code, call_sites;     /* encodings; of call sites EH_PE_OMIT: none */
	uint8_t personality_encoding; /* EH_PE_OMIT: none */
	bool augmented;               /* FDEs have augmentation data */
	uint32_t return_register;
	uint64_t code_factor;
	int64_t data_factor;
	uint64_t personality; /* where the pointer leads: to the function, or with EH_PE_INDIRECT to
				 its address */
	struct bytes program; /* instructions that the row of each FDE begins with */
};

/* The FDEs, one after the other. */
struct eh_frame_fde {
	uint64_t at; /* byte of the section */
	struct code_range code;
	uint8_t call_sites;    /* how the pointer to their table is written; EH_PE_OMIT: none */
	bool augmented;        /* it has augmentation data */
	struct eh_cursor rest; /* of the entry: the augmentation data's uleb size, then itself */
};

struct eh_frame {
	struct bytes whole;      /* the section */
	uint64_t address;        /* its vaddr; of .debug_frame 0 */
	bool debug;              /* it is .debug_frame */
	struct eh_cursor left;   /* .bad: what is damaged there; NULL: nothing was so far */
	struct eh_frame_cie cie; /* the last one; FDEs of one CIE mostly follow each other */
};

/* None if there is no section .eh_frame. */
struct eh_frame eh_frame_begin(const struct image *image);

/* Likewise of .debug_frame; one that is compressed is not read. */
struct eh_frame debug_frame_begin(const struct image *image);

/* False at the end, and where the section is damaged. */
bool eh_frame_next(struct eh_frame *frame, struct eh_frame_fde *out);

/* The FDE that is at a byte of the section.  False: none does; frame->left stays as it is. */
bool eh_frame_at(struct eh_frame *frame, uint64_t byte, struct eh_frame_fde *out);

/* Takes the augmentation data off `rest`, so that the FDE's instructions are left.  Returns the
 * vaddr of its table of call sites; 0: none. rest.bad: what is damaged. */
uint64_t eh_frame_take_lsda(struct eh_frame_fde *fde);

struct code_ranges {
	struct code_range *at; /* by ascending address, one per address */
	size_t count;
};

/* The ranges of the section .eh_frame; none if there is no such section.  For
 * several FDEs at one address the first that is not empty counts.
 *
 * BC_FORMAT  a damaged entry, or a pointer encoding that no linked file has
 * BC_NOMEM */
BC_MUST_USE bool eh_frame_ranges(const struct image *image, struct code_ranges *out,
				 struct bc_error *err);
void code_ranges_free(struct code_ranges *ranges);

/*
 * .eh_frame_hdr: the sorted table by which an unwinder finds the FDE of an address.  It finds the
 * header by the segment PT_GNU_EH_FRAME, and searches nothing else:
 *
 *   u8 version 1, u8 encodings of the address of .eh_frame, of the count and of the table, then
 *   these
 */
struct eh_frame_hdr_entry {
	uint64_t code, fde; /* vaddrs: where the FDE's code begins, and the FDE */
};
DEFINE_VEC(eh_frame_hdr_vec, struct eh_frame_hdr_entry);

struct eh_frame_hdr {
	bool present;      /* there is the segment */
	uint64_t address;  /* its vaddr */
	uint64_t eh_frame; /* where it says that .eh_frame is; 0: it does not */
	bool has_table;
	struct eh_frame_hdr_vec entries; /* as stored */
	const char *bad;                 /* what is damaged; NULL: nothing */
};

/* False: out of memory. */
BC_MUST_USE bool eh_frame_hdr_read(const struct image *image, struct eh_frame_hdr *out);
void eh_frame_hdr_free(struct eh_frame_hdr *header);

/*
 * Exception tables (LSDA, in .gcc_except_table): at which call sites of a function exceptions
 * continue where.  An FDE of .eh_frame points to that of its function:
 *
 *   u8 encoding, start of the landing pads   (ff: the function's)
 *   u8 encoding, uleb                        of the type table (ff: none), which ends that many
 *                                            bytes on
 *   u8 encoding, uleb size of the call sites
 *   call sites: start, size, landing pad (0: none), uleb action (0: only clean-up; else 1 + a byte
 *       of the actions)
 *   actions: sleb filter, sleb distance from itself to the next one (0: the last)
 *   type table: pointers to types, number -1 last; of a filter below 0 a list of numbers after it
 */

struct lsda_site {
	struct code_range code; /* vaddrs */
	uint64_t pad;           /* vaddr; 0: none, the exception continues to the caller */
	uint64_t action;
};
DEFINE_VEC(lsda_site_vec, struct lsda_site);

struct lsda {
	struct lsda_site_vec sites; /* in the order of the table, which is that of addresses unless
				       it is damaged */
	struct eh_cursor actions;   /* after the call sites */
	uint64_t types;             /* vaddr where the type table ends; 0: none */
	uint8_t type_encoding;
	const char *bad; /* what is damaged; NULL: nothing */
};

/* Reads the table at a vaddr, of a function that begins at another.  The bytes count as
 * WORK_CALL_SITES: FDEs can share a table. Returns false when out of memory, or when it is too much
 * work (work_fail()). */
BC_MUST_USE bool lsda_read(const struct image *image, uint64_t table, uint64_t function,
			   struct lsda *out);
void lsda_free(struct lsda *lsda);

/* Are the call sites in the order of addresses?  lsda_site_at() needs that. */
bool lsda_ascends(const struct lsda *lsda);

/* The call site that holds an address, or NULL: the table has none, so that an exception there ends
 * the program.  Unwinders ask for the last byte of a call. */
const struct lsda_site *lsda_site_at(const struct lsda *lsda, uint64_t address);

/* What is done at a call site, as words that are equal if it is the same: filters, each followed by
 * the types that it represents.  Types are vaddrs of what the table points to; 0: any.  Returns how
 * many words there are in `out`, at most `room`; a longer list is cut.  *bad: what is damaged. */
size_t lsda_actions(const struct image *image, const struct lsda *lsda, uint64_t action,
		    uint64_t *out, size_t room, const char **bad);

#endif
