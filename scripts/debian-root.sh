# shellcheck shell=sh
# A Debian of its own in a directory, for scripts that source this: they set `dir`, and `root` below it.
# shellcheck disable=SC2154
# Packages come from where apt has them here, by its proxies.
. scripts/quietly.sh

# root_check NAME: may a system be made here?
root_check() {
	for program in mmdebstrap unshare git; do
		command -v $program >/dev/null || { echo "$1: no $program" >&2; exit 1; }
	done
	[ "$(id -u)" = 0 ] || { echo "$1: only root can make a system" >&2; exit 1; }
}

# Mounts are of other namespaces, which end with what runs in them; nothing is removed that holds one all the same.
root_clean_up() {
	if grep -qF " $dir" /proc/self/mounts; then
		echo "something is mounted below $dir, which is left" >&2
	else
		rm -rf --one-file-system "$dir"
	fi
}

# root_sources SUITE: of apt here, for the suite; nothing if this is no Debian: mmdebstrap has defaults
root_sources() {
	here=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	apt-get indextargets --format "\$(RELEASE) \$(REPO_URI)" 'Created-By: Packages' | sort -u | while read -r release uri; do
		case $release in
		"$here" | "$here-updates" | "$here-security") echo "deb $uri $1${release#"$here"} main" ;;
		esac
	done
}

# root_make SUITE [PACKAGE,...]: a minimal system in $root
root_make() {
	root_sources "$1" >"$dir/sources"
	apt-config dump | grep -E '^Acquire::(https?::|Check-)' >"$dir/apt.conf" || true
	suite_wanted=$1
	set -- --quiet --mode=root --variant=minbase --aptopt="$dir/apt.conf" ${2:+"--include=$2"} "$suite_wanted" "$root"
	[ ! -s "$dir/sources" ] || set -- "$@" "$dir/sources"
	mmdebstrap "$@"
}

# root_inside COMMAND...: in the new system, with devices and file systems of its own.  Its / is a mount that covers ours:
# in a chroot alone buildah cannot change the propagation of /, and the kernel refuses user namespaces.
root_inside() {
	# shellcheck disable=SC2016  # expanded there
	unshare --mount --pid --fork --kill-child sh -euc '
		mount --bind "$1" "$1"
		cd "$1"
		shift
		mount -t proc proc proc
		mount -t sysfs -o ro sysfs sys
		mount -t tmpfs tmpfs dev
		cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty dev
		mkdir dev/pts dev/shm
		mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
		mount -t tmpfs tmpfs dev/shm
		ln -s pts/ptmx dev/ptmx
		ln -s /proc/self/fd dev/fd
		ln -s fd/0 dev/stdin
		ln -s fd/1 dev/stdout
		ln -s fd/2 dev/stderr
		mount --move . /
		exec chroot . env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			${http_proxy+"http_proxy=$http_proxy"} ${https_proxy+"https_proxy=$https_proxy"} "$@"
		' sh "$root" "$@" </dev/null
}

# root_converts COMMAND...: the program, by its path in the new system, says its version there and makes the profile of inputs/demo that is expected
root_converts() {
	mkdir -p "$root/try"
	cp inputs/demo/demo.bolt inputs/demo/demo.perf.txt "$root/try"
	# shellcheck disable=SC2016  # expanded there
	root_inside sh -euc 'cd /try
		"$@" version
		"$@" --compat=perf2bolt demo.bolt demo.perf.txt -q -o out.fdata' sh "$@"
	cmp "$root/try/out.fdata" inputs/demo/expected/demo.perf.fdata
}
