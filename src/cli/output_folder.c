/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/output_folder.h"

#include <errno.h>
#include <sys/stat.h>

bool output_folder_make(const char *path, bool *made, struct bc_error *err)
{
	struct stat st;
	bool ok = *made = mkdir(path, 0777) == 0;

	if (!ok && errno == EEXIST && stat(path, &st) == 0) {
		ok = S_ISDIR(st.st_mode);
		errno = ENOTDIR;
	}
	return ok || bc_fail_errno(err, "%s: cannot be the directory of the profiles", path);
}
