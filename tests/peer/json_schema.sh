#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What dump, verify, diff and inspect print as JSON is what docs/schema says, by python3-jsonschema.
. "$(dirname "$0")/lib"
python=
for p in /usr/bin/python3 python3; do
	$p -W ignore -c 'import jsonschema' 2>/dev/null && python=$p && break
done
[ -n "$python" ] || skip 'no python3-jsonschema'

# valid SCHEMA COMMAND...
valid() {
	schema=$SOURCE/docs/schema/$1
	shift
	"$BATCONV" "$@" >document
	[ -s document ] || { fail "$*: nothing"; return; }
	$python -W ignore -c '
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
checker = jsonschema.Draft7Validator(schema)
checker.check_schema(schema)
errors = list(checker.iter_errors(json.load(open("document"))))
for e in errors[:3]:
    print(list(e.absolute_path), e.message[:200])
sys.exit(bool(errors))' "$schema" || fail "$*"
}
for b in b15 b16 b18 b19 b22; do
	valid bat.schema.json dump --json "$sqlite/sq.$b"
	valid summary.schema.json dump --summary --json "$sqlite/sq.$b"
	valid verify.schema.json verify --json --input "$sqlite/sq" --sample-check 100 "$sqlite/sq.$b"
	valid diff.schema.json diff --json "$sqlite/sq.$b" "$sqlite/sq.b22"
done
valid bat.schema.json dump --json "$INPUTS/aarch64/demo.b22"
"$BATCONV" -q "$demo/demo.bolt" "$demo/demo.preagg" -o a.fdata
printf 'boltedcollection\n1 a' >cut.fdata
valid merge.schema.json merge --skip-bad --stats-file=/dev/stdout -q a.fdata cut.fdata -o merged
for file in "$demo/demo.perf.data" "$demo/demo.perf.txt" "$demo/demo.preagg" "$demo/demo.bolt" "$demo/demo" "$demo/expected/demo.basic.fdata" \
	"$SOURCE"/tests/fuzz/corpus/inspect/*; do
	case $file in *fdata-odd) continue ;; esac
	valid inspect.schema.json inspect --json "$file"
done
finish
