# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The program as one file, with the C library in it: the preset `static`.  The same bytes from every directory.

# batconv_links_statically(OUT LIBRARY...): is libelf.a whole?  That of elfutils 0.192 (Debian 13) calls functions of libeu.a, which is not installed.
include(CheckCSourceCompiles)
function(batconv_links_statically out)
  set(CMAKE_REQUIRED_LIBRARIES ${ARGN})
  set(CMAKE_REQUIRED_LINK_OPTIONS -static)
  check_c_source_compiles("
    #include <libelf.h>
    int main(void) { return elf_end(elf_begin(0, ELF_C_READ, 0)); }" ${out})
  set(${out} ${${out}} PARENT_SCOPE)
endfunction()

if(NOT BATCONV_STATIC)
  return()
endif()
batconv_links_statically(BATCONV_STATIC_LIBELF ${libelf_LINK_LIBRARIES} ${libzstd_LINK_LIBRARIES} ${zlib_LINK_LIBRARIES})
if(NOT BATCONV_STATIC_LIBELF)
  message(FATAL_ERROR "No program can be linked with this system's libelf.a, libzstd.a and libz.a alone (elfutils 0.192, as of Debian 13, installs a libelf.a that lacks libeu.a): build on Debian 12, as packaging/Containerfile does.")
endif()
set_source_files_properties(src/base/library.c PROPERTIES COMPILE_DEFINITIONS BATCONV_STATIC)
set(CMAKE_C_LINK_OPTIONS_PIE -static-pie) # instead of -pie
target_link_options(batconv PRIVATE LINKER:--build-id LINKER:-Map=${CMAKE_BINARY_DIR}/batconv.map) # what was linked: scripts/linked
target_compile_options(batconv_flags INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=.)
# From the C++ library the function that writes mangled names out; it needs nothing else of it.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libsupc++.a OUTPUT_VARIABLE supcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
if(IS_ABSOLUTE "${supcxx}")
  set_source_files_properties(src/address/demangle.c PROPERTIES COMPILE_DEFINITIONS BATCONV_HAVE_DEMANGLE)
  target_link_libraries(batconv_core PUBLIC ${supcxx})
endif()
