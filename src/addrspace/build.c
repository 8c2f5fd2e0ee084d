/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/build.h"

static enum build told(bool equal)
{
	return equal ? BUILD_SAME : BUILD_OTHER;
}

enum build build_of(const struct mapped_files *files, uint32_t file, const struct image *image)
{
	struct build_id id = mapped_files_id(files, file);
	struct text go = mapped_files_go_id(files, file);

	if (id.size)
		return told(build_id_equal(&id, &image->build_id));
	if (go.len)
		return told(text_equal(go, image->go_build_id));
	return BUILD_NOT_TOLD;
}
