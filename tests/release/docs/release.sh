#!/usr/bin/env bash
# scripts/release stops at each thing that is wrong, and else leaves sources, packages, sums and a report.
# In a repository of its own that has the files with the numbers; what takes hours is replaced.   release.sh SOURCE
# shellcheck disable=SC2016  # what is in quotes is for another shell
set -eu
source=$1
. "$source/scripts/quietly.sh"
command -v git >/dev/null || { echo 'skipped: no git'; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
cd "$dir"
git init -q .
git config user.name tests
git config user.email tests@localhost

mkdir -p scripts docs debian .ci
cp "$source/scripts/release" scripts
cp "$source/CMakeLists.txt" "$source/CHANGELOG.md" .
cp "$source/docs/stability.md" docs
cp "$source/debian/changelog" debian
cp -r "$source/bindings" .
echo /build >.gitignore
version=$(sed -n 's/^project(batconv VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
for name in scripts/analyze scripts/nightly .ci/run; do
	printf '#!/bin/sh\necho "%s was run"\n' $name >"$name"
done
cat >scripts/packages <<'end'
#!/bin/sh
keep=${1#--keep=}
shift
for suite; do
	mkdir -p "$keep/$suite"
	echo "$suite" >"$keep/$suite/batconv.deb"
	echo "$suite" >"$keep/$suite/libbatconv9_9_amd64.deb"
done
end
cat >scripts/static <<'end'
#!/bin/sh
echo static >"${1#--keep=}/batconv-static"
end
cat >scripts/archive <<'end'
#!/bin/sh
git archive HEAD | xz >"$1"
end
for name in rpm wheel; do
	cat >scripts/$name <<'end'
#!/bin/sh
mkdir -p "${1#--keep=}"
echo "$2" >"${1#--keep=}/batconv.$(basename "$0")"
end
done
printf '#!/bin/sh\ntest -s "${1#--archive=}"\n' >scripts/fresh
printf '#!/bin/sh\necho image\n' >scripts/image
printf '#!/bin/sh\n[ "$1" = --check ] || echo "what is in $1" >"$3"\n' >scripts/sbom
chmod +x scripts/* .ci/run
commit() { git add -A && git commit -qm "$1"; }

# release OPTION EXIT WORDS: what it ends with
release() {
	code=0
	scripts/release ${1:+"$1"} >told 2>&1 || code=$?
	[ $code = "$2" ] && grep -qF -- "$3" told || { echo "release $1: exit $code instead of $2, or without '$3':"; cat told; exit 1; }
	rm told
}
echo /told >>.gitignore
sed -i "s/^## \[$version\] - .*/## [$version] - unknown/" CHANGELOG.md
commit 'not dated'
release --help 2 'usage:'
release --check 1 "no dated section [$version]"
sed -i "s/^\(## \[.*\] - \)unknown/\12026-01-31/" CHANGELOG.md
release --check 1 'not committed'
commit 'dated'
release --check 0 'the numbers agree'
[ ! -e build ]

for file in debian/changelog docs/stability.md bindings/python/pyproject.toml bindings/rust/Cargo.toml; do
	sed -i "s/$version/$version.1/" $file
	commit "another number in $file"
	release --check 1 "$file is not of $version"
	git reset -q --hard HEAD~
done
git tag "v$version"
release --fast 1 "there is a tag v$version"
git tag -d "v$version" >/dev/null

out=build/release-$version
release --fast 0 "tag it v$version"
grep -q '^nightly: left out' "$out/REPORT"
release --make 0 "tag it v$version"
grep -q '^analyze, ci: left out' "$out/REPORT"
[ ! -e "$out/ci.log" ]
release '' 0 "tag it v$version"
for name in analyze ci nightly archive 'archive on bookworm' 'archive on trixie' packages static rpm wheel image sboms; do
	grep -q "^$name: passed" "$out/REPORT" || { echo "$name is not in the report"; exit 1; }
done
grep -q 'nightly was run' "$out/nightly.log"
(cd "$out" && sha256sum --quiet -c SHA256SUMS)
(cd "$out" && sed 's/.*  //' SHA256SUMS) >list
cat >wanted <<end
./batconv-$version.tar.xz
./batconv-$version.tar.xz.spdx.json
./batconv-static
./batconv.wheel
./debian/bookworm/batconv.deb
./debian/bookworm/batconv.deb.spdx.json
./debian/bookworm/libbatconv9_9_amd64.deb
./debian/bookworm/libbatconv9_9_amd64.deb.spdx.json
./debian/trixie/batconv.deb
./debian/trixie/batconv.deb.spdx.json
./debian/trixie/libbatconv9_9_amd64.deb
./debian/trixie/libbatconv9_9_amd64.deb.spdx.json
./rpm/batconv.rpm
./rpm/batconv.rpm.spdx.json
end
diff wanted list
rm wanted list
# Every line of the report after the times has a size, a sum and a file.
grep -qE "^[0-9a-f]{64} [0-9]+ \./batconv-$version\.tar\.xz\$" "$out/REPORT"
grep -q 'debian/bookworm/libbatconv9_9_amd64.deb$' "$out/batconv.wheel"
[ "$(tar -xOf "$out/batconv-$version.tar.xz" docs/stability.md | sha256sum)" = "$(sha256sum <docs/stability.md)" ]

printf '#!/bin/sh\necho it rains\nexit 1\n' >.ci/run
commit 'a check that fails'
release --fast 1 'ci failed'
[ ! -e "$out/SHA256SUMS" ]
echo 'scripts/release: 6 wrong things found, 3 releases'
