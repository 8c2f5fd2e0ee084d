#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What any command prints as JSON is what docs/schema says, by python3-jsonschema.
. "$(dirname "$0")/../lib.sh"
own_folder
for python in /usr/bin/python3 python3; do
	$python -W ignore -c 'import jsonschema' 2>/dev/null || continue
	$python -W ignore "$SOURCE/tests/support/json_schemas.py" "$BATCONV" "$INPUTS" "$SOURCE" || fail 'an output without its schema'
	finish
done
skip 'no python3-jsonschema'
