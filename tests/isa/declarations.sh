#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# LLVM's C interface as src/isa declares it, against the headers of each release that is installed.
. "$(dirname "$0")/../lib.sh"
own_folder

accepts() { # accepts INCLUDE [FLAG]...: the compiler takes the declarations
	include=$1
	shift
	"${CC:-cc}" -fsyntax-only -std=c11 -I"$SOURCE" -isystem "$include" "$@" "$SOURCE/tests/isa/declarations.c" 2>/dev/null
}

found=0
for header in /usr/lib/llvm-*/include/llvm-c/Disassembler.h; do
	[ -e "$header" ] || continue
	include=${header%/llvm-c/Disassembler.h}
	accepts "$include" || fail "$include: the headers declare it otherwise"
	for wrong in 1 2 3 4 5; do
		accepts "$include" -DWRONG=$wrong && fail "$include: wrong declaration $wrong is not noticed"
	done
	echo "$include: the same"
	found=$((found + 1))
done
[ $found -gt 0 ] || skip 'no headers of LLVM (apt install llvm-19-dev)'
finish
