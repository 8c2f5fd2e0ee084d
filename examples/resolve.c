/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which code is at these addresses of a running process?  resolve PID ADDRESS...
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "batconv/batconv.h"

static void print(const struct batconv_frame *frame)
{
	printf("0x%" PRIx64 " %s", frame->raw.v, frame->library);
	if (frame->has_offset)
		printf("+0x%" PRIx64, frame->offset.v);
	if (frame->function)
		printf(" %s+0x%" PRIx64, frame->function, frame->function_offset);
	putchar('\n');
}

static int resolve(struct batconv_snapshots *snapshots, uint32_t pid, int count, char **addresses)
{
	struct batconv_resolver *resolver;
	struct batconv_error err;
	bool ok = batconv_resolver_open(snapshots, BATCONV_LOOKUP_FUNCTIONS | BATCONV_LOOKUP_INPUT,
					&resolver, &err);

	for (int i = 0; i < count && ok; i++) {
		struct batconv_run_addr at = {strtoull(addresses[i], NULL, 16)};
		struct batconv_frame frame;
		ok = batconv_resolve(resolver, pid, UINT64_MAX, at, &frame, &err);
		if (ok)
			print(&frame);
	}
	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	batconv_resolver_close(resolver);
	return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct batconv_snapshots *snapshots = batconv_snapshots_new();
	struct batconv_error err;

	if (argc < 3 || !snapshots) {
		fprintf(stderr, "usage: %s PID ADDRESS...\n", argv[0]);
		return 2;
	}
	uint32_t pid = (uint32_t)strtoul(argv[1], NULL, 10);
	int code = 1;
	if (batconv_snapshots_add_process(snapshots, pid, &err))
		code = resolve(snapshots, pid, argc - 2, argv + 2);
	else
		fprintf(stderr, "%s\n", err.text);
	batconv_snapshots_free(snapshots);
	return code;
}
