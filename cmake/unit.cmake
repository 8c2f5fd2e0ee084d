# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# At install time: the systemd unit, with the program's path in it.  FROM, TO, BINDIR; the prefix is known only now.
cmake_path(ABSOLUTE_PATH BINDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE program)
string(APPEND program "/batconv")
# Words of a unit: quotes keep blanks, and % begins a specifier.
string(REPLACE "\\" "\\\\" program "${program}")
string(REPLACE "\"" "\\\"" program "${program}")
string(REPLACE "%" "%%" program "${program}")
if(program MATCHES "[^A-Za-z0-9/._%+-]")
  set(program "\"${program}\"")
endif()
file(READ "${FROM}" text)
string(REPLACE "ExecStart=/usr/bin/batconv " "ExecStart=${program} " text "${text}")
file(WRITE "${TO}" "${text}")
