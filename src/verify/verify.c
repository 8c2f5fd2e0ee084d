/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/verify.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/verify/check_input.h"
#include "src/verify/checks.h"
#include "src/verify/section_order.h"
#include "src/elf/binary.h"
#include "src/elf/bolt_input.h"
#include "src/elf/notes.h"

const struct unmapped_info unmapped_infos[UNMAPPED_COUNT] = {
#define X(name, key, why) {key, why},
	UNMAPPED_REASONS(X)
#undef X
};

/* Has BOLT written all code of this section? */
static bool is_new(const struct image *image, const struct section *section)
{
	return text_starts(section->name, ".text") && image_section(image, ".bolt.org.text");
}

static enum unmapped_reason reason_of(const struct binary *subject, const struct function *f)
{
	if (f->kind == FUNCTION_PLT)
		return UNMAPPED_STUB;
	if (!subject->functions.stripped && text_starts(text_of(f->primary), FUNCTION_OF_FDE))
		return UNMAPPED_ORIGINAL;
	if (!is_new(&subject->image, &subject->image.sections[f->section]))
		return UNMAPPED_IGNORED;
	return symbol_is_made(f->primary) ? UNMAPPED_INSERTED : UNMAPPED_REWRITTEN;
}

static void coverage_measure(const struct binary *subject, struct table_coverage *out)
{
	const struct bat_table *bat = &subject->bat;
	struct table_coverage c = {.fragments = bat->fragment_count,
				   .mapped_functions = bat->hot_count};

	for (size_t i = 0; i < subject->image.section_count; i++) {
		const struct section *s = &subject->image.sections[i];
		if (!(s->flags & SHF_EXECINSTR))
			continue;
		c.executable += s->size;
		c.rewritten += is_new(&subject->image, s) ? s->size : 0;
	}
	for (size_t i = 0; i < subject->functions.count; i++) {
		const struct function *f = &subject->functions.at[i];
		const struct bat_fragment *fragment = bat_find_exact(bat, f->address);
		if (fragment && fragment->entry_count) {
			c.mapped += f->size;
			continue;
		}
		enum unmapped_reason reason = reason_of(subject, f);
		c.unmapped[reason].functions++;
		c.unmapped[reason].bytes += f->size;
	}
	*out = c;
}

enum { E_TYPE = 16, E_PHOFF = 32, E_PHENTSIZE = 54, E_PHNUM = 56 };
enum { P_FLAGS = 4, P_OFFSET = 8, P_VADDR = 16, P_ALIGN = 48 };

bool check_segments(struct bytes file, struct findings *findings)
{
	bool good = true;

	if (file.size < sizeof(Elf64_Ehdr) || file.data[EI_CLASS] != ELFCLASS64 ||
	    file.data[EI_DATA] != ELFDATA2LSB ||
	    le16(file.data + E_PHENTSIZE) != sizeof(Elf64_Phdr))
		return true; /* image_open() reports it */
	uint64_t table = le64(file.data + E_PHOFF);
	for (uint64_t i = 0; i < le16(file.data + E_PHNUM); i++) {
		if (!range_fits(table, (i + 1) * sizeof(Elf64_Phdr), file.size))
			return true;
		const uint8_t *p = file.data + table + i * sizeof(Elf64_Phdr);
		struct segment s = {.vaddr = le64(p + P_VADDR),
				    .offset = le64(p + P_OFFSET),
				    .align = le64(p + P_ALIGN)};
		if (le32(p) != PT_LOAD || !(le32(p + P_FLAGS) & PF_X) ||
		    segment_agrees(&s, le16(file.data + E_TYPE) == ET_DYN))
			continue;
		struct finding_location location = NO_LOCATION;
		location.address = s.vaddr;
		findings_add(findings, FINDING_SEGMENT_MISALIGNED, location,
			     "offset 0x%" PRIx64 ", alignment 0x%" PRIx64, s.offset, s.align);
		good = false;
	}
	return good;
}

static enum finding_kind kind_of(const struct bat_error *err)
{
	switch (err->cause) {
	case BAT_CAUSE_END: return FINDING_DESC_CUT;
	case BAT_CAUSE_WIDE: return FINDING_NUMBER_WIDE;
	case BAT_CAUSE_COUNT: return FINDING_COUNT_LARGE;
	case BAT_CAUSE_LEFT: return FINDING_DESC_LEFT;
	case BAT_CAUSE_ORDER:
		return strcmp(err->field, "OutputOffset") ? FINDING_ADDRESS_ORDER :
							    FINDING_OFFSET_ORDER;
	case BAT_CAUSE_RANGE:
		if (!strcmp(err->field, "HotIndex"))
			return FINDING_HOT_INDEX_RANGE;
		return strcmp(err->field, "EqualElems") ? FINDING_COLD_ADDRESS :
							  FINDING_EQUAL_RANGE;
	}
	return FINDING_DESC_CUT;
}

/* Reports the damage under the layout that was read furthest, which is most likely the one that
 * was written. */
static void tell_malformed(const struct binary *subject, const struct bat_error *unrecognized,
			   struct findings *findings)
{
	struct finding_location location = NO_LOCATION;
	struct bat_error why = *unrecognized;
	struct bat_table unused;

	if (bat_decode_as(unrecognized->layout, subject->desc.data, subject->desc.size, &unused,
			  &why))
		bat_free(&unused);
	location.byte = why.byte;
	findings_add(findings, kind_of(&why), location, "as layout %s: %s",
		     bat_layout_name(why.layout), why.text);
}

/* Decode the table into subject->bat.  False: a finding has the reason,
 * or out of memory. */
static bool check_decoding(struct binary *subject, struct findings *findings, struct bc_error *err)
{
	struct bat_error bat_err = {0};

	if (bat_decode(subject->desc.data, subject->desc.size, &subject->bat, &bat_err))
		return true;
	if (bat_err.code == BAT_ERROR_NOMEM)
		return bc_fail_nomem(err);
	if (bat_err.code == BAT_ERROR_AMBIGUOUS)
		findings_add(findings, FINDING_LAYOUT_AMBIGUOUS, NO_LOCATION, "%s", bat_err.text);
	else
		tell_malformed(subject, &bat_err, findings);
	return false;
}

static size_t count_sections(const struct image *image)
{
	size_t count = 0;

	for (size_t i = 0; i < image->section_count; i++)
		count += text_is(image->sections[i].name, BAT_SECTION_NAME);
	return count;
}

static bool all_zero(struct bytes b)
{
	for (size_t i = 0; i < b.size; i++)
		if (b.data[i])
			return false;
	return true;
}

/* The zeros after the owner's name and after the descriptor. */
static void check_padding(const struct binary *subject, struct findings *findings)
{
	const uint8_t *desc = subject->desc.data, *begin = subject->section.data;
	struct bytes name = {begin + 12 + sizeof(BAT_NOTE_OWNER), 0};
	struct bytes end =
		bytes_from(subject->section, (size_t)(desc - begin) + subject->desc.size);

	name.size = (size_t)(desc - name.data);
	if (!all_zero(name) || !all_zero(end))
		findings_add(findings, FINDING_NOTE_PADDING, NO_LOCATION, "after the %s",
			     all_zero(name) ? "descriptor" : "owner's name");
}

static bool check_content(struct binary *subject, struct findings *findings)
{
	struct bytes rest = subject->section;
	struct note note;

	if (!note_next(&rest, 4, &note)) {
		findings_add(findings, FINDING_NOTE_DAMAGED, NO_LOCATION,
			     "a section of %zu bytes cannot hold what its header announces",
			     subject->section.size);
		return false;
	}
	if (!text_is(note.owner, BAT_NOTE_OWNER) || note.type != BAT_NOTE_TYPE) {
		findings_add(findings, FINDING_NOTE_FOREIGN, NO_LOCATION,
			     "owner '%.*s', type %u; BAT has '" BAT_NOTE_OWNER "', %u",
			     (int)(note.owner.len < 64 ? note.owner.len : 64), note.owner.at,
			     note.type, BAT_NOTE_TYPE);
		return false;
	}
	subject->desc = note.desc;
	if (rest.size) {
		findings_add(findings, FINDING_NOTE_DAMAGED, NO_LOCATION,
			     "%zu byte%s after the note", rest.size, plural(rest.size));
		return false;
	}
	check_padding(subject, findings);
	return true;
}

/* The section of an opened image, or alone.  True: subject->desc is set.
 * False with err->code BC_OK: a finding has the reason; BC_NOTFOUND: no section. */
static bool check_note(struct binary *subject, struct findings *findings, struct bc_error *err)
{
	const struct section *section;

	if (subject->kind == BINARY_SECTION)
		return check_content(subject, findings);
	section = image_section(&subject->image, BAT_SECTION_NAME);
	if (!section) /* its message */
		return binary_find_note(subject, err);
	subject->section = image_section_bytes(&subject->image, section);
	if (count_sections(&subject->image) > 1) {
		findings_add(findings, FINDING_NOTE_TWICE, NO_LOCATION,
			     "%zu sections " BAT_SECTION_NAME, count_sections(&subject->image));
		return false;
	}
	if (section->type != SHT_NOTE) {
		findings_add(findings, FINDING_NOTE_DAMAGED, NO_LOCATION, "section type %u, not %d",
			     section->type, SHT_NOTE);
		return false;
	}
	if (section->flags & SHF_ALLOC || section->addr)
		findings_add(findings, FINDING_NOTE_LOADED, NO_LOCATION, "at address 0x%llx",
			     (unsigned long long)section->addr);
	return check_content(subject, findings);
}

static bool compare_debug_information(const struct verify_options *options,
				      struct verify_report *report, const struct input *input,
				      struct bc_error *err)
{
	struct findings found;
	bool of_input = false;

	findings_init(&found, report->findings.most);
	report->lined = check_lines(&report->subject, input, options->threads, &report->lines,
				    &report->scopes, &report->scoped, &found, &of_input, err);
	if (report->lined)
		findings_append(&report->findings, &found);
	findings_free(&found);
	if (report->lined)
		return true;
	(void)bc_fail_prefix(err, of_input ? options->input : options->binary);
	if (options->dwarf && err->code == BC_NOTFOUND) {
		struct bc_error absent = *err;
		return bc_fail(err, absent.code, "%s", absent.text) ||
		       bc_hint(err, "leave out --dwarf, and the rest is checked");
	}
	if (options->dwarf || err->code == BC_NOMEM)
		return false;
	report->no_dwarf = *err;
	*err = (struct bc_error){0};
	return true;
}

static bool check_code(const struct verify_options *options, struct verify_report *report,
		       const struct block_starts *starts, struct input *input, struct bc_error *err)
{
	const struct binary *subject = &report->subject;
	struct findings *findings = &report->findings;

	bool ok =
		options->no_code || check_output_code(subject, starts, options->threads, findings);
	if (ok && input)
		ok = check_input(subject, input, starts, options->threads, !options->no_code,
				 findings);
	if (!ok)
		return bc_fail_nomem(err);
	if (input && !work_check(input->image.work, err))
		return bc_fail_prefix(err, options->input);
	bool comparable = input && !findings->counts[FINDING_INPUT_BUILD] &&
			  !findings->counts[FINDING_INPUT_OTHER];
	if (comparable) {
		bool of_input = false;
		report->named =
			check_symbols(subject, input, &report->symbols, findings, &of_input, err);
		if (!report->named)
			return bc_fail_prefix(err, of_input ? options->input : options->binary);
	}
	if (comparable && options->unwind) {
		report->unwound = check_unwind(subject, input, options->threads, &report->unwind,
					       findings, err);
		if (!report->unwound) {
			struct bc_error unused;
			return bc_fail_prefix(err, work_check(subject->image.work, &unused) ?
							   options->input :
							   options->binary);
		}
	}
	if (comparable && (options->dwarf || options->dwarf_if_any) &&
	    !compare_debug_information(options, report, input, err))
		return false;
	report->code = options->no_code                              ? CODE_NOT_ASKED :
		       code_decoder_complete(subject->image.machine) ? CODE_CHECKED :
								       CODE_PARTLY;
	return true;
}

static bool check_blocks_and_code(const struct verify_options *options,
				  struct verify_report *report, struct input *input,
				  struct bc_error *err)
{
	BC_AUTO(block_starts_free) struct block_starts starts = {0};
	struct binary *subject = &report->subject;
	struct findings *findings = &report->findings;

	if (!block_starts_make(&subject->bat, &starts) ||
	    !check_blocks(subject, &starts, !options->no_code, findings))
		return bc_fail_nomem(err);
	check_parents(subject, findings);
	bool alone = subject->kind == BINARY_SECTION,
	     absent = !alone && !image_has_code(&subject->image);
	if ((alone || absent) && (options->unwind || options->dwarf))
		return bc_fail(err, BC_UNSUPPORTED,
			       "%s: %s: %s compares the code of the optimized binary with the input's",
			       options->binary, alone ? "is a BAT section alone" : IMAGE_NO_CODE,
			       options->unwind ? "--unwind" : "--dwarf") ||
		       bc_hint(err, "give the optimized binary");
	if (alone)
		return true;
	if (image_is_of_go(&subject->image))
		findings_add(
			findings, FINDING_GO_PROGRAM, NO_LOCATION,
			"the run-time system finds functions that moved at their original addresses");
	check_fragments(subject, findings);
	if (absent) {
		report->code = CODE_ABSENT;
		return true;
	}
	return check_code(options, report, &starts, input, err);
}

static bool check_table(const struct verify_options *options, struct verify_report *report,
			struct input *input, struct bc_error *err)
{
	if (!check_canonical(&report->subject, &report->findings))
		return bc_fail_nomem(err);
	return !check_structure(&report->subject, &report->findings) ||
	       check_blocks_and_code(options, report, input, err);
}

static bool link_table(struct binary *subject, struct bc_error *err)
{
	return binary_build_functions(subject, err) && binary_keep_parents(subject, err) &&
	       binary_settle(subject, err);
}

static bool verify(const struct verify_options *options, struct verify_report *report,
		   struct input *input, struct bc_error *err)
{
	struct binary *subject = &report->subject;

	report->code = CODE_NONE;
	if (!check_note(subject, &report->findings, err) ||
	    !check_decoding(subject, &report->findings, err))
		return err->code == BC_OK || bc_fail_prefix(err, options->binary);
	report->decoded = true;
	if (!link_table(subject, err))
		return bc_fail_prefix(err, options->binary);
	report->linked = subject->kind != BINARY_SECTION;
	if (report->linked)
		coverage_measure(subject, &report->coverage);
	if (!check_table(options, report, input, err))
		return false;
	if (!findings_locate(&report->findings, subject) || report->findings.nomem)
		return bc_fail_nomem(err);
	return true;
}

bool verify_subject(const struct verify_options *options, struct verify_report *report,
		    struct bc_error *err)
{
	struct input input;

	*err = (struct bc_error){0};
	findings_init(&report->findings, options->most);
	if (!options->input)
		return verify(options, report, NULL, err);
	if (!input_open(options->input, &input, err))
		return false;
	bool ok = verify(options, report, &input, err);
	input_close(&input);
	return ok;
}

/* If a file cannot be opened because of its segments, the finding about these is reported. */
static bool misaligned(const char *path, struct findings *findings)
{
	struct file_map file;
	struct bc_error err;

	if (!file_map(path, &file, &err))
		return false;
	bool good = check_segments((struct bytes){file.data, file.size}, findings);
	file_unmap(&file);
	return !good;
}

bool verify_run(const struct verify_options *options, struct verify_report *out,
		struct bc_error *err)
{
	struct verify_report report = {.code = CODE_NONE};

	findings_init(&report.findings, options->most);
	if (!binary_map(options->binary, &report.subject, err)) {
		*out = report;
		return err->code == BC_FORMAT && misaligned(options->binary, &out->findings);
	}
	bool ok = verify_subject(options, &report, err);
	if (ok)
		*out = report;
	else
		verify_free(&report);
	return ok;
}

void verify_free(struct verify_report *report)
{
	findings_free(&report->findings);
	binary_close(&report->subject);
}
