/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/llvm_options.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/base/say.h"

/* ---- options of llvm-bolt ---- */

/* Options of llvm-bolt 22, 23 and 24 that do nothing to a profile.  Each was given to perf2bolt 22,
 * or 23 or 24 where those before do not know it: the profile was the same without. */
/* Sorted.  An option that takes a value ends with a '='. */
/* clang-format off */
static const char *const ignored[] = {
	"accurate-debug-ranges", "align-blocks", "align-blocks-min-size=", "align-blocks-threshold=",
	"align-functions=", "align-functions-max-bytes=", "align-text=", "alt-inst-feature-size=",
	"alt-inst-has-padlen", "asm-dump", "assume-abi", "block-alignment=", "bolt-id=", "bolt-seed=",
	"break-funcs=", "cg-from-perf-data", "cg-ignore-recursive-calls", "cg-use-split-hot-size",
	"check-encoding", "clone-constant-island", "cold-threshold=", "comp-dir-override=",
	"compact-code-model", "conservative-instrumentation", "create-debug-names-section",
	"cu-processing-batch-size=", "custom-allocation-vma=", "data2=", "debug-skeleton-cu",
	"debug-thread-count=", "dot-tooltip-code", "drop-cortex-a53-843419-veneers", "drop-dwo-page-cache",
	"dump-alt-instructions", "dump-cg=", "dump-data", "dump-dot-all", "dump-dot-func=",
	"dump-linux-exceptions", "dump-orc", "dump-para-sites", "dump-pci-fixups", "dump-smp-locks",
	"dump-static-calls", "dump-static-keys", "dwarf-output-path=", "dwarf-preserve-order", "dwp=",
	"dyno-stats", "dyno-stats-all", "dyno-stats-scale=", "elim-link-veneers", "eliminate-unreachable",
	"enable-bat", "equalize-bb-counts", "execution-count-threshold=", "fail-on-invalid-padding",
	"fix-block-counts", "fix-branches-with-liveness", "fix-func-counts", "force-data-relocations",
	"force-inline=", "force-patch", "frame-opt=", "frame-opt-rm-stores", "function-order=",
	"generate-function-order=", "generate-link-sections=", "group-stubs", "hot-data",
	"hot-functions-at-end", "hot-text", "hot-text-move-sections=", "hugify", "icf", "icp=",
	"icp-calls-remaining-percent-threshold=", "icp-calls-topn=", "icp-calls-total-percent-threshold=",
	"icp-eliminate-loads", "icp-funcs=", "icp-inline", "icp-jt-remaining-percent-threshold=",
	"icp-jt-targets", "icp-jt-topn=", "icp-jt-total-percent-threshold=", "icp-jump-tables-targets",
	"icp-mp-threshold=", "icp-old-code-sequence", "icp-top-callsites=", "icp-topn=", "icp-use-mp",
	"indirect-call-promotion=", "indirect-call-promotion-calls-topn=",
	"indirect-call-promotion-jump-tables-topn=", "indirect-call-promotion-mispredict-threshold=",
	"indirect-call-promotion-topn=", "indirect-call-promotion-use-mispredicts", "infer-fall-throughs",
	"infer-stale-profile", "inline-all", "inline-ap", "inline-limit=", "inline-max-iters=",
	"inline-memcpy", "inline-small-functions", "inline-small-functions-bytes=", "insert-retpolines",
	"instrument-calls", "instrument-hot-only", "instrumentation-binpath=", "instrumentation-file=",
	"instrumentation-file-append-pid", "instrumentation-max-size=", "instrumentation-no-counters-clear",
	"instrumentation-sleep-time=", "instrumentation-wait-forks", "iterative-guess",
	"jt-footprint-optimize-for-icache", "jt-footprint-reduction", "jump-tables=", "keep-aranges",
	"keep-nops", "keep-tmp", "large-code-model", "log-file=", "long-jump-labels",
	"match-profile-with-function-hash", "match-with-call-graph", "max-cluster-size=",
	"max-data-relocations=", "max-thunk-chain-length=", "memcpy1-spec=", "merge-text-sections",
	"min-branch-clusters",
	"name-similarity-function-matching-threshold=", "no-huge-pages", "no-inline", "no-lse-atomics",
	"no-scan", "no-threads", "pad-funcs=", "pad-funcs-before=", "peepholes=",
	"percentile-for-profile-quality-check=", "plt=", "preserve-blocks-alignment",
	"print-adr-ldr-relaxation", "print-after-branch-fixup", "print-after-jt-footprint-reduction",
	"print-after-lowering", "print-aliases", "print-all", "print-cache-metrics", "print-cfg",
	"print-clusters", "print-debug-info", "print-disasm", "print-dyno-opcode-stats=",
	"print-dyno-stats-only", "print-estimate-edge-counts", "print-exceptions", "print-finalized",
	"print-fix-relaxations", "print-fix-riscv-calls", "print-fop", "print-function-statistics=",
	"print-globals", "print-icf", "print-icp", "print-inline", "print-jump-tables",
	"print-large-functions", "print-longjmp", "print-loops", "print-mem-data", "print-normalized",
	"print-only=", "print-only-file=", "print-optimize-bodyless", "print-orc",
	"print-output-address-range", "print-peepholes", "print-plt", "print-pointer-auth-cfi-analyzer",
	"print-pointer-auth-cfi-fixup", "print-profile", "print-profile-stats", "print-pseudo-probes=",
	"print-regreassign", "print-relocations", "print-reordered", "print-reordered-data",
	"print-reordered-functions", "print-retpoline-insertion", "print-sctc", "print-sdt",
	"print-sections", "print-simplify-rodata-loads", "print-sorted-by=", "print-sorted-by-order=",
	"print-split", "print-stoke", "print-uce", "print-unknown", "print-veneer-elimination",
	"profile-ignore-hash", "r11-availability=", "reg-reassign", "relax-exp", "relax-plt", "relocs",
	"remove-symtab", "reorder-blocks=", "reorder-data=", "reorder-data-algo=", "reorder-data-inplace",
	"reorder-data-max-bytes=", "reorder-data-max-symbols=", "reorder-functions=",
	"reorder-functions-use-hot-size", "reorder-skip-symbols=", "reorder-symbols=", "report-bad-layout=",
	"report-stale", "retpoline-lfence", "runtime-hugify-lib=", "runtime-instrumentation-lib=",
	"runtime-lib-init-hook=", "sctc-mode=", "sequential-disassembly", "shorten-instructions",
	"shrink-wrapping-threshold=", "simplify-conditional-tail-calls", "simplify-rodata-loads",
	"skip-inline=", "split-align-threshold=", "split-all-cold", "split-eh", "split-functions",
	"split-strategy=", "split-threshold=", "stale-matching-max-func-size=",
	"stale-matching-min-matched-block=", "stale-threshold=", "stoke", "strip-rep-ret",
	"tail-duplication=", "tasks-per-thread=", "terminal-trap", "terminal-x86-hlt", "thread-count=",
	"time-build", "time-opts", "time-rewrite", "top-called-limit=",
	"top-functions-for-profile-quality-check=", "trap-avx512", "trap-old-code", "tsp-threshold=",
	"update-branch-protection", "update-debug-sections", "use-aggr-reg-reassign", "use-compact-aligner",
	"use-edge-counts", "use-gnu-stack", "use-old-text", "verify-cfg",
	"x86-align-branch-boundary-hot-only", "x86-icp-pic", "x86-strip-redundant-address-size",
};
/* clang-format on */

struct word {
	const char *at;
	size_t length;
};

static int by_name(const void *key, const void *entry)
{
	const struct word *word = key;
	const char *name = *(const char *const *)entry;
	size_t length = strcspn(name, "=");
	int order = memcmp(word->at, name, word->length < length ? word->length : length);

	return order ? order : (word->length > length) - (word->length < length);
}

static bool is_ignored(const char *name, size_t length, bool *value)
{
	const struct word word = {name, length};
	const char *const *found =
		bsearch(&word, ignored, BC_COUNT(ignored), sizeof(*ignored), by_name);

	*value = found && strchr(*found, '=');
	return found;
}

void llvm_help_ignored(FILE *out)
{
	fputs("\noptions of llvm-bolt, ignored with a warning:\n", out);
	for (size_t i = 0; i < BC_COUNT(ignored); i++)
		fprintf(out, "  --%s%s\n", ignored[i], strchr(ignored[i], '=') ? "<value>" : "");
}

/* ---- words ---- */

static int wrong(const char *word, const char *why, const char *value)
{
	say_error(stderr, "%s: %s%s%s", word, why, value ? " " : "", value ? value : "");
	return EXIT_FAILED;
}

static bool read_flag(const char *value, bool *off)
{
	static const char *const words[] = {"true",  "TRUE",  "True",  "1",
					    "false", "FALSE", "False", "0"};

	*off = false;
	if (!value)
		return true;
	for (size_t i = 0; i < BC_COUNT(words); i++) {
		if (!strcmp(value, words[i])) {
			*off = i >= BC_COUNT(words) / 2;
			return true;
		}
	}
	return false;
}

static const struct option_row *find_row(const struct command *command, const char *name,
					 size_t length)
{
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		if (row->name ? strlen(row->name) == length && !memcmp(row->name, name, length) :
				length == 1 && row->letter == *name)
			return row;
	}
	return NULL;
}

/* Skips an option that is none of the program's own, and its value, which nobody looks at. */
static int skip_option(const struct command *command, char **argv, int *at, const char *name,
		       const char *equals)
{
	const char *word = argv[*at];
	bool value = false;

	if (!command->llvm->ignores ||
	    !is_ignored(name, equals ? (size_t)(equals - name) : strlen(name), &value)) {
		int code = wrong(word, command->llvm->unsupported, NULL);
		say_hint(stderr, "see %s", command->llvm->page);
		return code;
	}
	if (value && !equals && !argv[++*at])
		return wrong(word, "a value is missing", NULL);
	say_warning(stderr, "%s: ignored: an option of llvm-bolt, which does nothing to a profile",
		    word);
	return EXIT_DONE;
}

/* Reads one option, and its value if that is a word of its own. */
static int read_option(struct command_line *line, char **argv, int *at)
{
	const char *word = argv[*at], *name = word + 1 + (word[1] == '-'),
		   *value = strchr(name, '=');
	const struct option_row *row =
		find_row(line->command, name, value ? (size_t)(value - name) : strlen(name));
	char takes[256], text[320];

	if (!row)
		return skip_option(line->command, argv, at, name, value);
	if (value)
		value++;
	if (!row->arg && !read_flag(value, &line->off))
		return wrong(word, "true or false, not", value);
	if (!row->arg)
		value = NULL;
	else if (!value && !(value = argv[++*at]))
		return wrong(word, "a value is missing", NULL);
	const char *why = option_read(line, row, value);
	line->off = false;
	if (why == OPTION_NOMEM)
		return wrong(word, why, NULL);
	option_takes(row, takes, sizeof(takes));
	snprintf(text, sizeof(text), "takes %s, not", takes);
	return why ? wrong(word, why == OPTION_WRONG ? text : why, value) : EXIT_DONE;
}

int llvm_words_read(struct command_line *line, int argc, char **argv)
{
	bool options = true;
	int code = EXIT_DONE;

	for (int i = 1; code == EXIT_DONE && i < argc; i++) {
		if (options && !strcmp(argv[i], "--"))
			options = false;
		else if (options && argv[i][0] == '-' && argv[i][1])
			code = read_option(line, argv, &i);
		else if (!words_push(&line->operands, argv[i]))
			code = wrong(argv[i], OPTION_NOMEM, NULL);
	}
	return code;
}

/* ---- releases ---- */

/* By number. */
static const struct llvm_release releases[] = {
	{22, "22.1.8"},
	{23, "23.1.4"},
	{24, "24.0.0"},
};

const struct llvm_release *llvm_release_called(const char *path)
{
	const char *dash = strrchr(path, '-');
	unsigned long number = dash && !strchr(dash, '/') ? strtoul(dash + 1, NULL, 10) : 0;
	const struct llvm_release *found = releases;

	for (size_t i = 0; i < BC_COUNT(releases); i++)
		if (releases[i].number <= number)
			found = &releases[i];
	return found;
}
