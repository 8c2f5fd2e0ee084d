#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `verify --sarif` prints has what GitHub's code scanning asks for: the rules GH2012 (texts of each rule), SARIF2005 (a page about the tool)
# and SARIF1004 (paths as URIs) of Microsoft's validator.  The validator runs where SARIF_MULTITOOL names it: npm's @microsoft/sarif-multitool.
. "$(dirname "$0")/../lib.sh"
own_folder
export BATCONV_NO_INPUT=1
mkdir 'a 100% file'
cp "$inputs/sqlite/sq.b15" 'a 100% file/b'
"$batconv" verify --sarif "$inputs/sqlite/sq.b15" >absolute.sarif
"$batconv" verify --sarif 'a 100% file/b' >relative.sarif
"$batconv" verify --sarif "$demo/demo.bolt" >nothing.sarif
python3 - ./*.sarif <<'END' || fail 'rules of GitHub'
import json
import re
import sys
import urllib.parse
import os

wrong = results = 0


def must(holds, what):
    global wrong
    if not holds:
        wrong += 1
        print(what)


for path in sys.argv[1:]:
    run, = json.load(open(path))['runs']
    driver = run['tool']['driver']
    must(re.match(r'https://', driver.get('informationUri', '')), '%s: no informationUri' % path)
    for rule in driver['rules']:
        for key in 'shortDescription', 'fullDescription', 'help':
            text = rule.get(key, {}).get('text', '')
            must(text and len(text) <= 1024, '%s: rule %s: %s: %r' % (path, rule['id'], key, text))
    for result in run['results']:
        results += 1
        must(driver['rules'][result['ruleIndex']]['id'] == result['ruleId'], '%s: a result of another rule' % path)
        for location in result['locations']:
            uri = location['physicalLocation']['artifactLocation']['uri']
            must(re.fullmatch(r"(file:///)?(?:[\w.~/-]|%[0-9A-F]{2})+", uri, re.A) and not uri.startswith('/'), '%s: no URI: %s' % (path, uri))
            name = urllib.parse.unquote(urllib.parse.urlparse(uri).path)
            must(os.path.exists(name), '%s: no such file: %s' % (path, name))
must(results >= 2, 'nothing was found in binaries of LLVM 15')
print('%d results, %d wrong' % (results, wrong))
sys.exit(wrong > 0)
END
if [ -n "${SARIF_MULTITOOL-}" ]; then
	DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$SARIF_MULTITOOL" validate ./*.sarif --rule-kind 'Sarif;Ghas' --level 'Error;Warning' --output validated --log ForceOverwrite >log
	grep -qE '^Done. 3 files scanned' log || { cat log; fail 'the validator'; }
	! grep -E ': (error|warning) ' log || fail 'the validator finds something'
else
	echo 'not validated by sarif-multitool: SARIF_MULTITOOL does not name it'
fi
finish
