# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The program as one file, with the C library in it: the preset `static`.  The same bytes from every directory.
if(NOT BATCONV_STATIC)
  return()
endif()
set_source_files_properties(src/base/library.c PROPERTIES COMPILE_DEFINITIONS BATCONV_STATIC)
set(CMAKE_C_LINK_OPTIONS_PIE -static-pie) # in place of -pie
target_link_options(batconv PRIVATE LINKER:--build-id LINKER:-Map=${CMAKE_BINARY_DIR}/batconv.map) # what was linked: scripts/linked
target_compile_options(batconv_flags INTERFACE -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=.)
# Of the C++ library the function that writes mangled names out; it needs nothing else of it.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libsupc++.a OUTPUT_VARIABLE supcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
if(IS_ABSOLUTE "${supcxx}")
  set_source_files_properties(src/output/demangle.c PROPERTIES COMPILE_DEFINITIONS BATCONV_HAVE_DEMANGLE)
  target_link_libraries(batconv_core PUBLIC ${supcxx})
endif()
