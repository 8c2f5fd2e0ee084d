"""How often a function returned to a location in itself: count_returns.py BINARY SAMPLES FUNCTION OFFSET, counted in pre-aggregated text"""
import subprocess
import sys

binary, samples, name, offset = sys.argv[1:]
for words in (line.split() for line in subprocess.run(['nm', '-S', binary], capture_output=True, text=True, check=True).stdout.splitlines()):
    if words[-1] == name:
        start, size = int(words[0], 16), int(words[1], 16)
count = 0
for words in (line.split() for line in open(samples)):
    if words[0] == 'R' and ':' not in words[1] + words[2] and 0 <= int(words[1], 16) - start < size:
        count += int(words[4]) if int(words[2], 16) == start + int(offset, 16) else 0
print(count)
