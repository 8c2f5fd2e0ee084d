/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/image_print.h"
#include "src/cli/options.h"
#include "src/base/say.h"
#include "src/cli/operands.h"

struct arguments {
	struct image_form form;
};

static const struct option_row rows[] = {
	{0, "sections", NULL, NO_FILE, "also show all sections, including those in no segment",
	 INTO(form.sections)},
	{0, "json", NULL, NO_FILE, "one JSON object per file", INTO(form.json)},
	SANDBOX_ROW,
	COMMON_ROWS,
};

static int run_image(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	int worst = EXIT_DONE;

	for (size_t i = 0; i < line->operands.len; i++) {
		struct bc_error err = {0};
		bool sound;
		if (i && !args->form.json)
			putchar('\n');
		bool ok = image_print(line->operands.at[i], &args->form, stdout, &sound, &err);
		int code = !ok ? fail(&err) : sound ? EXIT_DONE : EXIT_CHECK_FAILED;
		worst = code == EXIT_FAILED || (code && !worst) ? code : worst;
	}
	return worst;
}

const struct command image_command = {
	.name = "image",
	.args = "[OPTION]... BINARY...",
	.help = "show what a binary is and where its segments go\n\n"
		"Its segments with the sections in each, the alignment rule of each loadable one\n"
		"(p_vaddr % p_align = p_offset % p_align), GNU and Go build-id, entry point, and\n"
		"the layout of its BOLT address translation table.",
	.examples = "batconv image prog.bolt\n"
		    "batconv image --sections prog.bolt\n"
		    "batconv image --json prog prog.bolt",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_IMAGE, PLACE_IMAGE},
	.count = {1, 0, "no binary given", NULL},
	.size = sizeof(struct arguments),
	.run = run_image,
};
