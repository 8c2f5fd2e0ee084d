#!/usr/bin/env python3
"""batconv report in a browser: Debian's chromium shows the pages, clicks, types, and reports what they ask for and say.

Numbers on the page are those of quality --json, in words that words.py has a second time; heat is added up block by block with
the keyboard and held against what is in the file.  Without chromium: exit 77; with BATCONV_REQUIRE_PEERS=1 that is a failure.
BROWSER_PICTURES=FOLDER keeps what the pages look like.  Words choose parts: report.py truths looks
"""
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
import time

import browser
import made_pages
import real_pages

BATCONV = os.path.abspath(os.environ['BATCONV'])
INPUTS = os.path.abspath(os.environ['INPUTS'])
SOURCE = os.path.abspath(os.environ['SOURCE'])


class Run:
    """What every check needs: the browser, a directory, and a list for what is wrong."""

    def __init__(self, chromium, folder):
        self.chromium, self.folder = chromium, folder
        self.template = os.path.join(SOURCE, 'src/figures/page.html')
        self.inputs, self.source = INPUTS, SOURCE
        self.wrong, self.checks = [], 0

    def check(self, what, is_so):
        self.checks += 1
        if not is_so:
            self.wrong.append(what)
            print('wrong: ' + what)

    def equal(self, what, got, wanted):
        self.check('%s: %r, not %r' % (what, got, wanted), got == wanted)

    def batconv(self, *words, codes=(0,)):
        done = subprocess.run([BATCONV, *words], capture_output=True, text=True)
        if done.returncode not in codes:
            sys.exit('batconv %s: exit %d\n%s' % (' '.join(words), done.returncode, done.stderr))
        return done.stdout

    def report(self, name, binary, samples, *options, codes=(0,)):
        path = os.path.join(self.folder, name + '.html')
        self.batconv('report', binary, *samples, '-o', path, *options, codes=codes)
        return path

    def quality(self, binary, samples, *options, codes=(0,)):
        return json.loads(self.batconv('quality', '--json', binary, *samples, *options, codes=codes))

    def open(self, path, **how):
        """A page that is open; seconds: how long that took."""
        page = self.chromium.page(**how)
        page.seconds = page.open('file://' + urllib.parse.quote(path))
        page.path = path
        return page

    def close(self, page, what):
        """What holds of every page at its end."""
        self.equal('%s: asked for' % what, [url for url in page.asked if urllib.parse.unquote(url) != 'file://' + page.path], [])
        self.equal('%s: said on the console' % what, page.said, [])
        self.equal('%s: dialogs' % what, page.dialogs, [])
        page.close()

    def picture(self, page, name):
        if os.environ.get('BROWSER_PICTURES'):
            page.picture(os.path.join(os.environ['BROWSER_PICTURES'], name + '.png'), whole=True)


def main():
    if not browser.program():
        print('skipped: no chromium here (apt install chromium)')
        sys.exit(1 if os.environ.get('BATCONV_REQUIRE_PEERS') == '1' else 77)
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as chromium:
        run = Run(chromium, folder)
        for part in [part for part in real_pages.PARTS + made_pages.PARTS if part.__name__ in sys.argv[1:] or not sys.argv[1:]]:
            begun = time.monotonic()
            part(run)
            print('%s: %s (%.1f s)' % (part.__module__, part.__doc__.split('.')[0], time.monotonic() - begun), flush=True)
    print('%d checks, %d wrong' % (run.checks, len(run.wrong)))
    sys.exit(1 if run.wrong else 0)


main()
