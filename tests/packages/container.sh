#!/usr/bin/env bash
# The image of packaging/Containerfile, with the static program of this build in place of the one that its first stage builds (scripts/image
# runs that): it has the program and nothing else, is the same when it is made again, and converts.   container.sh PROGRAM
set -eu
. "$(dirname "$0")/../lib.sh"
program=${1-}
[ -n "$program" ] || skip 'this build has no libraries to link a program of one file with'
need buildah buildah
[ "$(id -u)" = 0 ] || skip 'only root can mount an image here'
work=$(mktemp -d)
images() { buildah --storage-driver vfs --root "$work/images" --runroot "$work/run" "$@"; }
# shellcheck disable=SC2317  # called by the trap
clean_up() {
	[ ! -d "$work/images" ] || images rm -a >/dev/null || true
	rm -rf "$work"
}
trap clean_up EXIT
mkdir -p "$work/one/usr/bin" "$work/files"
echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$work/policy" # the system's is in a package that buildah only recommends
strip -o "$work/one/usr/bin/batconv" "$program"

built() { # NAME
	images bud --signature-policy "$work/policy" --quiet --isolation chroot --build-context "build=$work/one" --timestamp 1700000000 -f "$SOURCE/packaging/Containerfile" -t "$1" "$work/one" >"$work/log" 2>&1 || {
		! grep -iE 'permitted|permission denied' "$work/log" || skip "this machine does not let buildah work: $(tail -n 1 "$work/log")"
		cat "$work/log"
		exit 1
	}
	images images --quiet --no-trunc "$1"
}
first=$(built one)
[ "$(built two)" = "$first" ] || fail 'made again, the image is another'

container=$(images from --signature-policy "$work/policy" one)
root=$(images mount "$container")
(cd "$root" && find . ! -type d | sort) >"$work/list"
echo ./usr/bin/batconv | diff - "$work/list" || fail 'the image has other files'
cmp "$root/usr/bin/batconv" "$work/one/usr/bin/batconv"
images inspect --type image --format '{{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Cmd}} {{.OCIv1.Config.WorkingDir}}' one | tee "$work/config"
grep -qxF '[/usr/bin/batconv] [help] /work' "$work/config" || fail 'entry point, command or folder are others'

cp "$demo/demo.bolt" "$demo/demo.perf.txt" "$work/files"
images run --isolation chroot -v "$work/files:/work" "$container" -- /usr/bin/batconv --compat=perf2bolt demo.bolt demo.perf.txt -q -o out.fdata
cmp "$work/files/out.fdata" "$demo/expected/demo.perf.fdata" || fail 'another profile'
finish
