/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/output.h"
#include "src/base/say.h"
#include "src/cli/operands.h"
#include "src/cli/options.h"
#include "src/figures/doctor.h"

/* For each way of sampling: at 4000 a second so many take a second of a processor. */
#define PROVE_SAMPLES 4000
#define PROVE_SECONDS 15.0

struct arguments {
	const char *output, *llvm_bolt;
	bool json, prove;
};

static const struct option_row rows[] = {
	{0, "llvm-bolt", "PATH", FILE_READ,
	 "the llvm-bolt that is used (default: $LLVM_BOLT, else the\none in PATH, else the newest llvm-bolt-N)",
	 INTO(llvm_bolt)},
	{0, "prove", NULL, NO_FILE,
	 "also sample a small program that is built in, and compare\nthe samples with its exact run (up to a minute)",
	 INTO(prove)},
	JSON_ROW("as JSON"),
	OUTPUT_ROW,
	COMMON_ROWS,
};

static int run_doctor(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	BC_AUTO(doctor_free) struct doctor doctor = {0};
	BC_AUTO(proof_free) struct proof proof = {0};
	struct output output;
	struct bc_error err;

	if ((args->prove &&
	     !proof_run(&perf_kernel_linux, PROVE_SAMPLES, PROVE_SECONDS, &proof, &err)) ||
	    !doctor_look(&perf_kernel_linux, args->llvm_bolt,
			 line->operands.len ? line->operands.at[0] : NULL,
			 args->prove ? &proof : NULL, &doctor, &err) ||
	    !output_open(args->output, &output, &err))
		return fail(&err);
	(args->json ? doctor_json : doctor_text)(&doctor, output.file);
	if (!output_commit(&output, &err))
		return fail(&err);
	return doctor.failed ? EXIT_CHECK_FAILED : EXIT_DONE;
}

const struct command doctor_command = {
	.name = "doctor",
	.args = "[OPTION]... [PROG]",
	.help = "say what this machine and a program allow, and what to do about the rest\n\n"
		"How programs can be sampled here, which llvm-bolt there is, and what PROG has of what\n"
		"llvm-bolt needs: a verdict for each, with a remedy.\n"
		"Exit code 3: no profile of PROG can be made or used here.",
	.examples = "batconv doctor                               # the machine, and llvm-bolt\n"
		    "batconv doctor prog                          # also a program\n"
		    "batconv doctor --json prog -o doctor.json    # for a script\n"
		    "batconv doctor --prove                       # check samples by an exact run",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.count = {0, 1, NULL, "one program at a time, not also"},
	.places = {PLACE_IMAGE, PLACE_IMAGE},
	.size = sizeof(struct arguments),
	.run = run_doctor,
};
