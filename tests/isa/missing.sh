#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Instead of a test next to it, where there is nothing to build it with: missing.sh WHAT PACKAGE
. "$(dirname "$0")/../lib.sh"
own_folder
skip "$1 was not there when this was configured (apt install $2)"
