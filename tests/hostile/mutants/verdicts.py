"""What was found: results of a run, verdicts of people, and the table made of both."""
import collections
import os
import re

VERDICTS = ('equivalent', 'gap', 'accepted')
HEAD = 'id\tverdict\tfile\tfunction\tbefore\tafter\treason\n'


class Verdicts:
    """tests/hostile/mutants/verdicts.tsv.  A row belongs to a mutant by its id, which is made of file, function and text."""

    def __init__(self, path):
        self.path, self.rows = path, {}
        if not os.path.exists(path):
            return
        with open(path) as file:
            for number, line in enumerate(file, 1):
                words = line.rstrip('\n').split('\t')
                if line == HEAD:
                    continue
                if len(words) != 7 or words[1] not in VERDICTS or not words[6]:
                    raise SystemExit('%s:%d: not id, verdict (%s), file, function, before, after, reason' % (
                        path, number, ', '.join(VERDICTS)))
                self.rows[words[0]] = words

    def of(self, id):
        return self.rows[id][1] if id in self.rows else ''

    def reason(self, id):
        return self.rows[id][6] if id in self.rows else ''

    def add(self, mutant, verdict, reason):
        self.rows[mutant.id] = [mutant.id, verdict, mutant.path, mutant.function, mutant.before, mutant.after, reason]
        with open(self.path, 'w') as file:
            file.write(HEAD)
            for words in sorted(self.rows.values(), key=lambda w: (w[2], w[3], w[4], w[5], w[0])):
                file.write('\t'.join(words) + '\n')


def folder_of(path):
    """src/samples/perf_data/x.c is of src/samples/perf_data."""
    return os.path.dirname(path)


def count(mutants, results, verdicts):
    """{directory: Counter of made, killed, survived, equivalent}"""
    table = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        row = table[folder_of(mutant.path)]
        result = results[mutant.id][0]
        row['made'] += 1
        if result != 'survived':
            row['killed'] += 1
            row['hang'] += result == 'hang'
        else:
            row[verdicts.of(mutant.id) or 'unjudged'] += 1
    return table


def rows_of_page(path):
    """The table of the page, as count() makes it."""
    with open(path) as file:
        table = re.search(r'<!-- table:.*?<!-- end of table -->', file.read(), re.S)[0]
    rows = re.findall(r'^\| `([^`]+)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|', table, re.M)
    return {folder: collections.Counter(dict(zip(('made', 'killed', 'equivalent', 'accepted', 'gap'), map(int, numbers))))
            for folder, *numbers in rows}


def score(row):
    alive = row['made'] - row['equivalent']
    return '%.1f %%' % (100 * row['killed'] / alive) if alive else '-'


def table_text(table):
    lines = ['| directory | made | killed | equivalent | accepted | gaps | score |', '| --- | ---: | ---: | ---: | ---: | ---: | ---: |']
    total = collections.Counter()
    for folder in sorted(table):
        total.update(table[folder])
    for folder, row in [*sorted(table.items()), ('all', total)]:
        lines.append('| %s | %d | %d | %d | %d | %d | %s |' % (
            folder if folder == 'all' else '`%s`' % folder, row['made'], row['killed'], row['equivalent'], row['accepted'],
            row['gap'] + row['unjudged'], score(row)))
    return '\n'.join(lines) + '\n'


def update_page(path, text):
    """Between the two marks of the page."""
    with open(path) as file:
        page = file.read()
    page, changed = re.subn(r'(<!-- table: [^\n]*-->\n).*?(<!-- end of table -->)', lambda m: m[1] + text + m[2], page, flags=re.S)
    if changed != 1:
        raise SystemExit('%s: no place for the table' % path)
    with open(path, 'w') as file:
        file.write(page)
