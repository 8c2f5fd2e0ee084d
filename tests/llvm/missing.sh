#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# In the place of the tests beside it, where there is no LLVM to build them with.
. "$(dirname "$0")/../peer/lib"
skip 'LLVM 19 was not there when this was configured (apt install llvm-19-dev)'
