#!/bin/sh
# The examples, built by pkg-config against what was installed: install.sh BUILD_DIR EXAMPLES
set -eu
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >/dev/null
pc=$(dirname "$(find "$prefix" -name batconv.pc)")
flags() { PKG_CONFIG_PATH=$pc pkg-config --cflags --libs "$1"; }
sanitize=$(sed -n 's/^BATCONV_SANITIZE:STRING=//p' "$1/CMakeCache.txt")
[ -z "$sanitize" ] || sanitize=-fsanitize=$sanitize
LD_LIBRARY_PATH=$(dirname "$pc")
export LD_LIBRARY_PATH
# shellcheck disable=SC2046,SC2086  # lists of words
{
	cc -std=c11 -O2 -fno-omit-frame-pointer $sanitize "$2/sampler.c" $(flags batconv-capture) -o "$prefix/sampler"
	cc -std=c11 -O2 $sanitize "$2/resolve.c" $(flags batconv) -o "$prefix/resolve"
}
"$prefix/sampler" "$prefix/stacks" "$prefix/maps" 99 1
"$prefix/resolve" $$ 10 | grep -q '^0x10 \[unknown\]$'
# A sampler has neither libelf nor zstd behind it.
if ldd "$prefix/sampler" | grep -E 'libelf|libzstd|libz\.|liblzma'; then exit 1; fi
