/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/doctor.h"

#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/say.h"
#include "src/elf/binary.h"
#include "src/elf/load.h"
#include "src/elf/notes.h"
#include "src/figures/advice.h"
#include "src/figures/figure_table.h"

/* ---- findings ---- */

struct doctor_visit {
	struct doctor *doctor;
	const char *of; /* the part that is looked at */
	bool nomem;
};

static struct diagnosis *find(struct doctor_visit *visit, const char *about, const char *label,
			      enum diagnosis_verdict verdict)
{
	static struct diagnosis unused;
	struct diagnosis_vec *all = &visit->doctor->findings;

	if (!diagnosis_vec_push(all,
				(struct diagnosis){visit->of, about, label, verdict, "", ""})) {
		visit->nomem = true;
		return &unused;
	}
	return &all->at[all->len - 1];
}

#define WRITE(field, ...) snprintf(field, sizeof(field), __VA_ARGS__)

/* What an error says, and its hint. */
static void write_error(struct diagnosis *finding, const struct bc_error *err)
{
	const char *hint = bc_error_hint(err);

	WRITE(finding->text, "%s", err->text);
	WRITE(finding->remedy, "%s", hint ? hint : "");
}

/* ---- the machine ---- */

static bool kernel_is_before(const struct sampling_facts *s, unsigned major, unsigned minor)
{
	return s->major && (s->major < major || (s->major == major && s->minor < minor));
}

#define WITHOUT_STACKS                                                                             \
	"basic samples (for a BOLTed program with --input=INPUT), or exact counts of a copy that " \
	"llvm-bolt -instrument writes"

static void explain_no_stacks(const struct sampling_facts *s, struct diagnosis *out)
{
	WRITE(out->remedy, "%s", WITHOUT_STACKS);
	if (s->virtual_machine) {
		WRITE(out->text,
		      "none: this virtual machine does not expose those of the processor");
		WRITE(out->remedy, "record on its host or on bare metal; else %s", WITHOUT_STACKS);
	} else if (s->amd_lbr && kernel_is_before(s, 6, 1)) {
		WRITE(out->text, "none: AMD LbrExtV2 takes Linux 6.1, and this is %s", s->kernel);
		WRITE(out->remedy, "run Linux 6.1 or later; until then %s", WITHOUT_STACKS);
	} else if (s->amd_brs) {
		WRITE(out->text,
		      "none: AMD BRS takes Linux 5.19 with CONFIG_PERF_EVENTS_AMD_BRS, and this is %s",
		      s->kernel);
		WRITE(out->remedy, "run such a kernel; until then %s", WITHOUT_STACKS);
	} else if (s->maker == MAKER_AMD) {
		WRITE(out->text, "none: of AMD, Zen 3 has BRS, and Zen 4 and later have LbrExtV2");
	} else if (s->maker == MAKER_INTEL) {
		WRITE(out->text, "none: the kernel does not offer the LBR of this processor");
	} else if (s->maker == MAKER_ARM) {
		WRITE(out->text, "none: Arm BRBE takes Armv9.2 and Linux 6.17%s%s",
		      *s->kernel ? ", and this is " : "", s->kernel);
	} else {
		WRITE(out->text, "none: this processor has no branch records that Linux knows");
	}
}

static const char *stacks_name(const struct sampling_facts *s)
{
	bool brs = strstr(s->ways[SAMPLING_STACKS].event, "branch-brs");

	switch (s->maker) {
	case MAKER_INTEL: return s->arch_lbr ? "Intel Arch LBR" : "Intel LBR";
	case MAKER_AMD: return brs ? "AMD BRS" : "AMD LbrExtV2";
	case MAKER_ARM: return "Arm BRBE";
	case MAKER_UNKNOWN: break;
	}
	return "the processor's";
}

static void judge_stacks(struct doctor_visit *visit, const char *about, const char *label)
{
	const struct sampling_facts *s = &visit->doctor->sampling;
	const struct sampled_way *way = &s->ways[SAMPLING_STACKS];
	bool works = way->state == WAY_WORKS;
	struct diagnosis *out =
		find(visit, about, label, works ? DIAGNOSIS_GOOD : DIAGNOSIS_WARNING);
	char depth[32] = "";

	if (s->depth)
		WRITE(depth, ", %u deep", s->depth);
	if (works)
		WRITE(out->text, "%s%s%s (%s)", stacks_name(s), depth,
		      s->types ? ", with types" : "", way->event);
	else if (way->state == WAY_REFUSED)
		write_error(out, &way->why);
	else
		explain_no_stacks(s, out);
}

static void judge_basic(struct doctor_visit *visit, enum sampling_way way, const char *about,
			const char *label)
{
	const struct sampling_facts *s = &visit->doctor->sampling;
	const struct sampled_way *it = &s->ways[way];
	bool better = s->ways[SAMPLING_STACKS].state == WAY_WORKS;

	if (it->state == WAY_WORKS) {
		struct diagnosis *out = find(visit, about, label, DIAGNOSIS_GOOD);
		WRITE(out->text, "basic samples of %s%s", it->event,
		      better ? "" : "; for a BOLTed program they need --input=INPUT");
	} else if (it->state == WAY_ABSENT) {
		WRITE(find(visit, about, label, DIAGNOSIS_NONE)->text, "none%s",
		      s->virtual_machine ? ": a virtual machine without them" : "");
	} else if (s->ways[SAMPLING_STACKS].state == WAY_REFUSED) {
		WRITE(find(visit, about, label, DIAGNOSIS_WARNING)->text,
		      "refused, as branch stacks are");
	} else {
		write_error(find(visit, about, label, DIAGNOSIS_WARNING), &it->why);
	}
}

static void judge_trace(struct doctor_visit *visit, enum sampling_way way, const char *about,
			const char *label)
{
	static const enum processor_maker makers[SAMPLING_WAY_COUNT] = {
		[SAMPLING_INTEL_PT] = MAKER_INTEL,
		[SAMPLING_ARM_SPE] = MAKER_ARM,
		[SAMPLING_ARM_ETM] = MAKER_ARM,
	};
	static const char *const names[] = {[MAKER_UNKNOWN] = "",
					    [MAKER_INTEL] = "Intel",
					    [MAKER_AMD] = "AMD",
					    [MAKER_ARM] = "Arm"};
	const struct sampling_facts *s = &visit->doctor->sampling;
	const struct sampled_way *it = &s->ways[way];

	if (it->state == WAY_WORKS) {
		WRITE(find(visit, about, label, DIAGNOSIS_GOOD)->text,
		      "perf record -e %s -- PROG, which batconv reads", it->event);
	} else if (it->state == WAY_REFUSED) {
		struct diagnosis *out = find(visit, about, label, DIAGNOSIS_WARNING);
		WRITE(out->text, "%s", it->why.text);
		WRITE(out->remedy, "as root, or see branch stacks above");
	} else if (s->maker == makers[way]) {
		WRITE(find(visit, about, label, DIAGNOSIS_NONE)->text,
		      s->virtual_machine ? "none: a virtual machine without it" :
					   "none: the kernel has no such device");
	} else if (s->maker != MAKER_UNKNOWN) {
		WRITE(find(visit, about, label, DIAGNOSIS_NONE)->text,
		      "none: %s processors have none", names[s->maker]);
	} else {
		WRITE(find(visit, about, label, DIAGNOSIS_NONE)->text, "none");
	}
}

static void judge_rights(struct doctor_visit *visit)
{
	const struct sampling_facts *s = &visit->doctor->sampling;
	bool wide = s->whole_machine.state == WAY_WORKS;
	struct diagnosis *out = find(visit, "rights", "rights",
				     sampling_works(s) ? DIAGNOSIS_GOOD : DIAGNOSIS_WARNING);

	if (!s->has_paranoid) {
		out->verdict = DIAGNOSIS_WARNING;
		WRITE(out->text,
		      "no kernel.perf_event_paranoid: this kernel was built without events");
		WRITE(out->remedy, "run a kernel with CONFIG_PERF_EVENTS");
		return;
	}
	WRITE(out->text, "%s may be recorded (kernel.perf_event_paranoid is %d%s%s)",
	      wide              ? "all processes" :
	      sampling_works(s) ? "own programs" :
				  "nothing",
	      s->paranoid, s->container ? ", in a container" : "",
	      s->seccomp ? ", system calls are filtered" : "");
	if (!wide && sampling_works(s))
		WRITE(out->remedy,
		      "for all processes (record -a): as root, 'sysctl kernel.perf_event_paranoid=0'");
}

static void judge_machine(struct doctor_visit *visit)
{
	visit->of = "machine";
	judge_rights(visit);
	for (int i = 0; i < SAMPLING_WAY_COUNT; i++) {
		enum sampling_way way = (enum sampling_way)i;
		const char *about = sampling_way_key(way), *label = sampling_way_text(way);
		if (way == SAMPLING_STACKS)
			judge_stacks(visit, about, label);
		else if (way == SAMPLING_COUNTERS || way == SAMPLING_TIMER)
			judge_basic(visit, way, about, label);
		else
			judge_trace(visit, way, about, label);
	}
}

/* ---- llvm-bolt ---- */

/* DIR/../lib/libbolt_rt_instr.a, of the folder where the program really is. */
static bool has_library(const char *program)
{
	static const char *const folders[] = {"lib", "lib64"};
	char real[PATH_MAX], path[PATH_MAX + 64];

	if (!realpath(program, real))
		return false;
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(real, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
	for (size_t i = 0; i < BC_COUNT(folders); i++) {
		WRITE(path, "%s/%s/libbolt_rt_instr.a", real, folders[i]);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

static void judge_llvm_bolt(struct doctor_visit *visit, const char *given)
{
	struct doctor *doctor = visit->doctor;
	struct bolt_program *bolt = &doctor->bolt;
	struct bc_error why;

	visit->of = "llvm_bolt";
	if (!bolt_program_find(given, BOLT_READS_PROFILES, bolt, &why) ||
	    !bolt_program_ask(bolt, &why)) {
		struct diagnosis *out = find(visit, "release", "release", DIAGNOSIS_BAD);
		write_error(out, &why);
		if (!*out->remedy)
			WRITE(out->remedy,
			      "install it (Debian and Ubuntu: apt install bolt-19), or name one: --llvm-bolt=PATH");
		*bolt = (struct bolt_program){0};
		return;
	}
	bool old = bolt->release < bolt_release_with(BOLT_READS_PROFILES),
	     hashes = bolt->release >= bolt_release_with(BOLT_WRITES_HASHES);
	struct diagnosis *out = find(visit, "release", "release",
				     old    ? DIAGNOSIS_BAD :
				     hashes ? DIAGNOSIS_GOOD :
					      DIAGNOSIS_WARNING);
	WRITE(out->text, "%s%s", bolt->version,
	      old    ? ", which reads no profile and writes no table that batconv knows" :
	      hashes ? "" :
		       ": it writes no hashes, so that profiles are fdata, not YAML");
	if (!hashes)
		WRITE(out->remedy, "use release %u or later: --llvm-bolt=PATH",
		      bolt_release_with(BOLT_WRITES_HASHES));
	doctor->instruments = has_library(bolt->path);
	struct diagnosis *library = find(visit, "instrumentation", "instrument",
					 doctor->instruments ? DIAGNOSIS_GOOD : DIAGNOSIS_WARNING);
	if (doctor->instruments) {
		WRITE(library->text,
		      "exact counts, also where nothing can be sampled: llvm-bolt -instrument");
	} else {
		WRITE(library->text, "llvm-bolt has no lib/libbolt_rt_instr.a next to its bin/");
		WRITE(library->remedy, "install llvm-bolt with its libraries, to use -instrument");
	}
}

/* ---- the program ---- */

static void judge_runs(struct doctor_visit *visit, const struct image *image)
{
	const struct sampling_facts *s = &visit->doctor->sampling;
	const struct bolt_program *bolt = &visit->doctor->bolt;
	const bool targets[] = {[MACHINE_X86_64] = bolt->x86_64,
				[MACHINE_AARCH64] = bolt->aarch64,
				[MACHINE_RISCV64] = bolt->riscv64};
	bool foreign = s->has_machine && s->machine != image->machine;
	struct diagnosis *out =
		find(visit, "kind", "kind", foreign ? DIAGNOSIS_BAD : DIAGNOSIS_GOOD);

	WRITE(out->text, "%s, %s%s", machine_name(image->machine),
	      image_is_kernel(image)                              ? "kernel" :
	      image->position_independent && !image_is_pie(image) ? "shared library" :
	      image_section(image, ".interp")                     ? "program" :
								    "static program",
	      image_is_pie(image) ? ", position-independent" : "");
	if (foreign) {
		size_t used = strlen(out->text);
		snprintf(out->text + used, sizeof(out->text) - used,
			 ": this machine is %s and does not run it", machine_name(s->machine));
		WRITE(out->remedy, "record it on a machine of its own kind, and convert here");
	}
	if (*bolt->path && !targets[image->machine]) {
		struct diagnosis *target = find(visit, "target", "target", DIAGNOSIS_BAD);
		WRITE(target->text, "llvm-bolt %s has no target for %s", bolt->version,
		      machine_name(image->machine));
		WRITE(target->remedy, "name another one: --llvm-bolt=PATH");
	}
}

/* What llvm-bolt says of itself in what it wrote: "BOLT revision: R, command line: ...". */
static struct text revision_of(const struct image *image)
{
	const struct section *section = image_section(image, ".note.bolt_info");
	static const char before[] = "BOLT revision: ";
	struct bytes rest = section ? image_section_bytes(image, section) : (struct bytes){0};
	struct note note;

	if (rest.size > NOTES_READ || !note_next(&rest, section ? section->align : 4, &note))
		return (struct text){"", 0};
	struct text text = {(const char *)note.desc.data, note.desc.size};
	if (!text_starts(text, before))
		return (struct text){"", 0};
	text = text_from(text, strlen(before));
	return text_first(text, text_find(text, ','));
}

static void judge_bolted(struct doctor_visit *visit, const struct image *image, const char *path)
{
	enum bolt_trace trace = image_bolt_trace(image);
	struct text revision = revision_of(image);
	char by[128] = "";

	if (revision.len && !text_starts(revision, "<"))
		WRITE(by, ", by revision %.*s", (int)text_first(revision, 64).len, revision.at);
	if (trace != BOLT_TABLE) {
		struct diagnosis *out = find(visit, "bolted", "BOLTed", DIAGNOSIS_BAD);
		WRITE(out->text, "%s%s",
		      trace == BOLT_INSTRUMENTED ? "by llvm-bolt -instrument" :
		      trace == BOLT_STRIPPED     ? "yes, and its notes were removed" :
						   "yes, without a table (-enable-bat)",
		      by);
		WRITE(out->remedy, "%s", bolt_trace_remedy(trace));
		make_printable(out->text);
		return;
	}
	struct bc_error why;
	struct binary table;
	bool ok = binary_open_table(path, &table, &why);
	struct diagnosis *out =
		find(visit, "bolted", "BOLTed", ok ? DIAGNOSIS_GOOD : DIAGNOSIS_BAD);
	if (ok)
		WRITE(out->text, "yes, with a table of layout %s (%s)%s",
		      bat_layout_name(table.bat.layout), bat_layout_releases(table.bat.layout), by);
	else
		write_error(out, &why);
	make_printable(out->text);
	if (ok)
		binary_close(&table);
}

/* X(what of a program, label, the limits that lack it, what is good) */
static void judge_input(struct doctor_visit *visit, const struct image *image,
			const struct bolt_input *input)
{
	static const struct {
		const char *about, *label, *good;
		enum bolt_limit limits[3];
		size_t count;
	} rows[] = {
		{"relocations",
		 "relocations",
		 "of its code, so that functions can be moved",
		 {BOLT_LIMIT_NO_RELOCATIONS, BOLT_LIMIT_AARCH64, BOLT_LIMIT_RISCV},
		 3},
		{"symbols",
		 "symbols",
		 "it is not stripped",
		 {BOLT_LIMIT_STRIPPED, BOLT_LIMIT_NO_FUNCTIONS},
		 2},
		{"build_id", "build-id", NULL, {BOLT_LIMIT_NO_BUILD_ID}, 1},
		{"debug_info",
		 "debug info",
		 "none, so that nothing has to be updated",
		 {BOLT_LIMIT_DEBUG_INFO, BOLT_LIMIT_COMPRESSED_DEBUG_INFO},
		 2},
		{"go", "Go", "", {BOLT_LIMIT_GO}, 1},
		{"kernel", "kernel", "", {BOLT_LIMIT_KERNEL}, 1},
		{"code", "code", "", {BOLT_LIMIT_NO_CODE}, 1},
	};

	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		size_t found = 0;
		for (size_t k = 0; k < rows[i].count; k++) {
			enum bolt_limit limit = rows[i].limits[k];
			if (!bolt_input_has(input, limit))
				continue;
			bool bad = limit == BOLT_LIMIT_GO || limit == BOLT_LIMIT_NO_CODE;
			struct diagnosis *out = find(visit, rows[i].about, rows[i].label,
						     bad ? DIAGNOSIS_BAD : DIAGNOSIS_WARNING);
			WRITE(out->text, "%s", bolt_limit_cause(limit));
			WRITE(out->remedy, "%s", bolt_limit_remedy(limit));
			found++;
		}
		char id[2 * BUILD_ID_MAX + 1];
		build_id_format(&image->build_id, id);
		const char *good = rows[i].good ? rows[i].good : id;
		if (!found && *good && input->code)
			WRITE(find(visit, rows[i].about, rows[i].label, DIAGNOSIS_GOOD)->text, "%s",
			      good);
	}
}

/* Functions of which the compiler put a part elsewhere: NAME.cold. */
static bool judge_split(struct doctor_visit *visit, const struct image *image, struct bc_error *err)
{
	struct stored_symbols symbols;
	uint64_t split = 0;

	if (!symbols_stored(image, SHT_SYMTAB, &symbols, err))
		return false;
	for (size_t i = 0; i < symbols.count; i++) {
		const char *cold = strstr(symbols.at[i].name, ".cold");
		split += cold && (!cold[5] || cold[5] == '.') &&
			 ELF64_ST_TYPE(symbols.at[i].info) == STT_FUNC;
	}
	stored_symbols_free(&symbols);
	if (!split)
		return true;
	struct diagnosis *out = find(visit, "split", "split", DIAGNOSIS_WARNING);
	WRITE(out->text,
	      "%" PRIu64
	      " function%s the compiler split (NAME.cold), of which llvm-bolt's support is limited",
	      split, plural_of(split, "", "s"));
	WRITE(out->remedy, "compile with -fno-reorder-blocks-and-partition (GCC)");
	return true;
}

/* A script is run by a program, which can be optimized.  False. */
static bool refuse_program(const char *path, struct bc_error *err)
{
	char start[PATH_MAX];
	struct bc_error ignored;
	size_t size;

	if (err->code != BC_FORMAT || !file_peek(path, start, sizeof(start), &size, &ignored))
		return false;
	struct text line =
		text_first((struct text){start, size}, text_find((struct text){start, size}, '\n'));
	if (!text_starts(line, "#!"))
		return false;
	line = text_from(line, 2);
	struct text interpreter = text_word(&line);
	bc_fail(err, BC_UNSUPPORTED, "%s: a script, and no program", path);
	return bc_hint(err, "give the program that runs it: %.*s", (int)interpreter.len,
		       interpreter.at);
}

static bool judge_program(struct doctor_visit *visit, struct bc_error *err)
{
	const char *path = visit->doctor->program;
	struct binary binary;
	bool ok = true;

	visit->of = "program";
	if (!binary_map(path, &binary, err))
		return refuse_program(path, err);
	const struct image *image = &binary.image;
	if (binary.kind == BINARY_SECTION) {
		ok = bc_fail(err, BC_UNSUPPORTED, "%s: is a BAT section alone, and no program",
			     path);
	} else if (image_bolt_trace(image) != BOLT_NONE) {
		visit->doctor->library = image_is_library(image) && !image_is_pie(image);
		judge_runs(visit, image);
		judge_bolted(visit, image, path);
	} else {
		struct bolt_input input = bolt_input_of(image);
		visit->doctor->library = image_is_library(image) && !image_is_pie(image);
		judge_runs(visit, image);
		judge_input(visit, image, &input);
		visit->doctor->unrelocated = !input.relocations;
		ok = judge_split(visit, image, err) || bc_fail_prefix(err, path);
	}
	binary_close(&binary);
	return ok;
}

/* ---- the proof ---- */

static enum diagnosis_verdict verdict_of(const struct proof_way *way)
{
	return !way->ran                   ? DIAGNOSIS_NONE :
	       !proof_way_holds(way)       ? DIAGNOSIS_BAD :
	       way->agreement < PROOF_GOOD ? DIAGNOSIS_WARNING :
					     DIAGNOSIS_GOOD;
}

static void judge_way(struct doctor_visit *visit, enum sampling_way way, const struct proof_way *it)
{
	struct diagnosis *out =
		find(visit, sampling_way_key(way), sampling_way_text(way), verdict_of(it));

	if (!it->ran) {
		WRITE(out->text, "none here: see the machine above");
		return;
	}
	if (it->stacks)
		WRITE(out->text,
		      "%" PRIu64 " stacks of %s with %" PRIu64 " branches, %" PRIu64
		      " impossible; %.1f %% agree with the exact run",
		      it->samples, it->event, it->branches, it->impossible, it->agreement);
	else
		WRITE(out->text,
		      "%" PRIu64 " samples of %s; %.1f %% agree with the exact run, by function",
		      it->samples, it->event, it->agreement);
	if (it->lost) {
		size_t used = strlen(out->text);
		snprintf(out->text + used, sizeof(out->text) - used, "; %" PRIu64 " lost",
			 it->lost);
	}
	if (out->verdict == DIAGNOSIS_BAD)
		WRITE(out->remedy,
		      "do not use these samples, and report this text with the processor's name");
}

/* Hardware traces, of which nothing is proven, and why. */
static void judge_untried(struct doctor_visit *visit)
{
	static const char *const reasons[] = {[WAY_ABSENT] = "not here",
					      [WAY_REFUSED] = "refused, see the machine above",
					      [WAY_WORKS] = "perf records it"};
	struct diagnosis *out = find(visit, "traces", "traces", DIAGNOSIS_NONE);

	WRITE(out->text, "not proven:");
	for (int i = PROOF_WAYS; i < SAMPLING_WAY_COUNT; i++) {
		enum way_state state = visit->doctor->sampling.ways[i].state;
		size_t used = strlen(out->text);
		snprintf(out->text + used, sizeof(out->text) - used, "%s %s (%s)",
			 i > PROOF_WAYS ? "," : "", sampling_way_text((enum sampling_way)i),
			 reasons[state]);
	}
}

static void judge_proof(struct doctor_visit *visit, const struct proof *proof)
{
	visit->of = "proof";
	for (int way = 0; way < PROOF_WAYS; way++)
		judge_way(visit, (enum sampling_way)way, &proof->ways[way]);
	judge_untried(visit);
}

/* ---- all of it ---- */

/* Where nothing can be sampled, an instrumented copy can still be run. */
static void judge_all(struct doctor_visit *visit)
{
	struct doctor *doctor = visit->doctor;

	visit->of = "machine";
	if (!sampling_works(&doctor->sampling) && (!doctor->instruments || doctor->unrelocated)) {
		struct diagnosis *out = find(visit, "counts", "counts", DIAGNOSIS_BAD);
		WRITE(out->text,
		      "nothing here counts branches: no events, and no copy of it that llvm-bolt instruments");
		WRITE(out->remedy, "see above, or record on another machine");
	}
	for (size_t i = 0; i < doctor->findings.len; i++)
		doctor->failed |= doctor->findings.at[i].verdict == DIAGNOSIS_BAD;
}

/* What does most of the work for a program like this. */
static enum sampled_by sampled_by(const struct doctor *doctor, const struct file_facts *facts)
{
	const struct bolt_input *input = &facts->bolt;
	bool works = sampling_works(&doctor->sampling);

	if (facts->trace == BOLT_NONE && !doctor->library && !input->kernel &&
	    input->symbols == BOLT_SYMBOLS_FUNCTIONS && (works || input->relocations))
		return SAMPLED_BY_OPTIMIZE;
	return works ? SAMPLED_BY_RECORD : SAMPLED_BEFORE;
}

static void write_next(struct doctor *doctor)
{
	char path[PATH_MAX + 2];
	struct file_facts facts;

	for (size_t i = 0; i < doctor->findings.len; i++) {
		const struct diagnosis *bad = &doctor->findings.at[i];
		if (bad->verdict != DIAGNOSIS_BAD)
			continue;
		WRITE(doctor->next, "%s", *bad->remedy ? bad->remedy : bad->text);
		return;
	}
	if (!doctor->program) {
		WRITE(doctor->next, "batconv doctor PROG, where PROG is the program to optimize");
		return;
	}
	/* A command of this name would be looked for in $PATH. */
	WRITE(path, "%s%s", strchr(doctor->program, '/') ? "" : "./", doctor->program);
	file_facts_look(doctor->program, &facts);
	enum sampled_by by = sampled_by(doctor, &facts);
	const struct use use = {
		.path = path,
		.kind = facts.kind,
		.trace = facts.trace,
		.bolt = facts.bolt,
		.library = doctor->library,
		.llvm_bolt = by == SAMPLED_BY_OPTIMIZE ? doctor->named_bolt : doctor->bolt.path,
		.before_cdsort = doctor->bolt.release < bolt_release_with(BOLT_CDSORT),
		.by = by};
	advise_use(&use, doctor->next, sizeof(doctor->next));
}

bool doctor_look(const struct perf_kernel *kernel, const char *llvm_bolt, const char *program,
		 const struct proof *proof, struct doctor *out, struct bc_error *err)
{
	struct doctor_visit visit = {.doctor = out};

	*out = (struct doctor){.program = program, .named_bolt = llvm_bolt, .proof = proof};
	sampling_look(kernel, &out->sampling);
	judge_machine(&visit);
	judge_llvm_bolt(&visit, llvm_bolt);
	if (program && !judge_program(&visit, err))
		return false;
	if (proof)
		judge_proof(&visit, proof);
	judge_all(&visit);
	write_next(out);
	return !visit.nomem || bc_fail_nomem(err);
}

void doctor_free(struct doctor *doctor)
{
	diagnosis_vec_free(&doctor->findings);
}

/* ---- what is printed ---- */

static const char *const verdict_words[] = {[DIAGNOSIS_NONE] = "none",
					    [DIAGNOSIS_GOOD] = "good",
					    [DIAGNOSIS_WARNING] = "warning",
					    [DIAGNOSIS_BAD] = "bad"};

static void write_findings(struct json *json, const struct figure_row *row, const void *at)
{
	const struct diagnosis_vec *all = at;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < all->len; i++) {
		const struct diagnosis *finding = &all->at[i];
		json_open(json, NULL, '{');
		json_string(json, "of", finding->of);
		json_string(json, "about", finding->about);
		json_string(json, "verdict", verdict_words[finding->verdict]);
		json_string(json, "text", finding->text);
		if (*finding->remedy)
			json_string(json, "remedy", finding->remedy);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_finding(const struct diagnosis *finding, FILE *out)
{
	static const enum say_mood moods[] = {[DIAGNOSIS_GOOD] = SAY_GOOD,
					      [DIAGNOSIS_WARNING] = SAY_DOUBTFUL,
					      [DIAGNOSIS_BAD] = SAY_BAD};

	fprintf(out, "  %-13s ", finding->label);
	if (finding->verdict != DIAGNOSIS_NONE) {
		print_mood(verdict_words[finding->verdict], moods[finding->verdict], out);
		fputs(": ", out);
	}
	print_name(text_of(finding->text), out);
	putc('\n', out);
	if (!*finding->remedy)
		return;
	fprintf(out, "  %-13s do: ", "");
	print_name(text_of(finding->remedy), out);
	putc('\n', out);
}

static void print_findings(const struct figure_row *row, const void *at, FILE *out)
{
	const struct diagnosis_vec *all = at;

	for (size_t i = 0; i < all->len; i++)
		if (!strcmp(all->at[i].of, row->with))
			print_finding(&all->at[i], out);
}

FIGURE_READER(processor_of, struct doctor,
	      figure_string(*it->sampling.processor ? it->sampling.processor : "unknown processor"))
FIGURE_READER(kernel_of, struct doctor,
	      figure_string(*it->sampling.kernel ? it->sampling.kernel : "unknown"))
FIGURE_READER(environment_of, struct doctor,
	      figure_string(it->sampling.virtual_machine && it->sampling.container ?
				    "container in a virtual machine" :
			    it->sampling.virtual_machine ? "virtual machine" :
			    it->sampling.container       ? "container" :
							   "no virtual machine"))
FIGURE_READER(paranoid_of, struct doctor,
	      it->sampling.has_paranoid ? figure_real(it->sampling.paranoid) : figure_lacks())
FIGURE_READER(depth_of, struct doctor,
	      it->sampling.depth ? figure_number(it->sampling.depth) : figure_lacks())
FIGURE_READER(release_of, struct doctor, figure_number(it->bolt.release))
FIGURE_READER(has_bolt, struct doctor, figure_flag(*it->bolt.path))
FIGURE_READER(bolt_path, struct doctor, figure_string(*it->bolt.path ? it->bolt.path : "none"))
FIGURE_READER(none_is_bad, struct doctor, figure_flag(!it->failed))
FIGURE_READER(program_of, struct doctor, it->program ? figure_string(it->program) : figure_lacks())

static void write_ways(struct json *json, const struct figure_row *row, const void *at)
{
	const struct proof *proof = at;

	json_open(json, row->key, '[');
	for (int i = 0; i < PROOF_WAYS; i++) {
		const struct proof_way *way = &proof->ways[i];
		json_open(json, NULL, '{');
		json_string(json, "way", sampling_way_key((enum sampling_way)i));
		json_bool(json, "ran", way->ran);
		if (way->ran) {
			json_string(json, "event", way->event);
			json_number(json, "samples", way->samples);
			json_number(json, "lost", way->lost);
			if (way->stacks) {
				json_number(json, "branches", way->branches);
				json_number(json, "impossible", way->impossible);
			}
			json_real(json, "agreement_percent", way->agreement);
		}
		json_close(json, '}');
	}
	json_close(json, ']');
}

static const struct figure_row proof_rows[] = {
	{"proof", BEGIN},
	{"instructions",
	 "proof: a built-in program, {} instructions a round, {taken_branches} branches taken, by ptrace\n",
	 VALUE(struct proof, exact.instructions)},
	{"taken_branches", NULL, VALUE(struct proof, exact.taken)},
	{"ways", .write = write_ways},
	{END},
	{0},
};

#define FINDINGS(part)                                                                             \
	{.at = offsetof(struct doctor, findings), .print = print_findings, .with = part}
static const struct figure_row doctor_rows[] = {
	FORMAT_ROWS("batconv-doctor"),
	{"machine", BEGIN},
	{"processor", "machine: {}, Linux {kernel}, {environment}\n", .read = processor_of},
	{"kernel", .read = kernel_of},
	{"environment", .read = environment_of},
	{"perf_event_paranoid", .read = paranoid_of},
	{"stack_depth", .read = depth_of},
	{"stack_types", NULL, VALUE(struct doctor, sampling.types)},
	{END},
	FINDINGS("machine"),
	{.text = "llvm-bolt: {}\n", .read = bolt_path},
	{"llvm_bolt", BEGIN},
	{"found", .read = has_bolt},
	{"path", NULL, VALUE_BY(struct doctor, bolt.path, figure_of_some_chars)},
	{"version", NULL, VALUE_BY(struct doctor, bolt.version, figure_of_some_chars)},
	{"release", .read = release_of},
	{"instruments", NULL, VALUE(struct doctor, instruments)},
	{END},
	FINDINGS("llvm_bolt"),
	{"program", "program: {}\n", .read = program_of, .any = true},
	FINDINGS("program"),
	{.through = 1 + offsetof(struct doctor, proof), .rows = proof_rows},
	FINDINGS("proof"),
	{"findings", .at = offsetof(struct doctor, findings), .write = write_findings},
	{"works", .read = none_is_bad},
	{"next", "next: {}\n", VALUE_BY(struct doctor, next, figure_of_some_whole), .any = true},
	{0},
};

void doctor_text(const struct doctor *doctor, FILE *out)
{
	figures_text(doctor_rows, doctor, false, "", out);
}

void doctor_json(const struct doctor *doctor, FILE *out)
{
	figures_json_document(doctor_rows, doctor, out);
}
