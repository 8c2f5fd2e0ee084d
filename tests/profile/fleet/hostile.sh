# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A name for which a shell, GNU parallel ({...}), perl, printf, Slurm (%...), awk and sed have other uses, with blanks and
# newlines at its ends and within.
# shellcheck disable=SC2016,SC2034 # nothing of it is to be expanded; others use it
name=$' $(touch INJECTED1)`touch INJECTED2`;touch INJECTED3;\ttouch INJECTED4 &|\'"\\n\\\\*?[a]!~#<>=%A%j%n%%{}{.}{= system "touch INJECTED5" =}\n\xe2\x80\xae\xff; touch INJECTED6\n'
