#!/bin/sh
# Every source is taken by musl's headers without a warning.  docs/distributions.md says what more was tried.   musl.sh
set -eu
. "$(dirname "$0")/../../lib.sh"
need musl-gcc musl-tools
own_folder
mkdir headers
# Headers of other libraries, and of the kernel, without those of this system's C library.
for header in libelf.h gelf.h zlib.h zconf.h zstd.h zstd_errors.h lzma.h lzma yaml.h seccomp.h seccomp-syscalls.h linux asm-generic "$(cc -print-multiarch)/asm" "$(cc -print-multiarch)/zconf.h"; do
	[ ! -e "/usr/include/$header" ] || ln -sf "/usr/include/$header" headers
done
cd "$SOURCE"
find bat lib src -name '*.c' >"$dir/sources"
xargs musl-gcc -std=c11 -D_XOPEN_SOURCE=700 -DBATCONV_HAVE_LIBSECCOMP -DBATCONV_VERSION='"0"' -Wall -Wextra -Werror -fsyntax-only \
	-I. -Iinclude -idirafter "$dir/headers" <"$dir/sources"
echo "musl-gcc takes $(wc -l <"$dir/sources") files"
