#!/usr/bin/env bash
# The image of packaging/Containerfile, with the static program of this build instead of the one that its first stage builds (scripts/image
# runs that): it has the program and nothing else, is the same when it is made again, and converts.   container.sh PROGRAM
set -eu
. "$(dirname "$0")/../../lib.sh"
program=${1-}
[ -n "$program" ] || skip 'this build has no libraries to link a program of one file with'
need buildah buildah
[ "$(id -u)" = 0 ] || skip 'only root can mount an image here'
dir=$(mktemp -d)
images() { buildah --storage-driver vfs --root "$dir/images" --runroot "$dir/run" "$@"; }
# shellcheck disable=SC2317  # called by the trap
clean_up() {
	[ ! -d "$dir/images" ] || images rm -a >/dev/null || true
	rm -rf "$dir"
}
trap clean_up EXIT
mkdir -p "$dir/one/usr/bin" "$dir/files"
echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$dir/policy" # the system's is in a package that buildah only recommends
strip -o "$dir/one/usr/bin/batconv" "$program"

build() { # NAME
	quietly images bud --signature-policy "$dir/policy" --quiet --isolation chroot --build-context "build=$dir/one" \
		--timestamp 1700000000 -f "$SOURCE/packaging/Containerfile" -t "$1" "$dir/one" && return
	! grep -iE 'permitted|permission denied' "$dir/log" ||
		skip "this machine does not let buildah work: $(tail -n 1 "$dir/log")"
	exit 1
}
build one
build two
[ "$(images images --quiet --no-trunc one)" = "$(images images --quiet --no-trunc two)" ] || fail 'made again, the image is another'

container=$(images from --signature-policy "$dir/policy" one)
root=$(images mount "$container")
(cd "$root" && find . ! -type d | sort) >"$dir/list"
echo ./usr/bin/batconv | diff - "$dir/list" || fail 'the image has other files'
cmp "$root/usr/bin/batconv" "$dir/one/usr/bin/batconv"
images inspect --type image --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}} {{.OCIv1.Config.WorkingDir}}' one | tee "$dir/config"
grep -qxF '[/usr/bin/batconv] [help] /work' "$dir/config" || fail 'entry point, command or folder are others'

cp "$demo/demo.bolt" "$demo/demo.perf.txt" "$dir/files"
images run --isolation chroot -v "$dir/files:/work" "$container" -- /usr/bin/batconv --compat=perf2bolt demo.bolt demo.perf.txt -q -o out.fdata
cmp "$dir/files/out.fdata" "$demo/expected/demo.perf.fdata" || fail 'another profile'
finish
