#!/usr/bin/env python3
"""perf.data of processes that move, written by hand: made.py BINARY SAMPLES FOLDER

The stack of every sample is one that was recorded (SAMPLES: perf script text of BINARY), moved to where the binary is at
that moment; the same addresses are also sampled while something else is there, and must not count.  Writes once.data,
the stack a single time; NAME.data for each story; all.data, in which all happen at the same time; and `expected`: lines
of FILE PID COUNT, how many of the samples are the binary's, counted here.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE + '/../../support', HERE + '/../../../scripts']
from bat_reader import Elf  # noqa: E402
from perf_data_writer import PerfData, code_segments  # noqa: E402
from perf_text import base_of, stacks  # noqa: E402

A, B = 0x550000000000, 0x560000000000
DEPTH = 20  # of the stack: less than 32, which perf2bolt and batconv treat in a way of its own


class Process:
    """Steps of a pid; `mine` is how many samples of it are the binary's."""

    def __init__(self, story, pid):
        self.story, self.pid, self.mine = story, pid, 0

    def add(self, step):
        self.story.steps.append(step)
        return self

    def exec(self, name):
        return self.add(lambda perf, time: perf.comm(time, self.pid, name))

    def fork(self, child):
        self.add(lambda perf, time: perf.fork(time, self.pid, child))
        return self.story.process(child)

    def born(self, parent):
        return self.add(lambda perf, time: perf.fork(time, parent, self.pid))

    def exit(self):
        return self.add(lambda perf, time: perf.exit(time, self.pid))

    def map(self, base, name='demo.bolt'):
        for start, offset, size in self.story.code:
            def step(perf, time, start=start, offset=offset, size=size):
                perf.mmap(time, self.pid, base + start, size, offset, '/made/' + name)
            self.add(step)
        return self

    def sampled(self, times, base, mine=True):
        moved = [(base + start, base + to, False) for start, to in self.story.stack]
        for _ in range(times):
            self.add(lambda perf, time: perf.sample(time, self.pid, moved))
        self.mine += times if mine else 0
        return self


class Story:
    def __init__(self, code, stack):
        self.code, self.stack, self.steps, self.processes = code, stack, [], []

    def process(self, pid):
        self.processes.append(Process(self, pid))
        return self.processes[-1]


def once(story):
    story.process(10).exec('demo.bolt').map(A).sampled(1, A)


def execs(story):
    """The same program again elsewhere, then another one where it was."""
    process = story.process(100).exec('demo.bolt').map(A).sampled(3, A)
    process.exec('demo.bolt').map(B).sampled(5, B).sampled(1, A, False)
    process.exec('other').map(B, 'other').sampled(2, B, False)


def forks(story):
    """Children have what their parent had; what they do then is their own."""
    parent = story.process(200).exec('demo.bolt').map(A).sampled(2, A)
    child = parent.fork(201).sampled(4, A)
    child.fork(202).sampled(1, A).exec('other').map(A, 'other').sampled(3, A, False)
    child.exit()
    parent.sampled(2, A)


def dlcloses(story):
    """Closed, which leaves no trace; another library at its address; opened again elsewhere."""
    process = story.process(300).exec('host').map(A).sampled(2, A)
    process.map(A, 'other.so').sampled(3, A, False)
    process.map(B).sampled(4, B).sampled(1, A, False)


def pid_reuse(story):
    process = story.process(400).exec('demo.bolt').map(A).sampled(2, A).exit()
    process.born(1).exec('other').map(A, 'other').sampled(3, A, False).exit()
    process.born(1).exec('demo.bolt').map(B).sampled(5, B)


def two_bases(story):
    """One pid has the binary at two addresses in turn, and back again, without exec."""
    process = story.process(500).exec('host').map(A).sampled(3, A)
    process.map(B).sampled(4, B).map(A).sampled(2, A).sampled(1, B)


STORIES = {'once': [once], 'exec': [execs], 'fork': [forks], 'dlclose': [dlcloses], 'pid-reuse': [pid_reuse],
           'two-bases': [two_bases], 'all': [execs, forks, dlcloses, pid_reuse, two_bases]}


def in_turn(stories):
    """Steps of all of them, one of each at a time."""
    for i in range(max(len(story.steps) for story in stories)):
        for story in stories:
            if i < len(story.steps):
                yield story.steps[i]


def main(binary, samples, folder):
    code, _ = code_segments(binary)
    base = base_of(Elf(binary), samples, os.path.basename(binary))
    low, high = min(c[0] for c in code), max(c[0] + c[2] for c in code)
    stack = next(s for s in ([(a - base, b - base) for a, b in stack[:DEPTH]] for stack in stacks(samples))
                 if all(low <= place < high for entry in s for place in entry))
    with open(folder + '/expected', 'w') as expected:
        for name, tellers in STORIES.items():
            perf = PerfData('%s/%s.data' % (folder, name))
            stories = []
            for tell in tellers:
                stories.append(Story(code, stack))
                tell(stories[-1])
            for i, step in enumerate(in_turn(stories)):
                step(perf, 1000000000 + 1000 * i)
            perf.close()
            for process in (p for story in stories for p in story.processes):
                print(name, process.pid, process.mine, file=expected)


main(*sys.argv[1:])
