/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/debug_entries.h"

#include <stdio.h>

#include "src/base/attr.h"
#include "src/verify/dwarf_file.h"

void debug_locations_free(struct debug_locations *locations)
{
	debug_location_vec_free(&locations->at);
	debug_operation_vec_free(&locations->operations);
}

#define PURPOSE "entries of debug information"

#ifdef BATCONV_HAVE_LIBDW

#include <string.h>

struct debug_reader {
	struct work *work;
	struct dwarf_file file;
	Dwarf_CU *last; /* unit that was listed */
};

bool debug_reader_open(const struct image *image, bool counted, struct debug_reader **out,
		       struct bc_error *err)
{
	struct debug_reader *r = calloc(1, sizeof(*r));

	*out = NULL;
	if (!r)
		return bc_fail_nomem(err);
	r->work = image->work;
	if (!dwarf_file_open(image, PURPOSE, counted, &r->file, err)) {
		debug_reader_close(r);
		return false;
	}
	*out = r;
	return true;
}

void debug_reader_close(struct debug_reader *reader)
{
	if (!reader)
		return;
	dwarf_file_close(&reader->file);
	free(reader);
}

/* ---- units and entries ---- */

int debug_next_unit(struct debug_reader *r, struct debug_unit *out)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version = 0;
	Dwarf_Die die = {0};
	uint8_t type = 0;
	int result = r->file.dw.dwarf_get_units(r->file.dwarf, r->last, &cu, &version, &type, &die,
						NULL);

	if (result)
		return result > 0 ? 0 : -1;
	r->last = cu;
	*out = (struct debug_unit){.version = version, .type = type, .empty = !die.addr};
	if (die.addr) {
		Dwarf_Die again;
		out->at = r->file.dw.dwarf_dieoffset(&die);
		out->begin = out->at - r->file.dw.dwarf_cuoffset(&die);
		/* Sections have offsets of their own. */
		out->of_types = !r->file.dw.dwarf_offdie(r->file.dwarf, out->at, &again) ||
				again.addr != die.addr;
	}
	return 1;
}

static bool find_entry(struct debug_reader *r, bool of_types, uint64_t at, Dwarf_Die *out)
{
	return of_types ? r->file.dw.dwarf_offdie_types(r->file.dwarf, at, out) :
			  r->file.dw.dwarf_offdie(r->file.dwarf, at, out);
}

bool debug_list_entries(struct debug_reader *r, const struct debug_unit *unit,
			struct entry_place_vec *out)
{
	struct dwarf_walk walk;

	out->len = walk.depth = 0;
	if (unit->empty || !find_entry(r, unit->of_types, unit->at, &walk.at[0]))
		return true;
	do {
		Dwarf_Die *die = &walk.at[walk.depth];
		int tag = r->file.dw.dwarf_tag(die);
		struct entry_place place = {r->file.dw.dwarf_dieoffset(die),
					    (uint16_t)(tag < 0 ? 0 : tag), (uint16_t)walk.depth};
		uint64_t last = out->len ? out->at[out->len - 1].at : 0;
		bool back =
			out->len &&
			place.at <=
				last; /* by a DW_AT_sibling that does not lead to the next one */
		if (back)
			place = (struct entry_place){last + 1, 0, place.depth};
		if (!work_spend(r->work, WORK_SCOPES, dwarf_walk_work(&r->file, &walk)) ||
		    !entry_place_vec_push(out, place))
			return false;
		if (back)
			return true;
	} while (dwarf_walk_next(&r->file, &walk));
	return true;
}

const char *debug_entry_name(struct debug_reader *r, bool of_types, uint64_t at, unsigned *tag)
{
	Dwarf_Attribute attr;
	Dwarf_Die die, other;

	*tag = 0;
	if (!find_entry(r, of_types, at, &die))
		return NULL;
	int found = r->file.dw.dwarf_tag(&die);
	*tag = found < 0 ? 0 : (unsigned)found;
	/* dwarf_attr_integrate() would open the files of a split unit. */
	for (int steps = 0; steps < 4; steps++, die = other) {
		/* An attribute is looked for among all of them. */
		if (!work_spend(r->work, WORK_SCOPES, r->file.entry_work))
			return NULL;
		if (r->file.dw.dwarf_attr(&die, DW_AT_name, &attr)) {
			const char *name = r->file.dw.dwarf_formstring(&attr);
			return name && work_spend(r->work, WORK_SCOPES, strlen(name) / 64) ? name :
											     NULL;
		}
		if ((!r->file.dw.dwarf_attr(&die, DW_AT_abstract_origin, &attr) &&
		     !r->file.dw.dwarf_attr(&die, DW_AT_specification, &attr)) ||
		    !r->file.dw.dwarf_formref_die(&attr, &other))
			return NULL;
	}
	return NULL;
}

/* ---- values ---- */

/* Attributes that can be a list of locations. */
static bool has_locations(unsigned name)
{
	switch (name) {
	case DW_AT_location:
	case DW_AT_string_length:
	case DW_AT_return_addr:
	case DW_AT_data_member_location:
	case DW_AT_frame_base:
	case DW_AT_segment:
	case DW_AT_static_link:
	case DW_AT_use_location:
	case DW_AT_vtable_elem_location: return true;
	default: return false;
	}
}

/* Attributes that are expressions where they are blocks, before DWARF 4. */
static bool has_expression(unsigned name)
{
	switch (name) {
	case DW_AT_const_value:
	case DW_AT_default_value:
	case DW_AT_discr_list: return false;
	default: return true;
	}
}

struct reading_values {
	struct debug_reader *r;
	const struct debug_unit *unit;
	struct debug_value_vec *out;
	bool failed;
};

static void take_number(struct debug_reader *r, Dwarf_Attribute *attr, struct debug_value *value)
{
	Dwarf_Word number;
	Dwarf_Sword s;

	if (attr->form == DW_FORM_sdata || attr->form == DW_FORM_implicit_const) {
		value->kind = r->file.dw.dwarf_formsdata(attr, &s) ? VALUE_BAD : VALUE_NUMBER;
		value->number = value->kind == VALUE_NUMBER ? (uint64_t)s : 0;
		return;
	}
	value->kind = r->file.dw.dwarf_formudata(attr, &number) ? VALUE_BAD : VALUE_NUMBER;
	value->number = value->kind == VALUE_NUMBER ? number : 0;
}

static void take_block(struct debug_reader *r, Dwarf_Attribute *attr, struct debug_value *value)
{
	Dwarf_Block block;

	value->kind = r->file.dw.dwarf_formblock(attr, &block) ? VALUE_BAD : VALUE_BYTES;
	if (value->kind == VALUE_BYTES)
		value->bytes = (struct bytes){block.data, block.length};
}

static void take_entry(struct debug_reader *r, Dwarf_Attribute *attr, struct debug_value *value)
{
	Dwarf_Die die, again;

	if (!r->file.dw.dwarf_formref_die(attr, &die)) {
		value->kind = VALUE_BAD;
		return;
	}
	value->kind = VALUE_ENTRY;
	value->number = r->file.dw.dwarf_dieoffset(&die);
	value->of_types = !r->file.dw.dwarf_offdie(r->file.dwarf, value->number, &again) ||
			  again.addr != die.addr;
}

static void take_value(struct debug_reader *r, Dwarf_Attribute *attr, const struct debug_unit *unit,
		       struct debug_value *value)
{
	Dwarf_Addr address;
	const char *text;
	bool flag;

	switch (attr->form) {
	case DW_FORM_addr:
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		value->kind = r->file.dw.dwarf_formaddr(attr, &address) ? VALUE_BAD : VALUE_ADDRESS;
		value->number = value->kind == VALUE_ADDRESS ? address : 0;
		return;
	case DW_FORM_data4:
	case DW_FORM_data8:
		if (unit->version < 4 && attr->code != DW_AT_data_member_location &&
		    has_locations(attr->code))
			value->kind = VALUE_LOCATIONS;
		else if (unit->version < 4 &&
			 (attr->code == DW_AT_ranges || attr->code == DW_AT_stmt_list ||
			  attr->code == DW_AT_macro_info))
			value->kind = attr->code == DW_AT_ranges ? VALUE_RANGES : VALUE_OFFSET;
		else
			take_number(r, attr, value);
		return;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_udata:
	case DW_FORM_sdata:
	case DW_FORM_implicit_const: take_number(r, attr, value); return;
	case DW_FORM_flag:
	case DW_FORM_flag_present:
		value->kind = r->file.dw.dwarf_formflag(attr, &flag) ? VALUE_BAD : VALUE_NUMBER;
		value->number = value->kind == VALUE_NUMBER && flag;
		return;
	case DW_FORM_string:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		text = r->file.dw.dwarf_formstring(attr);
		value->kind = text ? VALUE_TEXT : VALUE_BAD;
		value->bytes = (struct bytes){(const uint8_t *)text, text ? strlen(text) : 0};
		return;
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
	case DW_FORM_ref_addr:
	case DW_FORM_ref_sig8: take_entry(r, attr, value); return;
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		if (unit->version < 4 && has_expression(attr->code))
			value->kind = VALUE_EXPRESSION;
		else
			take_block(r, attr, value);
		return;
	case DW_FORM_exprloc: value->kind = VALUE_EXPRESSION; return;
	case DW_FORM_data16: take_block(r, attr, value); return;
	case DW_FORM_loclistx: value->kind = VALUE_LOCATIONS; return;
	case DW_FORM_rnglistx: value->kind = VALUE_RANGES; return;
	case DW_FORM_sec_offset:
		value->kind = attr->code == DW_AT_ranges || attr->code == DW_AT_start_scope ?
				      VALUE_RANGES :
			      has_locations(attr->code) ? VALUE_LOCATIONS :
							  VALUE_OFFSET;
		return;
	default: value->kind = VALUE_BAD;
	}
}

static int read_value(Dwarf_Attribute *attr, void *ctx)
{
	struct reading_values *reading = ctx;
	struct debug_value value = {
		.name = attr->code,
		.source = {attr->form, attr->valp, attr->cu, reading->unit->begin}};

	take_value(reading->r, attr, reading->unit, &value);
	/* A string is passed to its end. */
	reading->failed = !work_spend(reading->r->work, WORK_SCOPES,
				      1 + (value.kind == VALUE_TEXT ? value.bytes.size / 64 : 0)) ||
			  !debug_value_vec_push(reading->out, value);
	return reading->failed ? DWARF_CB_ABORT : DWARF_CB_OK;
}

bool debug_values(struct debug_reader *r, const struct debug_unit *unit, uint64_t at,
		  struct debug_value_vec *out)
{
	struct reading_values reading = {r, unit, out, false};
	Dwarf_Die die;

	out->len = 0;
	if (!find_entry(r, unit->of_types, at, &die) ||
	    r->file.dw.dwarf_getattrs(&die, read_value, &reading, 0) != 1)
		return !reading.failed &&
		       debug_value_vec_push(out, (struct debug_value){.kind = VALUE_BAD});
	return true;
}

/* ---- ranges ---- */

/* To read a range takes longer than to look at one. */
#define RANGE_WORK 4

bool debug_ranges(struct debug_reader *r, const struct debug_unit *unit, uint64_t at,
		  struct address_range_vec *out, bool *bad)
{
	Dwarf_Addr base = 0, start, end;
	Dwarf_Die die;
	ptrdiff_t offset = 0;

	out->len = 0;
	*bad = !find_entry(r, unit->of_types, at, &die);
	while (!*bad && (offset = r->file.dw.dwarf_ranges(&die, offset, &base, &start, &end)) > 0)
		if (!work_spend(r->work, WORK_RANGES, RANGE_WORK) ||
		    !address_range_vec_push(out, (struct address_range){start, end}))
			return false;
	*bad |= offset < 0;
	return true;
}

bool debug_unit_ranges(struct debug_reader *r, struct unit_arange_vec *out, bool *bad)
{
	Dwarf_Aranges *all = NULL;
	size_t count = 0;

	out->len = 0;
	*bad = r->file.dw.dwarf_getaranges(r->file.dwarf, &all, &count) != 0;
	for (size_t i = 0; !*bad && i < count; i++) {
		Dwarf_Addr start;
		Dwarf_Word size;
		Dwarf_Off unit;
		Dwarf_Arange *one = r->file.dw.dwarf_onearange(all, i);
		if (!one || r->file.dw.dwarf_getarangeinfo(one, &start, &size, &unit))
			continue;
		if (!work_spend(r->work, WORK_RANGES, 1) ||
		    !unit_arange_vec_push(out, (struct unit_arange){unit, start, start + size}))
			return false;
	}
	return true;
}

/* ---- expressions ---- */

/* An operation takes 80 bytes here and in libdw, and twice as much while arrays grow. */
#define EXPRESSION_WORK 32

static Dwarf_Attribute attribute_of(const struct debug_value *value)
{
	return (Dwarf_Attribute){value->name, value->source.form, value->source.at,
				 value->source.unit};
}

static bool take_operations(struct debug_reader *r, Dwarf_Attribute *attr, uint64_t begin,
			    const Dwarf_Op *ops, size_t count, unsigned nested,
			    struct debug_locations *out, bool *bad);

/* What an operation refers to.  *inner: it holds an expression of its own. */
static void take_operands(struct debug_reader *r, Dwarf_Attribute *attr, uint64_t begin,
			  const Dwarf_Op *op, struct debug_operation *out, Dwarf_Attribute *inner,
			  bool *has_inner, bool *bad)
{
	Dwarf_Attribute found;
	Dwarf_Block block = {0};
	Dwarf_Addr address;

	*has_inner = false;
	switch (op->atom) {
	case DW_OP_addr: out->kinds[0] = OPERAND_ADDRESS; return;
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
	case DW_OP_constx:
	case DW_OP_GNU_const_index:
		*bad |= r->file.dw.dwarf_getlocation_attr(attr, op, &found) ||
			r->file.dw.dwarf_formaddr(&found, &address);
		if (*bad)
			return;
		out->code = op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index ?
				    DW_OP_addr :
				    DW_OP_constx;
		out->kinds[0] = OPERAND_ADDRESS;
		out->numbers[0] = address;
		return;
	case DW_OP_call_ref:
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
	case DW_OP_GNU_variable_value: out->kinds[0] = OPERAND_ENTRY; return;
	case DW_OP_call2:
	case DW_OP_call4:
	case DW_OP_GNU_parameter_ref:
		out->kinds[0] = OPERAND_ENTRY;
		out->numbers[0] += begin;
		return;
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		if (!op->number) /* the generic type */
			return;
		out->kinds[0] = OPERAND_ENTRY;
		out->numbers[0] += begin;
		return;
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
	case DW_OP_xderef_type:
		out->kinds[1] = OPERAND_ENTRY;
		out->numbers[1] += begin;
		return;
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		out->kinds[0] = OPERAND_ENTRY;
		out->numbers[0] += begin;
		out->numbers[1] = 0;
		*bad |= r->file.dw.dwarf_getlocation_attr(attr, op, &found) ||
			r->file.dw.dwarf_formblock(&found, &block);
		break;
	case DW_OP_implicit_value:
		out->numbers[1] = 0;
		*bad |= r->file.dw.dwarf_getlocation_implicit_value(attr, op, &block) != 0;
		break;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		out->numbers[0] = out->numbers[1] = 0;
		*has_inner = !r->file.dw.dwarf_getlocation_attr(attr, op, inner);
		*bad |= !*has_inner;
		return;
	case DW_OP_skip:
	case DW_OP_bra: /* operations have the same sizes, unless a number in them is another */
		return;
	default: return;
	}
	out->bytes = (struct bytes){block.data, block.length};
}

/* nested: how deep DW_OP_entry_value may still be. */
static bool take_operations(struct debug_reader *r, Dwarf_Attribute *attr, uint64_t begin,
			    const Dwarf_Op *ops, size_t count, unsigned nested,
			    struct debug_locations *out, bool *bad)
{
	if (!work_spend(r->work, WORK_EXPRESSIONS, EXPRESSION_WORK * count + 1))
		return false;
	for (size_t i = 0; i < count && !*bad; i++) {
		struct debug_operation operation = {.code = ops[i].atom,
						    .numbers = {ops[i].number, ops[i].number2}};
		Dwarf_Attribute inner;
		bool has_inner;
		size_t at = out->operations.len;
		take_operands(r, attr, begin, &ops[i], &operation, &inner, &has_inner, bad);
		if (!debug_operation_vec_push(&out->operations, operation))
			return false;
		Dwarf_Op *in;
		size_t in_count;
		if (!has_inner || *bad)
			continue;
		*bad = !nested || r->file.dw.dwarf_getlocation(&inner, &in, &in_count);
		if (!*bad && !take_operations(r, &inner, begin, in, in_count, nested - 1, out, bad))
			return false;
		out->operations.at[at].numbers[0] = out->operations.len - at - 1;
	}
	return true;
}

bool debug_locations(struct debug_reader *r, const struct debug_value *value,
		     struct debug_locations *out, bool *bad)
{
	Dwarf_Attribute attr = attribute_of(value);
	Dwarf_Addr base = 0, start = 0, end = 0;
	ptrdiff_t offset = 0;
	Dwarf_Op *ops;
	size_t count;

	out->at.len = out->operations.len = 0;
	*bad = false;
	if (value->kind == VALUE_EXPRESSION) {
		*bad = r->file.dw.dwarf_getlocation(&attr, &ops, &count) != 0;
		return *bad ||
		       (debug_location_vec_push(&out->at,
						(struct debug_location){0, UINT64_MAX, 0, 0}) &&
			take_operations(r, &attr, value->source.begin, ops, count, 2, out, bad) &&
			(out->at.at[0].count = out->operations.len, true));
	}
	while (!*bad && (offset = r->file.dw.dwarf_getlocations(&attr, offset, &base, &start, &end,
								&ops, &count)) > 0) {
		size_t first = out->operations.len;
		if (!take_operations(r, &attr, value->source.begin, ops, count, 2, out, bad) ||
		    !debug_location_vec_push(&out->at,
					     (struct debug_location){start, end, first,
								     out->operations.len - first}))
			return false;
	}
	*bad |= offset < 0;
	return true;
}

#else

bool debug_reader_open(const struct image *image, bool counted, struct debug_reader **out,
		       struct bc_error *err)
{
	struct dwarf_file file;

	*out = NULL;
	return dwarf_file_open(image, PURPOSE, counted, &file, err);
}

void debug_reader_close(struct debug_reader *reader)
{
	(void)reader;
}

int debug_next_unit(struct debug_reader *reader, struct debug_unit *out)
{
	(void)reader;
	(void)out;
	return 0;
}

bool debug_list_entries(struct debug_reader *reader, const struct debug_unit *unit,
			struct entry_place_vec *out)
{
	(void)reader;
	(void)unit;
	(void)out;
	return false;
}

bool debug_values(struct debug_reader *reader, const struct debug_unit *unit, uint64_t at,
		  struct debug_value_vec *out)
{
	(void)reader;
	(void)unit;
	(void)at;
	(void)out;
	return false;
}

const char *debug_entry_name(struct debug_reader *reader, bool of_types, uint64_t at, unsigned *tag)
{
	(void)reader;
	(void)of_types;
	(void)at;
	*tag = 0;
	return NULL;
}

bool debug_ranges(struct debug_reader *reader, const struct debug_unit *unit, uint64_t at,
		  struct address_range_vec *out, bool *bad)
{
	(void)reader;
	(void)unit;
	(void)at;
	(void)out;
	*bad = true;
	return false;
}

bool debug_unit_ranges(struct debug_reader *reader, struct unit_arange_vec *out, bool *bad)
{
	(void)reader;
	(void)out;
	*bad = true;
	return false;
}

bool debug_locations(struct debug_reader *reader, const struct debug_value *value,
		     struct debug_locations *out, bool *bad)
{
	(void)reader;
	(void)value;
	(void)out;
	*bad = true;
	return false;
}

#endif

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
		snprintf(out, size, "DW_OP_%s%u",
			 code < 0x50 ? "lit" :
			 code < 0x70 ? "reg" :
				       "breg",
			 (unsigned)(code - 0x30) % 32);
	else
		snprintf(out, size, "operation 0x%x", (unsigned)code);
}
