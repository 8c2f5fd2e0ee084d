#!/usr/bin/env bash
# Installs into an empty directory, and uses what is there as a stranger would: by
# pkg-config, by CMake, and by running the program.   run.sh BUILD_DIR
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
. "$here/../../../scripts/quietly.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
prefix="$dir/it's a \$HOME" # what pkg-config and make quote

cmake --install "$1" --prefix "$prefix" >/dev/null
"$prefix/bin/batconv" --version
test -s "$prefix/share/man/man1/batconv.1"
for file in bash-completion/completions/batconv zsh/site-functions/_batconv fish/vendor_completions.d/batconv.fish; do
	test -s "$prefix/share/$file"
done

for folder in "$prefix/bin" "$prefix/share/batconv/examples/fleet"; do
	"$folder/batconv-fleet" --help | grep -q LIST || { echo "batconv-fleet is not whole in $folder" >&2; exit 1; }
	BINARY=none BATCONV="$prefix/bin/batconv" "$folder/batconv-fleet-step" map-lines </dev/null 2>&1 | grep -q 'batconv-fleet: .*none: cannot be read' ||
		{ echo "batconv-fleet-step is not whole in $folder" >&2; exit 1; }
done

unit=$prefix/share/batconv/examples/fleet/batconv-record.service
grep -qxF "ExecStart=\"$prefix/bin/batconv\" $(sed -n 's/^ExecStart=[^ ]* //p' "$here/../../../examples/fleet/batconv-record.service")" "$unit" ||
	{ echo "the unit has another program: $(grep ^ExecStart "$unit")" >&2; exit 1; }
cmp "$prefix/share/batconv/examples/fleet/batconv-record.yaml" "$here/../../../examples/fleet/batconv-record.yaml"

libdir=$(dirname "$(find "$prefix" -name bat.pc)")
export PKG_CONFIG_PATH="$libdir"
for package in bat batconv batconv-capture; do
	[ "$(pkg-config --variable=prefix $package)" = "$prefix" ] || { echo "$package.pc has another prefix" >&2; exit 1; }
done
sanitize=$(sed -n 's/^BATCONV_SANITIZE:STRING=//p' "$1/CMakeCache.txt")
# xargs takes the quotes of pkg-config off, as a Makefile's shell would, and leaves a dollar as it is.
pkg-config --cflags --libs bat | xargs cc "$here/user.c" ${sanitize:+"-fsanitize=$sanitize"} -o "$prefix/user"
LD_LIBRARY_PATH=$(dirname "$libdir") "$prefix/user"

cmake -S "$here" -B "$prefix/build" -DCMAKE_PREFIX_PATH="$prefix" \
	-DCMAKE_C_FLAGS="${sanitize:+-fsanitize=$sanitize}" >/dev/null
cmake --build "$prefix/build" >/dev/null
"$prefix/build/with_static"
"$prefix/build/with_shared"
rm -r "$prefix/build" "$prefix/user"

# To a root that is not the prefix, as packages are made; and nothing is left after uninstalling.
stage=$prefix/stage
DESTDIR=$stage cmake --install "$1" --prefix /opt/batconv >/dev/null
grep -qx 'prefix=/opt/batconv' "$(find "$stage" -name batconv.pc)"
DESTDIR=$stage cmake -D MANIFEST="$1/install_manifest.txt" -P "$here/../../../cmake/uninstall.cmake" >/dev/null
[ -z "$(find "$stage" ! -type d)" ] || { echo "uninstall left $(find "$stage" ! -type d)" >&2; exit 1; }
[ -z "$(find "$stage" -type d \( -name batconv -o -name bat \) ! -path "$stage/opt/batconv")" ] || { echo "uninstall left folders" >&2; exit 1; }
