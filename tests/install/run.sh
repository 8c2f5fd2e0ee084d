#!/bin/sh
# Installs into an empty folder, and uses what is there as a stranger would: by
# pkg-config, by CMake, and by running the program.   run.sh BUILD_DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

cmake --install "$1" --prefix "$prefix" >/dev/null
"$prefix/bin/batconv" --version
test -s "$prefix/share/man/man1/batconv.1"

libdir=$(dirname "$(find "$prefix" -name bat.pc)")
flags=$(PKG_CONFIG_PATH=$libdir pkg-config --define-prefix --cflags --libs bat)
sanitize=$(sed -n 's/^BATCONV_SANITIZE:STRING=//p' "$1/CMakeCache.txt")
[ -z "$sanitize" ] || flags="$flags -fsanitize=$sanitize"
# shellcheck disable=SC2086  # a list of words
cc "$here/user.c" $flags -o "$prefix/user"
LD_LIBRARY_PATH=$(dirname "$libdir") "$prefix/user"

cmake -S "$here" -B "$prefix/build" -DCMAKE_PREFIX_PATH="$prefix" \
	-DCMAKE_C_FLAGS="${sanitize:+-fsanitize=$sanitize}" >/dev/null
cmake --build "$prefix/build" >/dev/null
"$prefix/build/with_static"
"$prefix/build/with_shared"
