#!/usr/bin/env python3
"""Does the matrix find faults of tables, one at a time?  faults.py [--list | --rows] [NAME...]

FAULTS is a list of small changes of the source: tables of the wrong size, numbers of another kind, missing bounds, memory that nobody
sets, orders that depend on threads.  Each is put into a copy of the repository in build/matrix-faults, the program is built there under
ASan and UBSan, and matrix.py is run with it until something fails.  A fault that the matrix does not find is a failure, and so is one
whose text is no longer in the source, exactly once: such a row is brought up to date, or goes with its code.

NAME...  only faults whose name or file has one of the words
--list   only prints them
--rows   only looks whether the text of each is in the source
"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(HERE, '../mutants'))
import trees  # noqa: E402

# Name, file, text, what is there then.
FAULTS = [
    ('calls: names in a table of functions with code', 'src/flow/infer.c', 'DEFINE_BY_NAME(called, atomic_uint_least64_t)',
     'DEFINE_BY_NUMBER(called, atomic_uint_least64_t, struct name_number, table->count)'),
    ('samples of functions: a table of half the size', 'src/profile/density.c', 't->samples = calloc(profile->function_count + 1,',
     't->samples = calloc(profile->function_count / 2 + 1,'),
    ('numbers of a measured profile: names in a table of functions with code', 'src/profile/flat.h', 'DEFINE_BY_NAME(flat_numbers, uint32_t)',
     'DEFINE_BY_NUMBER(flat_numbers, uint32_t, struct name_number, table->count)'),
    ('printed names: the same', 'src/profile/fdata.c', 'DEFINE_BY_NAME(printed_names, struct text)',
     'DEFINE_BY_NUMBER(printed_names, struct text, struct name_number, table->count)'),
    ('owners of records: the same', 'src/profile/profile.c', 'b->listed = calloc(functions_named(&b->profile->binary->functions) + 1,',
     'b->listed = calloc(b->profile->binary->functions.count + 1,'),
    ('functions of the output: the same', 'src/code/out_functions.c', 'named = functions_named(&binary->functions) + 1;',
     'named = binary->functions.count + 1;'),
    ('twins: no room for them', 'src/code/match.c', 'size_t most = pair->output->functions.count + pair->functions.count + 1;',
     'size_t most = pair->output->functions.count + 1;'),
    ('bodies: the first is not set', 'src/code/match.c', 'for (size_t i = 0; i < pair->functions.count; i++)\n\t\tpair->body_of[i] = NO_FUNCTION;',
     'for (size_t i = 1; i < pair->functions.count; i++)\n\t\tpair->body_of[i] = NO_FUNCTION;'),
    ('ranges for a compiler: in the order of the threads', 'src/flow/ranges.c', '*count = count_rows_unify(rows, *count, &spare);',
     '(void)count_rows_unify;'),
    ('code: of half of the functions', 'src/code/pair.c', 'pair->codes = calloc(pair->functions.count + 1,',
     'pair->codes = calloc(pair->functions.count / 2 + 1,'),
    ('flow: counts of edges by the number of blocks', 'src/flow/problem.c', '.edges = calloc((size_t)edges + 1, sizeof(uint64_t))},',
     '.edges = calloc(blocks + 1, sizeof(uint64_t))},'),
    ('network: a node too few', 'src/flow/network.c', 's.nodes = malloc(((size_t)network->nodes + 1) * sizeof(*s.nodes));',
     's.nodes = malloc((size_t)network->nodes * sizeof(*s.nodes));'),
    ('samples of a function: the size of a number', 'src/flow/infer.c', 'malloc((s->count + 1) * sizeof(*samples));',
     'malloc((s->count + 1) * sizeof(s->count));'),
    ('blocks: one behind the last', 'src/profile/density.c', 'return (at + 1 < graph->count ?', 'return (at < graph->count ?'),
    ('samples by place, looked up by number', 'src/profile/density.c', 't->samples[place]};', 't->samples[name.v]};'),
    ('bits of instructions: a word too few', 'src/flow/traces.c', 'calloc(code.size / WORD_BITS + 1, sizeof(*bits));',
     'calloc(code.size / WORD_BITS, sizeof(*bits));'),
    ('functions of a profile: one too few', 'src/profile/flat.c', 'while (functions->len <= *number)', 'while (functions->len < *number)'),
    ('calls of a measured profile: half as many as functions', 'src/figures/flow_figures.c', 'calls->counts = calloc(profile->functions.len + 1,',
     'calls->counts = calloc(profile->functions.len / 2 + 1,'),
    ('fragments of each function: no room for the end', 'src/elf/binary.c', 'calloc(count + (size_t)1, sizeof(*out->first))};',
     'calloc(count, sizeof(*out->first))};'),
    ('PLT entries: a table of half the size', 'src/flow/records.c', 'out->at = calloc(plt.count + 1,',
     'out->at = calloc(plt.count / 2 + 1,'),
    ('fragments of each function: no room for the last', 'src/elf/binary.c', 'malloc((count + (size_t)1) * sizeof(*out->at))',
     'malloc((count / 2 + (size_t)1) * sizeof(*out->at))'),
    ('code of a graph: one block too few', 'src/code/cfg.c', 'size_t blocks = (size_t)graph->count + 1;',
     'size_t blocks = (size_t)graph->count;'),
    ('instructions that do something: no room for the sum', 'src/code/code.c', 'malloc((insns->len + 1) * sizeof(*real)), sum = 0;',
     'malloc(insns->len * sizeof(*real)), sum = 0;'),
    ('functions of the second profile: half as many as the first has', 'src/figures/overlap.c',
     'joint->numbers = calloc(b->functions.len + 1,', 'joint->numbers = calloc(a->functions.len / 2 + 1,'),
    ('aggregated records: room for half of them', 'src/flow/convert.c', '(splits ? 2 : 1) * counts_used(counts) + 1}',
     '(splits ? 2 : 1) * counts_used(counts) / 2 + 1}'),
]


def run_matrix(tree):
    environment = dict(os.environ, BATCONV=os.path.join(tree.build, 'batconv'), INPUTS=os.path.join(tree.build, 'inputs'), SOURCE=tree.root)
    done = subprocess.run([sys.executable, os.path.join(HERE, 'matrix.py'), '--few', '--stop'], env=environment, capture_output=True, text=True)
    if done.returncode and not re.search(r' [1-9]\d* failed$', done.stdout, re.M):
        raise SystemExit('the matrix itself:\n' + done.stdout + done.stderr)
    return done.stdout.split('\n')[0] if done.returncode else None


def check_unchanged(tree):
    """The matrix finds nothing without any fault."""
    said = run_matrix(tree)
    if said:
        sys.exit('without any fault: ' + said)


if __name__ == '__main__':
    sys.exit(trees.seeded(ROOT, sys.argv[1:], FAULTS, trees.Tree(os.path.join(ROOT, 'build/matrix-faults'), sanitize=True), check_unchanged,
                          run_matrix))
