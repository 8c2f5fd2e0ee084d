#!/usr/bin/env bash
# The RPM packages of what is built here: every file that is installed is in one of them, and the program runs from where
# `rpm --root` put it.  scripts/rpm builds them from the archive.   rpm.sh BUILD_DIR
set -eu
. "$(dirname "$0")/../../lib.sh"
source=$(cd "$(dirname "$0")/../../.." && pwd)
build=$1
need rpmbuild rpm
dir=$(mktemp -d -p /tmp) # a path with a blank is none for a spec
export TMPDIR=$dir
trap 'rm -rf "$dir"' EXIT
version=$(sed -n 's/^project(batconv VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
libdir=$(sed -n 's/^CMAKE_INSTALL_LIBDIR:PATH=//p' "$build/CMakeCache.txt")

ln -s "$build" "$dir/built"
mkdir -p "$dir/SOURCES"
: >"$dir/SOURCES/batconv-$version.tar.xz" # asked for, not read
"$source/scripts/archive" --spec "$dir/batconv.spec"
! grep '@[A-Z]*@' "$dir/batconv.spec" || { echo 'scripts/archive left a name between at signs'; exit 1; }

quietly env HOME="$dir" rpmbuild -bb --nodeps --quiet --define "_topdir $dir" --define "_rpmdir $dir" --define '_rpmfilename %%{NAME}.rpm' --define "_libdir /usr/$libdir" \
	--define "built $dir/built" --define '_binary_payload w1.gzdio' "$dir/batconv.spec"
(cd "$dir" && echo *.rpm) | tee "$dir/list"
grep -qx 'batconv.rpm libbat-devel.rpm libbat.rpm libbatconv-devel.rpm libbatconv.rpm' "$dir/list"

# has PACKAGE FIELD WORD
has() { rpm -qp "--$2" "$dir/$1.rpm" | grep -qF -- "$3" || { echo "$1: $2 has no $3:"; rpm -qp "--$2" "$dir/$1.rpm"; exit 1; }; }
isa=$(rpm --eval "%{?_isa}")
abi=$(sed -n 's/^set(BATCONV_ABI \([0-9]*\))$/\1/p' "$source/CMakeLists.txt")
has batconv requires 'libelf.so.1'
has libbat provides "libbat.so.$abi"
has libbat-devel requires "libbat$isa = $version-1"
has libbatconv-devel requires "libbatconv$isa = $version-1"
has batconv licensefiles /usr/share/doc/batconv/LICENSE

mkdir "$dir/root"
if [ "$(id -u)" = 0 ]; then
	rpm --root "$dir/root" --nodeps -i "$dir"/*.rpm # which warns that Debian has another package manager
	[ "$(rpm --root "$dir/root" -qa | wc -l)" = 5 ] || { echo 'not 5 packages are installed'; exit 1; }
else
	for package in "$dir"/*.rpm; do
		rpm2archive - <"$package" | tar -xz -C "$dir/root"
	done
fi
"$dir/root/usr/bin/batconv" --compat=perf2bolt "$source/inputs/demo/demo.bolt" "$source/inputs/demo/demo.perf.txt" -q -o "$dir/out.fdata"
cmp "$dir/out.fdata" "$source/inputs/demo/expected/demo.perf.fdata"
LD_LIBRARY_PATH=$dir/root/usr/$libdir ldd "$dir/root/usr/$libdir/libbatconv.so" | grep 'not found' && exit 1
echo "5 packages: all files are in one, and the program runs"
