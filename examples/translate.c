/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What was at these addresses of a BOLTed program before llvm-bolt moved it?  translate BOLTED
 * INPUT ADDRESS...
 *
 * The addresses are those of the ELF file (vaddrs).  Source lines are printed where INPUT has debug
 * information and libdw is installed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "batconv/batconv.h"

static void print_inlined(const struct batconv_location *location)
{
	struct batconv_inlined call;

	for (size_t i = 0; batconv_location_inlined(location, i, &call); i++)
		printf("    %s %s:%" PRIu32 ", inlined\n",
		       call.function ? call.function : "[inlined]", call.file ? call.file : "?",
		       call.line);
}

static void print(struct batconv_vaddr at, const struct batconv_location *location)
{
	printf("0x%" PRIx64, at.v);
	if (!location->input.function) {
		printf(" in no function\n");
		return;
	}
	printf(" %s+0x%" PRIx64, location->input.function, location->input.offset);
	if (location->has_vaddr)
		printf(" 0x%" PRIx64, location->vaddr.v);
	if (location->file)
		printf(" %s:%" PRIu32, location->file, location->line);
	putchar('\n');
	print_inlined(location);
}

/* All addresses in one call. */
static bool translate(struct batconv_translator *translator, char **addresses, size_t count,
		      struct batconv_error *err)
{
	struct batconv_vaddr *at = calloc(count, sizeof(*at));
	struct batconv_location *locations = calloc(count, sizeof(*locations));
	bool ok = at && locations;

	if (!ok)
		*err = (struct batconv_error){.code = BATCONV_ERROR_NOMEM, .text = "out of memory"};
	for (size_t i = 0; i < count && ok; i++) {
		char *end;
		errno = 0;
		at[i].v = strtoull(addresses[i], &end, 16);
		if (end == addresses[i] || *end || errno || addresses[i][0] == '-') {
			*err = (struct batconv_error){.code = BATCONV_ERROR_ARGUMENT};
			snprintf(err->text, sizeof(err->text),
				 "%.40s: is no address in hex, such as 0x401000", addresses[i]);
			ok = false;
		}
	}
	ok = ok && batconv_translate(translator, BATCONV_ADDRESSES_INSTRUCTIONS, at, count,
				     locations, err);
	for (size_t i = 0; i < count && ok; i++)
		print(at[i], &locations[i]);
	free(at);
	free(locations);
	return ok;
}

int main(int argc, char **argv)
{
	struct batconv_translator *translator;
	struct batconv_error err;

	if (argc < 4) {
		fprintf(stderr, "usage: %s BOLTED INPUT ADDRESS...\n", argv[0]);
		return 2;
	}
	bool ok = batconv_translator_open(
		argv[1], argv[2], BATCONV_LOOKUP_INLINES | BATCONV_LOOKUP_LINES, &translator, &err);
	if (!ok && err.code == BATCONV_ERROR_UNSUPPORTED) /* no libdw: no lines */
		ok = batconv_translator_open(argv[1], argv[2], 0, &translator, &err);
	ok = ok && translate(translator, argv + 3, (size_t)argc - 3, &err);
	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	batconv_translator_close(translator);
	return ok ? 0 : 1;
}
