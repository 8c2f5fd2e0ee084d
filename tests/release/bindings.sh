#!/usr/bin/env bash
# A package of bindings/ by what was installed: bindings.sh BUILD_DIR LANGUAGE, with INPUTS.
# Its tests, and its example, which must give the folded stacks of bindings/example.
set -eu
. "$(dirname "$0")/../lib.sh"
build=$1 language=$2

# absent WHAT: no failure in CI either, unlike a peer: a landing needs no toolchain of another language
absent() {
	echo "skipped: $* (scripts/setup bindings)"
	exit 77
}

source=$(cd "$(dirname "$0")/../.." && pwd)
[ -z "$(sed -n 's/^BATCONV_SANITIZE:STRING=//p' "$build/CMakeCache.txt")" ] || { echo 'skipped: a sanitizer has to be in the program, too'; exit 77; }
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name batconv.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH
cp -r "$source/bindings" "$work/bindings"
cd "$work/bindings/$language"

# example COMMAND...: what it makes of the stacks
example() {
	"$@" "$INPUTS/lines/g4.b22" "$INPUTS/lines/g4" <../example/stacks.folded >"$work/out"
	diff -u ../example/translated.folded "$work/out"
}

case $language in
python)
	export BATCONV_LIBRARY=$LD_LIBRARY_PATH/libbatconv.so
	PYTHONPATH=$PWD python3 -B -m unittest discover -s tests
	PYTHONPATH=$PWD example python3 -B examples/translate_folded.py
	PYTHONPATH=$PWD
	export PYTHONPATH
	# refused CODE TEXT ARGUMENT...: what is wrong is reported in one line
	refused() {
		local code=$1 text=$2 got=0
		shift 2
		python3 -B examples/translate_folded.py "$@" >/dev/null 2>"$work/said" || got=$?
		[ "$got" = "$code" ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -q -- "$text" "$work/said" || { echo "$*: exit $got" && cat "$work/said" && exit 1; }
	}
	pair=("$INPUTS/lines/g4.b22" "$INPUTS/lines/g4")
	refused 2 'usage: ' "${pair[0]}" </dev/null
	refused 1 'line 2: ends in no count' "${pair[@]}" <<<$'a;0x6030 1\na'
	refused 1 'line 1: a frame that is no address' "${pair[@]}" <<<'0xzz 1'
	refused 1 'not the input binary' "${pair[1]}" "${pair[0]}" <<<'0x6030 1'
	BATCONV_LIBRARY=/nowhere python3 -B -c 'import batconv' 2>&1 | tail -n 1 | grep -q 'set BATCONV_LIBRARY' || { echo 'a missing library: no remedy'; exit 1; }
	unset PYTHONPATH
	for python in python3 /usr/bin/python3 ''; do
		[ -n "$python" ] || absent 'the wheel: no python3 has pip, setuptools and wheel here'
		! "$python" -c 'import setuptools, wheel, pip' 2>/dev/null || break
	done
	# A wheel, which carries the library, in a folder of its own; nothing of the sources is next to it.
	"$python" -m pip wheel --quiet --no-index --no-build-isolation --no-deps --wheel-dir "$work/wheel" .
	case $(basename "$work"/wheel/*.whl) in batconv-*-py3-none-linux_*.whl) ;; *) ls "$work/wheel"; exit 1 ;; esac
	"$python" -m pip install --quiet --no-index --no-deps --target "$work/site" "$work"/wheel/*.whl
	# The license wants a copy of it in whatever is given away; that of the package is the project's.
	cmp "$source/LICENSE" "$(find "$work"/site/batconv-*.dist-info -name LICENSE)" || { echo 'the wheel has no LICENSE, or another one'; exit 1; }
	cp -r examples "$work/elsewhere" && cd "$work/elsewhere"
	mkdir ../example && cp "$work/bindings/example/"* ../example
	unset BATCONV_LIBRARY
	export -n LD_LIBRARY_PATH
	PYTHONPATH=$work/site example python3 -B translate_folded.py
	;;
go)
	command -v go >/dev/null || absent 'no go here'
	export GOCACHE=$work/cache GOPATH=$work/go GOFLAGS=-mod=mod GOTOOLCHAIN=local
	[ -z "$(gofmt -l .)" ] || { gofmt -d .; exit 1; }
	go vet ./...
	go test ./...
	go build -o "$work/translate-folded" ./cmd/translate-folded
	example "$work/translate-folded"
	;;
rust)
	command -v cargo >/dev/null || absent 'no cargo here'
	rustc -V | awk '{ split($2, v, "."); exit !(v[1] > 1 || v[2] >= 77) }' || absent 'rustc is older than 1.77'
	export CARGO_TARGET_DIR=$work/target
	cargo test --offline --quiet
	cargo build --offline --quiet --example translate_folded
	example "$work/target/debug/examples/translate_folded"
	;;
esac
