"""Small changes of what batconv wrote, each of which recount must detect: (what, changed text) by a random generator.

A text that has nothing to change stays as it was.
"""
import json
import re


def head_lines(text):
    return sum(1 for line in text.splitlines() if re.match(r'boltedcollection|no_lbr|E ', line))


def with_line(change):
    """A change of one line that is not of the head."""
    def whole(random, text):
        lines = text.splitlines(True)
        if len(lines) == head_lines(text):
            return text
        at = random.randrange(head_lines(text), len(lines))
        lines[at] = change(random, lines[at])
        return ''.join(lines)
    return whole


def plus_one(random, line):
    return re.sub(r'(\d+)\n$', lambda m: '%d\n' % (int(m[1]) + 1), line)


def padded(random, line):
    return re.sub(r'(\d+)\n$', r'0\1\n', line)


def other_digit(random, line):
    """For an address or an offset, which is never the last number."""
    places = [m.start() for m in re.finditer(r'[0-9a-f](?=[0-9a-f]* )', line) if m.start() > 1]
    at = random.choice(places)
    return line[:at] + random.choice([d for d in '123456789abcdef' if d != line[at]]) + line[at + 1:]


def renamed(random, line):
    return re.sub(r'^([14]) (.)', lambda m: m[1] + (' b' if m[2] == 'a' else ' a'), line)


def mispredicted(random, line):
    return re.sub(r' (\d+) (\d+)\n$', lambda m: ' %d %s\n' % (int(m[1]) + 1, m[2]), line)


def swapped(random, text):
    lines = text.splitlines(True)
    if len(lines) < head_lines(text) + 2:
        return text
    at = random.randrange(head_lines(text), len(lines) - 1)
    lines[at:at + 2] = lines[at + 1], lines[at]
    return ''.join(lines)


def count_moved(random, text):
    """The sum stays."""
    lines = text.splitlines(True)
    many = [i for i in range(head_lines(text), len(lines)) if int(lines[i].split()[-1]) > 1]
    if not many or len(lines) < head_lines(text) + 2:
        return text
    source = random.choice(many)
    target = random.choice([i for i in range(head_lines(text), len(lines)) if i != source])
    for i, by in ((source, -1), (target, 1)):
        lines[i] = re.sub(r'(\d+)\n$', lambda m: '%d\n' % (int(m[1]) + by), lines[i])
    return ''.join(lines)


def headless(random, text):
    return ''.join(text.splitlines(True)[head_lines(text):])


LINES = {
    'a count + 1': with_line(plus_one),
    'a zero before a count': with_line(padded),
    'a digit of a place': with_line(other_digit),
    'a line dropped': with_line(lambda random, line: ''),
    'a line twice': with_line(lambda random, line: line + line),
    'an empty line': with_line(lambda random, line: line + '\n'),
    'two lines swapped': swapped,
    'a count moved': count_moved,
    'the last line cut': lambda random, text: text[:-1],
    'the head gone': headless,
}
FDATA = dict(LINES, **{'a name': with_line(renamed), 'a misprediction + 1': with_line(mispredicted)})


def yaml_number(pattern, by=1):
    def whole(random, text):
        found = list(re.finditer(pattern, text))
        if not found:
            return text
        m = random.choice(found)
        return text[:m.start(1)] + '%d' % (int(m[1]) + by) + text[m.end(1):]
    return whole


def functions_of(text):
    head, *functions = re.split(r'(?m)^(?=  - name:)', text)
    return head, functions


def yaml_functions(change):
    def whole(random, text):
        head, functions = functions_of(text)
        if len(functions) < 2:
            return text
        at = random.randrange(len(functions) - 1)  # after the last is the end of the document
        return head + ''.join(functions[:at] + change(functions[at]) + functions[at + 1:])
    return whole


YAML = {
    'a count + 1': yaml_number(r'cnt: (\d+)'),
    'a function\'s executions + 1': yaml_number(r'(?m)^    exec: +(\d+)'),
    'entries from outside + 1': yaml_number(r'(?m)^    extern: +(\d+)'),
    'a sample more': yaml_number(r'(?m)^        events: +(\d+)'),
    'another function\'s number': yaml_number(r'(?m)^    fid: +(\d+)'),
    'a function dropped': yaml_functions(lambda function: []),
    'a function twice': yaml_functions(lambda function: [function, function]),
    'a name': yaml_functions(lambda function: [re.sub(r'(name: +\'?)(.)', r'\1\2\2', function)]),
}

LEDGERS = ('samples', 'branches', 'traces', 'memory')


def dumped(report):
    """As batconv writes it."""
    return json.dumps(report) + '\n'


def ledger(change):
    def whole(random, text):
        report = json.loads(text)
        change(random, report[random.choice(LEDGERS)])
        return text if report == json.loads(text) else dumped(report)
    return whole


def add(key, by=1):
    def change(random, one):
        one[key] += by
    return change


def reason_more(random, one):
    one['dropped'][random.choice(sorted(one['dropped']))] += 1


def reason_instead(random, one):
    if one['kept']:
        one['kept'] -= 1
        reason_more(random, one)


def reason_gone(random, one):
    one['dropped'] = {key: value for key, value in one['dropped'].items() if not value}
    one['kept'] += one['read'] - one['kept'] - sum(one['dropped'].values())
    one['read'] += 1


def of_report(*path):
    def whole(random, text):
        report = json.loads(text)
        inner = report
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] += 1
        return dumped(report)
    return whole


STATS = {
    'read + 1': ledger(add('read')),
    'kept + 1': ledger(add('kept')),
    'read and kept + 1': ledger(lambda random, one: (add('read')(random, one), add('kept')(random, one))),
    'a reason + 1': ledger(reason_more),
    'dropped instead of kept': ledger(reason_instead),
    'reasons gone, and one read more': ledger(reason_gone),
    'records + 1': of_report('records'),
    'distinct + 1': of_report('distinct'),
    'the other mode': lambda random, text: re.sub(r'"mode": "\w', '"mode": "x', text),
}
YAML_STATS = {'lost + 1': of_report('yaml', 'lost'), 'functions + 1': of_report('yaml', 'functions')}
