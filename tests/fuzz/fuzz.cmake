# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One fuzz target per parser.  Each is also a plain test that replays its corpus, and, where
# the target has a mutator of its own, some mutations of it.
file(GLOB fuzz_support CONFIGURE_DEPENDS fuzz/support/*.c)
add_library(fuzz_support STATIC ${fuzz_support})
target_link_libraries(fuzz_support PUBLIC test_support PRIVATE batconv_flags)
file(GLOB fuzz_targets CONFIGURE_DEPENDS fuzz/fuzz_*.c)
foreach(source ${fuzz_targets})
  cmake_path(GET source STEM fuzzer)
  string(REPLACE "fuzz_" "" name ${fuzzer})
  add_executable(replay_${name} ${source} fuzz/replay_main.c)
  target_link_libraries(replay_${name} PRIVATE fuzz_support batconv_flags)
  add_test(NAME fuzz.replay.${name}
    COMMAND replay_${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
  set_tests_properties(fuzz.replay.${name} PROPERTIES LABELS fuzz)
  if(BATCONV_BUILD_FUZZERS)
    add_executable(${fuzzer} ${source})
    target_compile_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${fuzzer} PRIVATE fuzz_support batconv_flags)
  endif()
endforeach()
