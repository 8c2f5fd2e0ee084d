"""A part of a long test: --part=K/N is the K-th of N.  --part=/N takes K from the number of commits, so that N landings run all, and a commit
always has the same part."""
import os
import subprocess


def chosen(args):
    """(K, N): 0, 1 without such an argument."""
    given = next((a[len('--part='):] for a in args if a.startswith('--part=')), '0/1')
    number, of = given.split('/')
    if not number:
        count = subprocess.run(['git', '-C', os.environ['SOURCE'], 'rev-list', '--count', 'HEAD'], capture_output=True)
        number = count.stdout or 0  # of a source without history: the first
    if int(of) > 1:
        print('part %d/%d of the runs' % (int(number) % int(of), int(of)))
    return int(number) % int(of), int(of)
