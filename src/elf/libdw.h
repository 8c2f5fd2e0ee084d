/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * libdw, which is loaded when it is first needed and found where it is installed: all that is used
 * of it, in one table. A source that uses the table is compiled with BATCONV_HAVE_LIBDW where
 * libdw's headers are there.
 */
#ifndef ELF_LIBDW_H
#define ELF_LIBDW_H

#include "src/base/error.h"

#ifdef BATCONV_HAVE_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>

/* clang-format off */
#define LIBDW_FUNCTIONS(F) \
	F(dwarf_attr) F(dwarf_attr_integrate) F(dwarf_begin_elf) F(dwarf_child) \
	F(dwarf_cuoffset) F(dwarf_diename) F(dwarf_dieoffset) F(dwarf_end) F(dwarf_errmsg) \
	F(dwarf_filesrc) F(dwarf_formaddr) F(dwarf_formblock) F(dwarf_formflag) \
	F(dwarf_formref_die) F(dwarf_formsdata) F(dwarf_formstring) F(dwarf_formudata) \
	F(dwarf_get_units) F(dwarf_getarangeinfo) F(dwarf_getaranges) F(dwarf_getattrs) \
	F(dwarf_getlocation) F(dwarf_getlocation_attr) F(dwarf_getlocation_implicit_value) \
	F(dwarf_getlocations) F(dwarf_getscopes) F(dwarf_getscopes_die) F(dwarf_getsrc_die) \
	F(dwarf_getsrcfiles) F(dwarf_getsrclines) F(dwarf_line_file) F(dwarf_lineaddr) \
	F(dwarf_linebeginstatement) F(dwarf_linecol) F(dwarf_linediscriminator) \
	F(dwarf_lineendsequence) F(dwarf_lineno) F(dwarf_linesrc) F(dwarf_next_unit) \
	F(dwarf_nextcu) F(dwarf_offdie) F(dwarf_offdie_types) F(dwarf_onearange) \
	F(dwarf_onesrcline) F(dwarf_ranges) F(dwarf_siblingof) F(dwarf_tag) \
	F(dwelf_dwarf_gnu_debugaltlink) F(dwfl_begin) F(dwfl_end) F(dwfl_module_build_id) \
	F(dwfl_module_getdwarf) F(dwfl_module_getelf) F(dwfl_module_info) \
	F(dwfl_offline_section_address) F(dwfl_report_begin) F(dwfl_report_end) \
	F(dwfl_report_offline)
/* clang-format on */

/* By the names and types of its own headers. */
struct libdw {
#define LIBDW_FIELD(name) __typeof__(name) *name;
	LIBDW_FUNCTIONS(LIBDW_FIELD)
#undef LIBDW_FIELD
};

#else

struct libdw {
	char none;
};

#endif

/* Loads the library; `purpose` begins the message.  BC_UNSUPPORTED: this build is without it, it is
 * not installed, or lacks a function */
BC_MUST_USE bool libdw_load(const char *purpose, struct libdw *out, struct bc_error *err);

/* The version of the library, which is loaded for it.  NULL: there is none, and err says why
 * (BC_UNSUPPORTED). */
const char *libdw_version(struct bc_error *err);

#endif
