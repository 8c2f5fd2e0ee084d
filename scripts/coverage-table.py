#!/usr/bin/env python3
"""The table of scripts/coverage: coverage-table.py SUMMARY.json [PAGE.md]

SUMMARY.json is gcovr's.  With PAGE.md the tables there, between two comments, are replaced.
Exit 1: a parser has 95 % of its lines or less, or a name below is of no file."""
import fnmatch
import json
import sys

LEAST = 95.0

# What reads bytes or text that strangers made.
PARSERS = '''
bat/cursor.[ch] bat/decode.c bat/fields.c bat/parents.c bat/recognize.c
src/base/bytes.c src/base/hex.h src/base/json.c src/base/lines.c src/base/sparse.c src/base/text.c
src/elf/*.[ch]
src/code/labels.c src/code/jump_tables.c
src/isa/decoder.c src/isa/aarch64.c src/isa/riscv.c src/isa/x86*.[ch]
src/samples/*.[ch] src/samples/perf_data/*.[ch] src/samples/perf_script/*.[ch]
src/verify/table_json.c
src/address/resolver.c
'''.split()


def is_parser(name):
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in PARSERS)


def percent(covered, total):
    return '%.1f' % (100.0 * covered / total) if total else '-'


def row(name, files):
    numbers = [sum(f[key] for f in files) for key in ('line_covered', 'line_total', 'branch_covered', 'branch_total')]
    return '| %s | %d | %s | %s |' % (name, numbers[1], percent(*numbers[:2]), percent(*numbers[2:]))


def table(title, rows):
    return ['| ' + title + ' | lines | run, % | branches, % |', '| --- | ---: | ---: | ---: |'] + rows


def folders(files):
    by_folder = {}
    for f in files:
        by_folder.setdefault(f['filename'].rsplit('/', 1)[0], []).append(f)
    return [row('`%s`' % name, group) for name, group in sorted(by_folder.items())]


def main(summary, page=None):
    with open(summary) as file:
        files = sorted((f for f in json.load(file)['files'] if f['line_total']), key=lambda f: f['filename'])
    parsers = [f for f in files if is_parser(f['filename'])]
    low = [f for f in parsers if 100.0 * f['line_covered'] <= LEAST * f['line_total']]
    unknown = [p for p in PARSERS if not any(fnmatch.fnmatchcase(f['filename'], p) for f in files)]
    lines = table('directory', folders(files) + [row('all', files)])
    lines += [''] + table('parser', [row('`%s`' % f['filename'], [f]) for f in parsers] + [row('all parsers', parsers)])
    rest = [f for f in files if f not in parsers]
    if page:
        with open(page) as file:
            text = file.read()
        begin, end = text.index('<!-- table -->\n') + len('<!-- table -->\n'), text.index('<!-- /table -->')
        with open(page, 'w') as file:
            file.write(text[:begin] + '\n'.join(lines) + '\n' + text[end:])
    else:
        lines += [''] + table('other file', [row('`%s`' % f['filename'], [f]) for f in rest])
        print('\n'.join(lines))
    for f in low:
        print('%s: only %s %% of its lines are run' % (f['filename'], percent(f['line_covered'], f['line_total'])),
              file=sys.stderr)
    for pattern in unknown:
        print('no file: %s' % pattern, file=sys.stderr)
    return 1 if low or unknown else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
