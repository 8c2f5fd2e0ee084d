# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the toolchain does against memory errors in files made by strangers.  Every flag is
# tried first: a compiler without it builds all the same.  The target check_hardening looks at
# what was built (scripts/check-hardening); the test tree.hardening does the same.
option(BATCONV_HARDENING "PIE, RELRO, stack protector, FORTIFY, CET, where the compiler has them" ON)

include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C) # links executables with -pie; code is position-independent anyway

# What scripts/check-hardening is to ask of the binaries beyond what every linker does.
set(BATCONV_HARDENED)
if(NOT BATCONV_HARDENING)
  return()
endif()

# batconv_harden_compile(NAME FLAG): FLAG for every file, if the compiler takes it.
# -Werror, as clang only warns of a flag that its target does not know.
function(batconv_harden_compile name flag)
  set(CMAKE_REQUIRED_FLAGS -Werror)
  check_c_compiler_flag(${flag} BATCONV_HAVE_${name})
  if(BATCONV_HAVE_${name})
    target_compile_options(batconv_flags INTERFACE ${flag})
  endif()
endfunction()

function(batconv_harden_link name flag)
  check_linker_flag(C ${flag} BATCONV_HAVE_${name})
  if(BATCONV_HAVE_${name})
    target_link_options(batconv_flags INTERFACE ${flag})
  endif()
endfunction()

batconv_harden_compile(STACK_PROTECTOR -fstack-protector-strong)
batconv_harden_compile(STACK_CLASH -fstack-clash-protection)
batconv_harden_compile(CF_PROTECTION -fcf-protection=full)              # x86
batconv_harden_compile(BRANCH_PROTECTION -mbranch-protection=standard)  # AArch64
batconv_harden_link(RELRO LINKER:-z,relro)
batconv_harden_link(NOW LINKER:-z,now)
batconv_harden_link(NOEXECSTACK LINKER:-z,noexecstack)

# FORTIFY needs an optimizer, and hides from the sanitizers what they would report.  A libc
# that knows no level 3 takes it for 2.  A compiler may have set a level of its own.
set(fortified $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
if(NOT BATCONV_SANITIZE)
  target_compile_options(batconv_flags INTERFACE
    $<${fortified}:-U_FORTIFY_SOURCE> $<${fortified}:-D_FORTIFY_SOURCE=3>)
  if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
    list(APPEND BATCONV_HARDENED fortify)
  endif()
endif()
if(BATCONV_HAVE_STACK_PROTECTOR)
  list(APPEND BATCONV_HARDENED canary)
endif()
if(BATCONV_HAVE_CF_PROTECTION)
  list(APPEND BATCONV_HARDENED cet)
elseif(BATCONV_HAVE_BRANCH_PROTECTION)
  list(APPEND BATCONV_HARDENED bti)
endif()
