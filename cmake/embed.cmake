# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes a C file of any file: an array NAME of its bytes, and NAME_size.
#   cmake -D FROM=FILE -D TO=FILE.c -D NAME=name -P embed.cmake
file(READ ${FROM} bytes HEX)
string(LENGTH "${bytes}" size)
math(EXPR size "${size} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${TO} "#include <stddef.h>
extern const unsigned char ${NAME}[];
extern const size_t ${NAME}_size;
const unsigned char ${NAME}[] = {
${bytes}
};
const size_t ${NAME}_size = ${size};
")
