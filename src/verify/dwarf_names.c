/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/dwarf_names.h"

#include <stdio.h>

#include "src/base/attr.h"

struct named {
	unsigned number;
	const char *name;
};

static const struct named tags[] = {
	{0x1, "DW_TAG_array_type"},
	{0x2, "DW_TAG_class_type"},
	{0x4, "DW_TAG_enumeration_type"},
	{0x5, "DW_TAG_formal_parameter"},
	{0x8, "DW_TAG_imported_declaration"},
	{0xa, "DW_TAG_label"},
	{0xb, "DW_TAG_lexical_block"},
	{0xd, "DW_TAG_member"},
	{0xf, "DW_TAG_pointer_type"},
	{0x10, "DW_TAG_reference_type"},
	{0x11, "DW_TAG_compile_unit"},
	{0x12, "DW_TAG_string_type"},
	{0x13, "DW_TAG_structure_type"},
	{0x15, "DW_TAG_subroutine_type"},
	{0x16, "DW_TAG_typedef"},
	{0x17, "DW_TAG_union_type"},
	{0x18, "DW_TAG_unspecified_parameters"},
	{0x19, "DW_TAG_variant"},
	{0x1d, "DW_TAG_inlined_subroutine"},
	{0x21, "DW_TAG_subrange_type"},
	{0x24, "DW_TAG_base_type"},
	{0x25, "DW_TAG_catch_block"},
	{0x26, "DW_TAG_const_type"},
	{0x27, "DW_TAG_constant"},
	{0x28, "DW_TAG_enumerator"},
	{0x2e, "DW_TAG_subprogram"},
	{0x2f, "DW_TAG_template_type_parameter"},
	{0x30, "DW_TAG_template_value_parameter"},
	{0x32, "DW_TAG_try_block"},
	{0x34, "DW_TAG_variable"},
	{0x35, "DW_TAG_volatile_type"},
	{0x39, "DW_TAG_namespace"},
	{0x3c, "DW_TAG_partial_unit"},
	{0x41, "DW_TAG_type_unit"},
	{0x42, "DW_TAG_rvalue_reference_type"},
	{0x48, "DW_TAG_call_site"},
	{0x49, "DW_TAG_call_site_parameter"},
	{0x4a, "DW_TAG_skeleton_unit"},
	{0x4109, "DW_TAG_GNU_call_site"},
	{0x410a, "DW_TAG_GNU_call_site_parameter"},
};

static const struct named attributes[] = {
	{0x1, "DW_AT_sibling"},
	{0x2, "DW_AT_location"},
	{0x3, "DW_AT_name"},
	{0xb, "DW_AT_byte_size"},
	{0xd, "DW_AT_bit_size"},
	{0x10, "DW_AT_stmt_list"},
	{0x11, "DW_AT_low_pc"},
	{0x12, "DW_AT_high_pc"},
	{0x13, "DW_AT_language"},
	{0x18, "DW_AT_import"},
	{0x1b, "DW_AT_comp_dir"},
	{0x1c, "DW_AT_const_value"},
	{0x1d, "DW_AT_containing_type"},
	{0x20, "DW_AT_inline"},
	{0x25, "DW_AT_producer"},
	{0x27, "DW_AT_prototyped"},
	{0x2f, "DW_AT_upper_bound"},
	{0x31, "DW_AT_abstract_origin"},
	{0x32, "DW_AT_accessibility"},
	{0x34, "DW_AT_artificial"},
	{0x37, "DW_AT_count"},
	{0x38, "DW_AT_data_member_location"},
	{0x39, "DW_AT_decl_column"},
	{0x3a, "DW_AT_decl_file"},
	{0x3b, "DW_AT_decl_line"},
	{0x3c, "DW_AT_declaration"},
	{0x3e, "DW_AT_encoding"},
	{0x3f, "DW_AT_external"},
	{0x40, "DW_AT_frame_base"},
	{0x47, "DW_AT_specification"},
	{0x49, "DW_AT_type"},
	{0x4c, "DW_AT_virtuality"},
	{0x4d, "DW_AT_vtable_elem_location"},
	{0x52, "DW_AT_entry_pc"},
	{0x55, "DW_AT_ranges"},
	{0x57, "DW_AT_call_column"},
	{0x58, "DW_AT_call_file"},
	{0x59, "DW_AT_call_line"},
	{0x63, "DW_AT_explicit"},
	{0x64, "DW_AT_object_pointer"},
	{0x6a, "DW_AT_main_subprogram"},
	{0x6b, "DW_AT_data_bit_offset"},
	{0x6e, "DW_AT_linkage_name"},
	{0x7a, "DW_AT_call_all_calls"},
	{0x7d, "DW_AT_call_return_pc"},
	{0x7e, "DW_AT_call_value"},
	{0x7f, "DW_AT_call_origin"},
	{0x80, "DW_AT_call_parameter"},
	{0x81, "DW_AT_call_pc"},
	{0x82, "DW_AT_call_tail_call"},
	{0x83, "DW_AT_call_target"},
	{0x84, "DW_AT_call_target_clobbered"},
	{0x85, "DW_AT_call_data_location"},
	{0x86, "DW_AT_call_data_value"},
	{0x87, "DW_AT_noreturn"},
	{0x88, "DW_AT_alignment"},
	{0x89, "DW_AT_export_symbols"},
	{0x8a, "DW_AT_deleted"},
	{0x8b, "DW_AT_defaulted"},
	{0x2111, "DW_AT_GNU_call_site_value"},
	{0x2113, "DW_AT_GNU_call_site_target"},
	{0x2115, "DW_AT_GNU_tail_call"},
	{0x2117, "DW_AT_GNU_all_call_sites"},
	{0x2131, "DW_AT_GNU_dwo_id"},
	{0x2137, "DW_AT_GNU_locviews"},
	{0x2138, "DW_AT_GNU_entry_view"},
};

static const struct named operations[] = {
	{0x3, "DW_OP_addr"},
	{0x6, "DW_OP_deref"},
	{0x8, "DW_OP_const1u"},
	{0x9, "DW_OP_const1s"},
	{0xa, "DW_OP_const2u"},
	{0xb, "DW_OP_const2s"},
	{0xc, "DW_OP_const4u"},
	{0xd, "DW_OP_const4s"},
	{0xe, "DW_OP_const8u"},
	{0xf, "DW_OP_const8s"},
	{0x10, "DW_OP_constu"},
	{0x11, "DW_OP_consts"},
	{0x12, "DW_OP_dup"},
	{0x13, "DW_OP_drop"},
	{0x1a, "DW_OP_and"},
	{0x1c, "DW_OP_minus"},
	{0x1e, "DW_OP_mul"},
	{0x1f, "DW_OP_neg"},
	{0x20, "DW_OP_not"},
	{0x21, "DW_OP_or"},
	{0x22, "DW_OP_plus"},
	{0x23, "DW_OP_plus_uconst"},
	{0x24, "DW_OP_shl"},
	{0x25, "DW_OP_shr"},
	{0x26, "DW_OP_shra"},
	{0x27, "DW_OP_xor"},
	{0x28, "DW_OP_bra"},
	{0x2f, "DW_OP_skip"},
	{0x90, "DW_OP_regx"},
	{0x91, "DW_OP_fbreg"},
	{0x92, "DW_OP_bregx"},
	{0x93, "DW_OP_piece"},
	{0x94, "DW_OP_deref_size"},
	{0x9b, "DW_OP_form_tls_address"},
	{0x9c, "DW_OP_call_frame_cfa"},
	{0x9e, "DW_OP_implicit_value"},
	{0x9f, "DW_OP_stack_value"},
	{0xa0, "DW_OP_implicit_pointer"},
	{0xa1, "DW_OP_addrx"},
	{0xa2, "DW_OP_constx"},
	{0xa3, "DW_OP_entry_value"},
	{0xa4, "DW_OP_const_type"},
	{0xa5, "DW_OP_regval_type"},
	{0xa6, "DW_OP_deref_type"},
	{0xa8, "DW_OP_convert"},
	{0xe0, "DW_OP_GNU_push_tls_address"},
	{0xf2, "DW_OP_GNU_implicit_pointer"},
	{0xf3, "DW_OP_GNU_entry_value"},
	{0xf4, "DW_OP_GNU_const_type"},
	{0xf5, "DW_OP_GNU_regval_type"},
	{0xf6, "DW_OP_GNU_deref_type"},
	{0xf7, "DW_OP_GNU_convert"},
	{0xfa, "DW_OP_GNU_parameter_ref"},
};

static const char *name_of(const struct named *all, size_t count, unsigned number)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].number == number)
			return all[i].name;
	return NULL;
}

const char *tag_name(unsigned tag)
{
	return name_of(tags, BC_COUNT(tags), tag);
}

const char *attribute_name(unsigned name)
{
	return name_of(attributes, BC_COUNT(attributes), name);
}

void operation_text(uint8_t code, char *out, size_t size)
{
	const char *name = name_of(operations, BC_COUNT(operations), code);

	if (name)
		snprintf(out, size, "%s", name);
	else if (code >= 0x30 && code < 0x90) /* 32 of each */
		snprintf(out, size, "DW_OP_%s%u", code < 0x50 ? "lit" : code < 0x70 ? "reg" : "breg", (unsigned)(code - 0x30) % 32);
	else
		snprintf(out, size, "operation 0x%x", (unsigned)code);
}
