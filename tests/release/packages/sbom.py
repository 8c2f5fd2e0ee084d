#!/usr/bin/env python3
"""scripts/sbom and scripts/linked: what a document says of small items that are made here, and that --check finds what is damaged.

sbom.py PROGRAM MAP   the static program of this build, or '' where there is none, and what the linker wrote of it
"""
import copy
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

SOURCE = os.environ['SOURCE']
PROGRAM, MAP = sys.argv[1:3] if len(sys.argv) > 2 else ('', '')
failures, left_out = [], []
os.environ['SOURCE_DATE_EPOCH'] = '1700000000'


def check(condition, text):
    if not condition:
        failures.append(text)


def sbom(*words):
    return subprocess.run([sys.executable, os.path.join(SOURCE, 'scripts/sbom'), *words], capture_output=True, text=True, check=False)


def document(item, *words):
    done = sbom(*words, item, '-o', item + '.spdx.json')
    if done.returncode:
        sys.exit('%s: %s' % (item, done.stderr))
    with open(item + '.spdx.json', encoding='utf-8') as file:
        text = file.read()
    done = sbom('--check', item + '.spdx.json')
    check(done.returncode == 0, '%s: not whole: %s' % (item, done.stdout + done.stderr))
    sbom(*words, item, '-o', 'again')
    with open('again', encoding='utf-8') as file:
        check(file.read() == text, '%s: another document the second time' % item)
    return json.loads(text)


def related(doc, kind):
    names = {row['SPDXID']: row for row in doc['packages'] + doc['files']}
    return [names[row['relatedSpdxElement']] for row in doc['relationships'] if row['relationshipType'] == kind]


def license_of(doc, name):
    return next(row['licenseConcluded'] for row in doc['files'] if row['fileName'] == './' + name)


OWN = 'Apache-2.0 WITH LLVM-exception'
PAGE = OWN + ' AND BSD-3-Clause AND MIT'


def sources():
    names = ['README.md', 'inputs/demo/demo.bolt', 'src/figures/page.html', 'src/base/error.h', 'inputs/unpack']
    with tarfile.open('batconv-9.tar.xz', 'w:xz') as tar:
        for name in names:
            tar.add(os.path.join(SOURCE, name), 'batconv-9/' + name)
    doc = document('batconv-9.tar.xz')
    check(sorted(row['fileName'] for row in doc['files']) == sorted('./' + name for name in names), 'sources: other files')
    check(license_of(doc, 'src/base/error.h') == OWN and license_of(doc, 'inputs/demo/demo.bolt') == 'LicenseRef-public-domain' and
          license_of(doc, 'src/figures/page.html') == PAGE, 'sources: other licenses than in debian/copyright')
    check({'uplot', 'd3-shape'} < {row.get('name') for row in related(doc, 'CONTAINS')}, 'sources: the libraries of the page are not named')
    check(re.search('SQLite', doc['hasExtractedLicensingInfos'][0]['extractedText']), 'sources: what public domain means is not told')
    with open(os.path.join(SOURCE, 'README.md'), 'rb') as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    check(digest in json.dumps(doc), 'sources: no SHA-256 of README.md')
    return doc


def deb():
    os.makedirs('tree/DEBIAN')
    os.makedirs('tree/usr/bin')
    with open('tree/usr/bin/batconv', 'w', encoding='utf-8') as file:
        file.write('program\n')
    with open('tree/DEBIAN/control', 'w', encoding='utf-8') as file:
        file.write('Package: batconv\nVersion: 9\nArchitecture: amd64\nMaintainer: a <a@b>\nDescription: a\n'
                   'Depends: libelf1 (>= 0.142), libc6 (>= 2.34)\nRecommends: libdw1 | libdw1t64\n')
    subprocess.run(['dpkg-deb', '--root-owner-group', '-b', 'tree', 'batconv_9_amd64.deb'], stdout=subprocess.DEVNULL, check=True)
    doc = document('batconv_9_amd64.deb')
    asked = {row['name']: row['comment'] for row in related(doc, 'DEPENDS_ON')}
    check(asked == {'libelf1': 'libelf1 (>= 0.142)', 'libc6': 'libc6 (>= 2.34)', 'libdw1': 'libdw1 | libdw1t64'}, 'deb: it asks for %s' % asked)
    check(license_of(doc, 'usr/bin/batconv') == PAGE and doc['packages'][0]['name'] == 'batconv', 'deb: another license or name')


def rpm():
    with open('a.spec', 'w', encoding='utf-8') as file:
        file.write('Name: batconv\nVersion: 9\nRelease: 1\nSummary: a\nLicense: MIT\nRequires: elfutils-libelf >= 0.1\n%description\na\n%install\n'
                   'mkdir -p %{buildroot}/usr/bin\necho program >%{buildroot}/usr/bin/batconv\nln %{buildroot}/usr/bin/batconv %{buildroot}/usr/bin/other\n'
                   '%files\n/usr/bin/batconv\n/usr/bin/other\n')
    with tempfile.TemporaryDirectory(dir='/tmp') as top: # a path with a blank is none for rpmbuild
        subprocess.run(['rpmbuild', '-bb', '--quiet', '--define', '_topdir ' + top, '--define', '_rpmdir ' + top, '--define', '_rpmfilename a.rpm', 'a.spec'],
                       env=dict(os.environ, HOME=top, TMPDIR=top), capture_output=True, check=True)
        shutil.move(os.path.join(top, 'a.rpm'), 'batconv-9-1.x86_64.rpm')
    doc = document('batconv-9-1.x86_64.rpm')
    check({row['fileName'] for row in doc['files']} == {'./usr/bin/batconv', './usr/bin/other'}, 'rpm: other files')
    check([row['comment'] for row in related(doc, 'DEPENDS_ON')] == ['elfutils-libelf >= 0.1'], 'rpm: it asks for something else')


def wheel():
    with zipfile.ZipFile('batconv-9-py3-none-linux_x86_64.whl', 'w') as file:
        file.writestr('batconv/__init__.py', '"""a"""\n')
        file.write('/bin/sh', 'batconv/libbatconv.so')
    doc = document('batconv-9-py3-none-linux_x86_64.whl')
    check('libc.so.6' in {row['name'] for row in related(doc, 'DEPENDS_ON')}, 'wheel: the libraries that it needs are not named')


def program():
    name = 'batconv-9-' + os.uname().machine
    shutil.copy(PROGRAM, name)
    shutil.copy(MAP, 'map')
    done = subprocess.run([os.path.join(SOURCE, 'scripts/linked'), 'map'], capture_output=True, text=True, check=False)
    check(done.returncode == 0, 'scripts/linked: ' + done.stderr)
    with open('linked', 'w', encoding='utf-8') as file:
        file.write(done.stdout)
    doc = document(name, '--linked=linked')
    linked = {row['summary'].split()[0]: row['summary'].split()[1] for row in related(doc, 'STATIC_LINK')}
    licenses = subprocess.run([os.path.join(SOURCE, 'scripts/licenses'), 'linked'], capture_output=True, text=True, check=False)
    check(licenses.returncode == 0, 'scripts/licenses: ' + licenses.stderr)
    for words in [row['name'] + ' ' + row['versionInfo'] for row in related(doc, 'STATIC_LINK')] + [
            'Apache License', 'Leon Sorokin', 'GNU LESSER GENERAL PUBLIC LICENSE\n                       Version 2.1', 'The above copyright notice and this permission notice']:
        check(words in licenses.stdout, 'scripts/licenses: no ' + words)
    # The versions that the program reports of itself, compared with those of the packages that were linked.
    told = dict(line.split(': ', 1) for line in subprocess.run([PROGRAM, 'version'], capture_output=True, text=True, check=True).stdout.splitlines()[1:])
    for library, package in ('libseccomp', 'libseccomp'), ('libyaml', 'libyaml'), ('zstd', 'libzstd'), ('lzma', 'xz-utils'), ('zlib', 'zlib'):
        check(linked.get(package, '').startswith(told[library]), '%s: the program says %s, the document %s' % (library, told[library], linked.get(package)))
    check({'elfutils', 'glibc', 'gcc'} < linked.keys(), 'linked: only %s' % linked)
    check('LGPL-2.1-or-later' in doc['packages'][0]['licenseConcluded'], 'the license of the C library is not that of the whole')
    # Packages for another machine are of sources with a version of their own.
    with open('cross', 'w', encoding='utf-8') as file:
        file.write('/c.a\tlibc6-dev-arm64-cross\t2.36-8cross1\tcross-toolchain-base\tall\t\n'
                   '/g.a\tlibgcc-12-dev-arm64-cross\t12.2.0-14cross1\tgcc-12-cross\tall\t\n'
                   '/l.a\tliblzma-dev\t5.6.1+really5.4.5-1\txz-utils\tarm64\t\n')
    doc = document(name, '--linked=cross')
    told = [(row['summary'], row['licenseConcluded']) for row in related(doc, 'STATIC_LINK')]
    check(told == [('glibc 2.36', 'LGPL-2.1-or-later'), ('gcc 12.2.0', 'GPL-3.0-or-later WITH GCC-exception-3.1'), ('xz-utils 5.4.5', 'LicenseRef-public-domain')],
          'for another machine: %s' % told)
    with open('linked', 'a', encoding='utf-8') as file:
        file.write('/usr/lib/libnew.a\tlibnew-dev\t1-1\tnew\tamd64\t\n')
    done = sbom('--linked=linked', name, '-o', 'none')
    check(done.returncode == 1 and 'libnew.a: is of new, whose license is not in scripts/sbom' in done.stderr and not os.path.exists('none'),
          'a library whose license is not known: %s' % done.stderr)


def damage(doc):
    """(what, words of --check)"""
    def changed(change):
        other = copy.deepcopy(doc)
        change(other)
        return other
    yield changed(lambda d: d.pop('spdxVersion')), 'no spdxVersion'
    yield changed(lambda d: d.update(spdxVersion='SPDX-2.2')), 'another version'
    yield changed(lambda d: d.update(documentNamespace='batconv#1')), 'no URI'
    yield changed(lambda d: d['creationInfo'].update(created='today')), 'a bad time'
    yield changed(lambda d: d['creationInfo'].update(creators=['somebody'])), 'a bad time or creator'
    yield changed(lambda d: d['packages'][0].pop('downloadLocation')), 'no downloadLocation'
    yield changed(lambda d: d['packages'][1].update(SPDXID='d3')), 'a bad SPDXID'
    yield changed(lambda d: d['packages'][1].update(licenseConcluded='Apache 2')), 'no license that is known'
    yield changed(lambda d: d['files'][0].update(licenseConcluded='(MIT')), 'parentheses'
    yield changed(lambda d: d['files'][1].update(SPDXID=d['files'][0]['SPDXID'])), 'there twice'
    yield changed(lambda d: d['files'][0]['checksums'].pop(0)), 'no SHA-1'
    yield changed(lambda d: d['files'][0]['checksums'][0].update(checksumValue='12')), 'a bad checksum'
    yield changed(lambda d: d['files'][0]['checksums'][0].update(checksumValue='0' * 40)), 'not that of the files'
    yield changed(lambda d: d['packages'][0]['checksums'][1].update(checksumValue='0' * 64)), 'not those of'
    yield changed(lambda d: d['relationships'][1].update(relatedSpdxElement='SPDXRef-None')), 'which is not there'
    yield changed(lambda d: d['relationships'].pop()), 'nothing leads to'
    yield changed(lambda d: d['relationships'][1].update(relationshipType='HOLDS')), 'of no kind'
    yield changed(lambda d: d.pop('hasExtractedLicensingInfos')), 'no license that is known'


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        doc = sources()
        asked = {}
        for other, words in damage(doc):
            asked['damaged-%d.json' % len(asked)] = words
            with open(list(asked)[-1], 'w', encoding='utf-8') as file:
                json.dump(other, file)
        with open('damaged.json', 'w', encoding='utf-8') as file:
            file.write('{')
        done = sbom('--check', *asked, 'damaged.json')
        check(done.returncode == 1, '--check takes what is damaged')
        for name, words in dict(asked, **{'damaged.json': 'is no JSON'}).items():
            told = [line for line in done.stdout.splitlines() if line.startswith(name + ': ')]
            check(any(words in line for line in told), '--check does not say %r: %s' % (words, told))
        with open('other.zip', 'wb') as file:
            file.write(b'PK')
        check('of no kind that is known' in sbom('other.zip', '-o', 'none').stderr, 'it takes an item of no kind')
        wheel()
        for tool, step in ('dpkg-deb', deb), ('rpmbuild', rpm):
            if shutil.which(tool):
                step()
            else:
                left_out.append('no ' + tool)
        if PROGRAM and shutil.which('dpkg-query'):
            program()
        else:
            left_out.append('no static program, or no dpkg')
        os.chdir('/')
    for failure in failures:
        print('FAILED:', failure)
    print('documents of five kinds of items, %d kinds of damage' % (len(asked) + 1))
    if failures:
        sys.exit(1)
    if left_out:
        print('skipped in part:', ', '.join(left_out))
        sys.exit(1 if os.environ.get('BATCONV_REQUIRE_PEERS') == '1' else 77)


main()
