#!/bin/sh
# lib/abi describes the libraries of this build, and what would break a program that was linked before is found: abi.sh SOURCE BUILD_DIR
set -eu
source=$1 build=$2
. "$source/tests/lib.sh"
need abidiff abigail-tools
"$source/scripts/abi" "$build"
own_folder

# breaks FILE SED: a header changed so is another interface
breaks() {
	rm -rf include
	cp -r "$source/include" include
	sed -i "$2" "include/$1"
	! cmp -s "$source/include/$1" "include/$1" || fail "nothing changed: $2"
	if INCLUDE=$dir/include "$source/scripts/abi" "$build" >told 2>&1; then
		fail "not found: $2"
	fi
	grep -qF "${3-has been removed}" told || { fail "$2: not told: $3"; cat told; }
}
breaks batconv/translate.h 's/^	size_t inlined;/	uint64_t column; size_t inlined;/' 'type size changed'
breaks batconv/translate.h 's/^	uint32_t line; /	uint16_t line; /' 'type of '
breaks batconv/address.h 's/^	BATCONV_ERROR_NOMEM = 1,/	BATCONV_NEW = 1, BATCONV_ERROR_NOMEM = 8,/' 'enumerator'
breaks batconv/maps.h 's/uint32_t pid,/uint64_t pid,/' 'parameter 2'
breaks bat/bat.h 's/\bbat_find(/bat_find_it(/' 'bat_find'
finish
