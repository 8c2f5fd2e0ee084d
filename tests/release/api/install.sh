#!/usr/bin/env bash
# The examples, built by pkg-config against what was installed: install.sh BUILD_DIR EXAMPLES
set -eu
. "$(dirname "$0")/../../../scripts/quietly.sh"
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >/dev/null
pc=$(dirname "$(find "$prefix" -name batconv.pc)")
# built PACKAGE ARGUMENT...: with the flags of the package, which pkg-config quotes as xargs reads them
built() {
	package=$1
	shift
	PKG_CONFIG_PATH=$pc pkg-config --cflags --libs "$package" | xargs cc -O2 ${sanitize:+"-fsanitize=$sanitize"} "$@"
}
sanitize=$(sed -n 's/^BATCONV_SANITIZE:STRING=//p' "$1/CMakeCache.txt")
LD_LIBRARY_PATH=$(dirname "$pc")
export LD_LIBRARY_PATH
built batconv-capture -std=c11 -fno-omit-frame-pointer "$2/sampler.c" -o "$prefix/sampler"
built batconv -std=c11 "$2/resolve.c" -o "$prefix/resolve"
built batconv -std=c11 "$2/translate.c" -o "$prefix/translate"
"$prefix/sampler" "$prefix/stacks" "$prefix/maps" 99 1
"$prefix/resolve" $$ 10 | grep -q '^0x10 \[unknown\]$'
# A sampler needs neither libelf nor zstd.
if ldd "$prefix/sampler" | grep -E 'libelf|libzstd|libz\.|liblzma'; then exit 1; fi
# Each header compiles alone, in C11 and, where there is a compiler of it, in C++11.
for header in bat/bat.h batconv/address.h batconv/maps.h batconv/image.h batconv/resolve.h batconv/translate.h batconv/capture.h batconv/batconv.h; do
	echo "#include <$header>" >"$prefix/alone.c"
	cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$prefix/include" "$prefix/alone.c"
	! command -v c++ >/dev/null || c++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I "$prefix/include" "$prefix/alone.c"
done
[ "$(find "$prefix/include" -name '*.h' | wc -l)" = 8 ] || { echo 'a header is not tried here' >&2; exit 1; }
