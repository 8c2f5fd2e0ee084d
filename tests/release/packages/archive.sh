#!/usr/bin/env bash
# scripts/git-archive gives the same bytes however git is configured by its user, the machine and the environment.
set -u
. "$(dirname "$0")/../../lib.sh"
need git git
own_folder
clean=(env -u GIT_CONFIG_COUNT GIT_CONFIG_NOSYSTEM=1 HOME="$PWD/nobody")
mkdir nobody somebody tree
cd tree || exit
printf 'one\ntwo\n' >text
printf 'left\n' >left.md
"${clean[@]}" git -c init.defaultBranch=main init -q . && "${clean[@]}" git add . && "${clean[@]}" git -c user.name=a -c user.email=a@b commit -q -m a || fail 'git does not commit'
"${clean[@]}" "$SOURCE/scripts/git-archive" HEAD >../plain || fail "git-archive: exit $?"
printf '[core]\n\tautocrlf = true\n\teol = crlf\n\tattributesFile = %s\n[tar]\n\tumask = 077\n' "$PWD/../somebody/attributes" >../somebody/.gitconfig
echo '*.md export-ignore' >../somebody/attributes
mkdir -p ../somebody/.config/git && cp ../somebody/attributes ../somebody/.config/git/attributes
(umask 077 && env HOME="$PWD/../somebody" XDG_CONFIG_HOME="$PWD/../somebody/.config" TZ=Asia/Tokyo "$SOURCE/scripts/git-archive" HEAD >../told) || fail "git-archive: exit $?"
cd .. || exit
cmp plain told || fail 'settings of git change the archive'
[ "$(tar -tf told | sort | tr '\n' ' ')" = 'left.md text ' ] || fail 'files are missing'

# Another locale has another order of names, by which a shell sorts what a pattern finds.
if command -v mandoc >/dev/null && mkdir locales && localedef -i en_US -f UTF-8 "$PWD/locales/en_US.UTF-8" 2>/dev/null; then
	LC_ALL=C bash "$SOURCE/scripts/man-html" "$PWD/plain.html" || fail "man-html: exit $?"
	LOCPATH=$PWD/locales LC_ALL=en_US.UTF-8 bash "$SOURCE/scripts/man-html" "$PWD/sorted.html" || fail "man-html: exit $?"
	diff -rq plain.html sorted.html || fail 'the locale changes the manual pages'
fi
for script in archive man-html; do
	grep -qx 'export LC_ALL' "$SOURCE/scripts/$script" || fail "scripts/$script has the locale of its user"
done

grep -q 'SHA256SUMS | LC_ALL=C sort' "$SOURCE/scripts/release" || fail 'SHA256SUMS is sorted by the locale'

# Nothing that is published is made past it, or with settings of xz.
for script in archive image packages static wheel; do
	! grep -nE '(^|[^-])git (-c [^ ]+ )*archive ' "$SOURCE/scripts/$script" || fail "scripts/$script has a git archive of its own"
done
grep -q 'env -u XZ_DEFAULTS -u XZ_OPT xz' "$SOURCE/scripts/archive" || fail 'scripts/archive: xz with settings of the environment'
finish
