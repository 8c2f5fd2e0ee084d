#!/usr/bin/env python3
"""Manual pages compared with what they describe: every option of --help and no other, every function of the headers with its
types, examples that compile, references that lead somewhere; mandoc and man have nothing to say of them; as HTML
(scripts/man-html) all are in the index, and every link between them leads somewhere.

mandoc or man that is not there is named and left out (exit 77); with BATCONV_REQUIRE_PEERS=1 that is a failure.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

BATCONV = os.path.abspath(os.environ['BATCONV'])
SOURCE = os.environ['SOURCE']
MAN = os.path.join(SOURCE, 'docs/man')
HEADERS = {'libbat.3': ['bat/bat.h'],
           'libbatconv.3': ['batconv/%s.h' % name for name in ('address', 'maps', 'image', 'resolve', 'translate', 'capture')]}
SETUP = {'libbat.3': '#include <bat/bat.h>\n#include <stdio.h>\nint example(const uint8_t *desc, size_t size, uint64_t address);\n'
                     'int example(const uint8_t *desc, size_t size, uint64_t address)\n',
         'libbatconv.3': '#include <batconv/resolve.h>\n#include <stdio.h>\nint example(uint32_t pid, struct batconv_run_addr at);\n'
                         'int example(uint32_t pid, struct batconv_run_addr at)\n'}
wrong = []


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def help_options(text):
    found = set()
    for line in text.split('options:\n', 1)[1].splitlines():
        match = re.match(r' {2,6}(-\w, )?(--?[\w-]+)', line)
        if match:
            found |= {match[2]} | ({match[1][:2]} if match[1] else set())
    return found


def page_options(page):
    found = set()
    for line in read(os.path.join(MAN, page)).splitlines():
        if line.startswith('.It Fl '):
            found |= {'-' + name for name in re.findall(r'(?:\bFl |, (?!Fl\b))(-?\w[\w-]*)', line)}
    return found


def check_options(page, text):
    """LLVM's programs take options with one dash or two."""
    asked, told = ({option.lstrip('-') for option in options} for options in (help_options(text), page_options(page)))
    if asked != told:
        wrong.append('%s: not in the page: %s; not in --help: %s' % (page, sorted(asked - told), sorted(told - asked)))
    return len(told)


def check_words():
    """The words that a value can be are in the page, wherever it lists one of them, and what it lists there the option takes."""
    count = 0
    for row in output(BATCONV, 'help', '--table').splitlines():
        kind, command, *fields = row.split('\t')
        if kind != 'option' or not fields[5].strip('-'):
            continue
        name, words = fields[1], fields[5].split()
        page = 'batconv.1' if command == 'convert' else 'batconv-%s.1' % command
        item = re.search(r'^\.It Fl [^\n]*(?<!\w)-%s\b.*?(?=^\.It Fl|^\.S[hs])' % re.escape(name), read(os.path.join(MAN, page)), re.M | re.S)
        text = item[0].split('\n', 1)[1] if item else ''
        listed = re.findall(r'^\.(?:It )?Cm (\S+)', text, re.M)
        if not set(words) & set(listed):
            continue
        count += 1
        absent = [word for word in words if not re.search(r'\b%s\b' % re.escape(word), text)]
        if absent:
            wrong.append('%s: --%s takes %s, which the page does not have' % (page, name, ', '.join(absent)))
    print('%d lists of words in the pages' % count)


def check_commands():
    commands = re.findall(r'^  (\w+) ', output(BATCONV, 'help'), re.M)
    count = 0
    for command in commands:
        page = 'batconv.1' if command == 'convert' else 'batconv-%s.1' % command
        if not os.path.exists(os.path.join(MAN, page)):
            wrong.append('%s has no page %s' % (command, page))
        elif command != 'help':
            count += len(page_options(page))
        if '.It Cm %s\n' % command not in read(os.path.join(MAN, 'batconv.1')):
            wrong.append('batconv.1 does not name %s' % command)
    done = subprocess.run([os.path.join(SOURCE, 'scripts/man-options'), '--check', BATCONV], capture_output=True, text=True, check=False)
    if done.returncode:
        wrong.append('the lists of options are not those of the program:\n' + done.stdout + done.stderr)
    with tempfile.TemporaryDirectory() as folder:
        for name in 'perf2bolt', 'merge-fdata', 'llvm-bolt-heatmap':
            link = os.path.join(folder, name)
            os.symlink(BATCONV, link)
            count += check_options('batconv-%s.1' % name, output(link, '--help'))
    print('%d options in the pages of %d commands' % (count, len(commands) + 3))


def tidy(text):
    return re.sub(r'\s*([*(),])\s*', r'\1', ' '.join(text.replace('"', '').split()))


def header_functions(name):
    text = re.sub(r'/\*.*?\*/', '', read(os.path.join(SOURCE, 'include', name)), flags=re.S)
    text = re.sub(r'^#.*(?:\\\n.*)*', '', text, flags=re.M)
    found = re.findall(r'(?:BAT|BATCONV)_API\s+(?:\w+_MUST_USE\s+)?([\w\s*]+?)(\w+)\s*\(([^;]*)\);', text)
    return {function: (tidy(kind), tidy(arguments)) for kind, function, arguments in found}


def page_functions(page):
    found = {}
    text = re.sub(r'\.Fo (\S+)\n((?:\.Fa .*\n)+)\.Fc',
                  lambda m: '.Fn %s %s' % (m[1], ' '.join(re.findall(r'\.Fa (.*)', m[2]))), read(os.path.join(MAN, page)))
    for kind, function, arguments in re.findall(r'\.Ft (.*)\n\.Fn (\S+) (.*)', text):
        words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', arguments)]
        found[function] = (tidy(kind), tidy(','.join(words)))
    return found


def check_functions():
    for page, headers in HEADERS.items():
        declared = {}
        for header in headers:
            declared.update(header_functions(header))
        told = page_functions(page)
        if len(declared) < 10:
            wrong.append('%s: only %d functions found in its headers' % (page, len(declared)))
        for function in sorted(declared.keys() | told.keys()):
            if declared.get(function) != told.get(function):
                wrong.append('%s: %s: header %s, page %s' % (page, function, declared.get(function), told.get(function)))
        print('%d functions in %s' % (len(told), page))


def check_examples():
    for page, setup in SETUP.items():
        blocks = re.findall(r'^\.Bd -literal.*\n((?:.*\n)*?)\.Ed', read(os.path.join(MAN, page)).split('.Sh EXAMPLES')[1], re.M)
        for block in blocks:
            code = setup + '{\n' + block.replace('\\e', '\\') + 'return 0;\n}\n'
            done = subprocess.run(['cc', '-std=c11', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', '-I', os.path.join(SOURCE, 'include'),
                                   '-x', 'c', '-'], input=code, capture_output=True, text=True, check=False)
            if done.returncode:
                wrong.append('%s: the example does not compile:\n%s' % (page, done.stderr))


def check_references(pages):
    ours = {os.path.basename(page) for page in pages} | {'batconv-convert.1'}
    for page in pages:
        for name, section in re.findall(r'^\.Xr (\S+) (\d)', read(page), re.M):
            if name.startswith(('batconv', 'libbat')) and '%s.%s' % (name, section) not in ours:
                wrong.append('%s: there is no %s(%s)' % (os.path.basename(page), name, section))


def check_tools(pages):
    """One of mandoc's messages is about this machine: which other pages are installed here."""
    absent = []
    if shutil.which('mandoc'):
        done = subprocess.run(['mandoc', '-Tlint', *pages], capture_output=True, text=True, check=False)
        wrong.extend(line for line in done.stdout.splitlines() if 'referenced manual not found' not in line)
    else:
        absent.append('mandoc')
    if shutil.which('man') and shutil.which('groff'):
        for page in pages:
            done = subprocess.run(['man', '--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', page], capture_output=True, text=True,
                                  env=dict(os.environ, LC_ALL='C.UTF-8', MANROFFSEQ='', MANWIDTH='80'), check=False)
            # groff 1.23 reports lines that it cannot fill, too: they hold a word that is longer than what is left, as an address does.
            said = [line for line in done.stderr.splitlines() if not re.search(r'warning.*: cannot (adjust|break) line$', line)]
            if said or done.returncode:
                wrong.append('%s: man: %s' % (os.path.basename(page), '\n'.join(said)))
    else:
        absent.append('man')
    return absent


def check_html(pages):
    """Without mandoc there is none, which check_tools has reported."""
    if not shutil.which('mandoc'):
        return
    with tempfile.TemporaryDirectory() as folder:
        output(os.path.join(SOURCE, 'scripts/man-html'), folder)
        texts = {name: read(os.path.join(folder, name)) for name in os.listdir(folder)}
    ids = {name: set(re.findall(r'\bid="([^"]*)"', text)) for name, text in texts.items()}
    asked = {os.path.basename(page) + '.html' for page in pages} | {'index.html'}
    if asked != set(texts):
        wrong.append('pages as HTML: %s' % sorted(asked ^ set(texts)))
    listed = re.findall(r'<a href="([^"]*)">', texts['index.html'])
    if sorted(listed) != sorted(asked - {'index.html'}) or re.search(r'<dd>\s*</dd>', texts['index.html']):
        wrong.append('index.html does not list every page with what it is about')
    links = 0
    for name, text in texts.items():
        for link in re.findall(r'\bhref="([^"]*)"', text):
            page, _, place = link.partition('#')
            links += 1
            if not link.startswith('https://manpages.debian.org/') and (page and page not in texts or place and place not in ids[page or name]):
                wrong.append('%s: %s leads nowhere' % (name, link))
    print('%d pages as HTML, with %d links' % (len(texts), links))


def main():
    pages = sorted(glob.glob(os.path.join(MAN, '*.[13]')))
    check_commands()
    check_words()
    check_functions()
    check_examples()
    check_references(pages)
    absent = check_tools(pages)
    check_html(pages)
    for line in wrong:
        print(line)
    if wrong:
        sys.exit('%d wrong' % len(wrong))
    if absent:
        print('skipped, as it is not installed:', ', '.join(absent))
        sys.exit(1 if os.environ.get('BATCONV_REQUIRE_PEERS') == '1' else 77)


main()
