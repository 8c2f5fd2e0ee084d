"""Small wrongs that a text of C can have, one at a time: mutants(path, text).

Only code is changed: no comment, no text, no preprocessor line, nothing within an assert (which is there to fail), and no
call that frees (leaks are for LeakSanitizer, under which every test runs, too).
"""
import collections
import hashlib
import re

TOKEN = re.compile(r'''
    (?P<skip> /\*.*?\*/ | //[^\n]* | ^[ \t]*\#(?:[^\n\\]|\\.)*(?=\n) | \s+ )
  | (?P<text> "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*' )
  | (?P<number> (?:0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]* )
  | (?P<name> [A-Za-z_]\w* )
  | (?P<op> <<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|. )
''', re.X | re.S | re.M)

Token = collections.namedtuple('Token', 'kind text start end')

# An operator, and what replaces it.  Those of two operands only, which is looked after.
RELATION = {'<': '<=', '<=': '<', '>': '>=', '>=': '>', '==': '!=', '!=': '=='}
LOGIC = {'&&': '||', '||': '&&'}
SUM = {'+': '-', '-': '+', '+=': '-=', '-=': '+=', '++': '--', '--': '++', '/': '*', '%': '/'}
MASK = {'&': '|', '|': '&', '<<': '>>', '>>': '<<', '&=': '|=', '|=': '&=', '^': '|'}

KEYWORDS = {'if', 'for', 'while', 'switch', 'return', 'sizeof', 'do', 'else', 'case', 'default', 'goto', 'break', 'continue',
            'struct', 'union', 'enum', 'static', 'const', 'typedef', 'extern', 'inline', 'void', 'unsigned', 'volatile'}
ASSIGNS = {'=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '++', '--'}
FREES = re.compile(r'(^|_)(free|close|unmap|munmap|destroy|release|drop|end)$')
ASSERTS = {'assert', 'static_assert', '_Static_assert'}


class Mutant:
    """`before` and `after`: the lines of the change, in one.  `id` is made of them, and outlives what changes elsewhere."""

    def __init__(self, path, function, operator, start, end, text):
        self.path, self.function, self.operator = path, function, operator
        self.start, self.end, self.text = start, end, text
        self.line = self.before = self.after = self.id = None

    def describe(self, source):
        first = source.rfind('\n', 0, self.start) + 1
        last = source.find('\n', self.end)
        last = len(source) if last < 0 else last
        self.line = source.count('\n', 0, self.start) + 1
        self.before = ' '.join(source[first:last].split())
        self.after = ' '.join((source[first:self.start] + self.text + source[self.end:last]).split())

    def key(self):
        return self.path, self.function, self.before, self.after

    def apply(self, source):
        # As many lines as before: asserts keep theirs.
        return source[:self.start] + self.text + '\n' * source.count('\n', self.start, self.end) + source[self.end:]


def tokens_of(source):
    """Those that are code."""
    found = []
    for match in TOKEN.finditer(source):
        if match.lastgroup != 'skip':
            found.append(Token(match.lastgroup, match[0], match.start(), match.end()))
    return found


class Reader:
    """Brackets and functions of one file."""

    def __init__(self, source):
        self.source, self.tokens = source, tokens_of(source)
        self.close, self.open = {}, {}
        stack = []
        for i, token in enumerate(self.tokens):
            if token.text in '([{' and token.kind == 'op':
                stack.append(i)
            elif token.text in ')]}' and token.kind == 'op' and stack:
                self.open[i] = stack.pop()
                self.close[self.open[i]] = i
        self.functions = self.find_functions()
        self.quiet = self.find_quiet()

    def text(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ''

    def find_functions(self):
        """For every token: the function around it, or the name of the variable at the top, or '-'; and whether it is code."""
        found, i, name = [], 0, '-'
        while i < len(self.tokens):
            token = self.tokens[i]
            if token.text == ';':
                name = '-'
            elif token.kind == 'name' and self.text(i + 1) in ('(', '=', '[') and name == '-':
                name = token.text
            if token.text == '{' and i in self.close:
                code = self.text(i - 1) == ')'
                found += [(name, code)] * (self.close[i] - i + 1)
                i = self.close[i] + 1
                name = '-' if code else name
                continue
            found.append((name, False))
            i += 1
        return found

    def find_quiet(self):
        """What is not changed: tokens within an assert."""
        quiet = set()
        for i, token in enumerate(self.tokens):
            if token.text in ASSERTS and self.text(i + 1) == '(':
                quiet.update(range(i, self.close.get(i + 1, i) + 1))
        return quiet

    def in_code(self, i):
        return self.functions[i][1] and i not in self.quiet

    def has_left(self, i):
        """Is there an operand before token i?"""
        before = self.tokens[i - 1] if i else None
        if not before:
            return False
        if before.kind in ('name', 'number', 'text'):
            return before.text not in KEYWORDS
        return before.text in (')', ']') and not self.is_cast(i - 1)

    def is_cast(self, close):
        inner = [t.text for t in self.tokens[self.open.get(close, close) + 1:close]]
        before = self.text(self.open.get(close, close) - 1)
        return bool(inner) and before not in KEYWORDS - {'return', 'case'} and not re.match(r'\w', before or ' ') and (
            inner[0] in KEYWORDS or inner[-1] == '*' or len(inner) == 1 and bool(re.match(r'u?int\d+_t$|size_t$|char$|int$', inner[0])))

    def is_declared(self, i):
        """Is the * or & at i of a declaration (struct x *y)?"""
        return self.text(i) == '*'

    def begins_statement(self, i):
        before = self.text(i - 1)
        if before in (';', '{', '}', 'else'):
            return True
        return before == ')' and self.text(self.open.get(i - 1, i) - 1) in ('if', 'for', 'while')


def numbers(token):
    """Other numbers for a number: its neighbors, or a mask with a bit less."""
    match = re.match(r'(0[xX][0-9a-fA-F]+|\d+)(\w*)$', token.text)
    digits, suffix = match[1], match[2]
    if digits[:2] in ('0x', '0X'):
        value = int(digits, 16)
        others = [value >> 1, value ^ 1]
        return ['%#x%s' % (n, suffix) for n in dict.fromkeys(others) if n != value]
    value = int(digits, 10) if digits == '0' or digits[0] != '0' else int(digits, 8)
    return ['%d%s' % (n, suffix) for n in (value + 1, value - 1) if n >= 0]


class Maker:
    def __init__(self, path, source):
        self.path, self.source, self.r, self.made = path, source, Reader(source), []

    def add(self, operator, first, last, text):
        r = self.r
        self.made.append(Mutant(self.path, r.functions[first][0], operator, r.tokens[first].start, r.tokens[last].end, text))

    def operators(self, i, token):
        for name, table in (('relation', RELATION), ('logic', LOGIC), ('sum', SUM), ('mask', MASK)):
            if token.kind != 'op' or token.text not in table:
                continue
            if token.text in ('++', '--'):
                if not self.r.text(i + 1) == ')':  # the steps of loops: they would never end
                    self.add(name, i, i, table[token.text])
            elif self.r.has_left(i) and self.r.text(i + 1) != '=':
                self.add(name, i, i, table[token.text])
        if token.text == '!' and token.kind == 'op':
            self.add('not', i, i, '')
        if token.text == '?' and token.kind == 'op':
            self.add('choice', i, i, '&& 0 ?')
            self.add('choice', i, i, '|| 1 ?')

    def constants(self, i, token):
        if token.kind == 'number' and not (self.r.text(i - 1) == '{' and self.r.text(i + 1) == '}'):
            for text in numbers(token):
                self.add('constant', i, i, text)
        elif token.text in ('true', 'false') and self.r.text(i - 1) == 'return':
            self.add('result', i, i, 'false' if token.text == 'true' else 'true')

    def conditions(self, i, token):
        if token.text != 'if' or self.r.text(i + 1) != '(':
            return
        close = self.r.close[i + 1]
        first, last = i + 2, close - 1
        condition = self.source[self.r.tokens[first].start:self.r.tokens[last].end]
        leaves = self.r.text(close + 1) in ('return', 'goto', 'continue', 'break')
        self.add('guard' if leaves else 'condition', first, last, '0 && (%s)' % condition if leaves else '!(%s)' % condition)

    def statements(self, i, token):
        r = self.r
        if token.text in ('break', 'continue') and r.text(i + 1) == ';':
            # A case may need its end, or control reaches what was never meant.
            self.add('statement', i, i, '')
        if not r.begins_statement(i) or token.text in KEYWORDS:
            return
        if not (token.kind == 'name' and r.text(i + 1) in ASSIGNS | {'(', '.', '->', '['} or token.text in ('*', '++', '--')):
            return
        end = i
        while end < len(r.tokens) and r.text(end) != ';':
            end = r.close.get(end, end) + 1
        if r.text(i + 1) == '(' and (FREES.search(token.text) or token.text.isupper()):
            return
        self.add('statement', i, end - 1, '')

    def arguments(self, i, token):
        """f(a, b) -> f(b, a), where both are names."""
        r = self.r
        if token.kind != 'name' or token.text in KEYWORDS or r.text(i + 1) != '(':
            return
        parts, begin = [], i + 2
        for j in range(i + 2, r.close[i + 1] + 1):
            if r.text(j) in (',', ')') and r.open.get(j, i + 1) == i + 1:
                parts.append((begin, j - 1))
                begin = j + 1
        for (a, a_end), (b, b_end) in zip(parts, parts[1:]):
            one, other = (self.source[r.tokens[x].start:r.tokens[y].end] for x, y in ((a, a_end), (b, b_end)))
            if one != other and all(re.match(r'[A-Za-z_]\w*((->|\.)\w+)*$', text) for text in (one, other)):
                between = self.source[r.tokens[a_end].end:r.tokens[b].start]
                self.add('arguments', a, b_end, other + between + one)

    def all(self):
        for i, token in enumerate(self.r.tokens):
            if self.r.in_code(i):
                self.operators(i, token)
                self.constants(i, token)
                self.conditions(i, token)
                self.statements(i, token)
                self.arguments(i, token)
        return self.made


def mutants(path, source):
    """All of a file, in its order."""
    made, seen = [], collections.Counter()
    for mutant in Maker(path, source).all():
        mutant.describe(source)
        seen[mutant.key()] += 1
        words = mutant.key() + (str(seen[mutant.key()]),)
        mutant.id = hashlib.sha1('\0'.join(words).encode()).hexdigest()[:10]
        made.append(mutant)
    return made
