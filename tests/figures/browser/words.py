"""How the page writes numbers, written a second time: what is there must be what quality --json says."""
from decimal import ROUND_HALF_UP, Decimal


def fixed(x, digits):
    """As JavaScript rounds: half of the last digit goes up."""
    return str(Decimal(x).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def count(n):
    return '{:,}'.format(n)


def three(x):
    if x >= 100:
        return fixed(x, 0)
    if x >= 10:
        return fixed(x, 1)
    return fixed(x, 2) if x >= 0.1 or x == 0 else '%.2g' % x


def ratio(x):
    return count(round(x)) if x >= 1000 else three(x)


def percent(p, digits=1):
    if 0 < p < 10 ** -digits / 2:
        return '< %.*f %%' % (digits, 10 ** -digits)
    return fixed(p, digits) + ' %'


def rest(p, digits):
    """What is left of 100 percent: 100 % only if nothing is taken away."""
    if 0 < p < 10 ** -digits / 2:
        return '> %.*f %%' % (digits, 100 - 10 ** -digits)
    return percent(100 - p, digits)


def size(n):
    for unit, one in ('GiB', 2 ** 30), ('MiB', 2 ** 20), ('KiB', 2 ** 10):
        if n >= one:
            return '%d %s' % (n / one, unit) if n % one == 0 or n / one >= 1000 else '%s %s' % (fixed(n / one, 1), unit)
    return '%d B' % n


def look(values):
    """Of a round of compare."""
    rounds, last, median, low, high = values
    return 'round %s: %s; median so far %s, %s' % (count(rounds), fixed(last, 3), fixed(median, 3), 'interval %s to %s' % (
        fixed(low, 3), fixed(high, 3)) if low and high is not None else 'too few rounds for an interval')


def figure(path, value):
    """The text of the element that has data-figure=path."""
    last = path.rsplit('.', 1)[-1]
    if last == 'times_more_samples':
        return fixed(value, 1) + '×'
    if last in ('density', 'enough', 'uneven', 'times'):
        return ratio(value)
    if last in ('ratio', 'low', 'high'): # of compare: three digits after the point, as it prints
        return fixed(value, 3)
    if last.endswith('_seconds'):
        return fixed(value, 3) + ' s'
    if last == 'bytes':
        return size(value)
    if last.endswith('percent'):
        return percent(value, 2 if path.startswith(('build.', 'flow.')) else 1)
    return count(value)
