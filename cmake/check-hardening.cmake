# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The target check_hardening: the binaries have what cmake/hardening.cmake asked for.
# libbatconv-capture calls nothing that FORTIFY knows.
if(NOT BATCONV_HARDENING)
  return()
endif()
set(check_hardening ${CMAKE_SOURCE_DIR}/scripts/check-hardening)
set(capture_hardened ${BATCONV_HARDENED})
list(REMOVE_ITEM capture_hardened fortify)
set(BATCONV_CHECK_HARDENING
  ${check_hardening} ${BATCONV_HARDENED} --
    $<TARGET_FILE:batconv> $<TARGET_FILE:bat_shared> $<TARGET_FILE:batconv_shared>)
set(BATCONV_CHECK_HARDENING_CAPTURE
  ${check_hardening} ${capture_hardened} -- $<TARGET_FILE:batconv_capture_shared>)
add_custom_target(check_hardening
  COMMAND ${BATCONV_CHECK_HARDENING}
  COMMAND ${BATCONV_CHECK_HARDENING_CAPTURE}
  DEPENDS batconv bat_shared batconv_shared batconv_capture_shared
  VERBATIM)
