#!/usr/bin/env python3
"""Does scripts/compare-builds find a changed line?  seeded.py [--list | --rows] [NAME...]

SEEDS is a list of small changes of the source, each of which makes some output different.  Each is put into a copy of the repository in
build/compare-seeded, the program is built there, and compared with the unchanged one on inputs/ until something differs.  A change that is
not found is a failure, and so is one whose text is no longer in the source, exactly once: such a row is brought up to date, or goes with
its code.

NAME...  only changes whose name or file has one of the words
--list   only prints them
--rows   only looks whether the text of each is in the source
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(HERE, '../../hostile/mutants'))
import trees  # noqa: E402

# Name, file, text, what is there then.
SEEDS = [
    ('conversion: a block that begins where a fall-through ends', 'src/flow/fall_throughs.c',
     'if (i + 1 == fragment->entry_count || entries[i + 1].output > to)', 'if (i + 1 == fragment->entry_count || entries[i + 1].output >= to)'),
    ('conversion: imputed fall-throughs', 'src/count/located.c', 'impute->bytes / impute->count}', 'impute->bytes / (impute->count + 1)}'),
    ('conversion: landing pads behind calls', 'src/flow/traces.c', '!labels_have(places->pads, trace_end_vaddr(trace.from).v);', 'true;'),
    ('table: the address of an entry is below it', 'bat/translate.c', 'first += first[half].output <= offset ? half : 0;',
     'first += first[half].output < offset ? half : 0;'),
    ('restore: ways through blocks that llvm-bolt took out', 'src/flow/restore.c', 'add_way(pass, record, &way);', 'pass_add(pass, *record);'),
    ('restore: folded calls that stay', 'src/flow/restore.c', 'record->to.function = callee;', ''),
    ('restore: calls at tails', 'src/flow/records.c', 'step.from.offset = code->insns->at[out.insn].offset;', ''),
    ('ranges: the last instruction of a range', 'src/flow/ranges.c', 'emit_hex(out, ranges->at[i].to - ranges->base);',
     'emit_hex(out, ranges->at[i].to - ranges->base + (ranges->at[i].count == 7));'),
    ('ranges: calls of the profile', 'src/flow/ranges.c', 'return functions_code_at(functions, branch->to) ||', 'return !functions_code_at(functions, branch->to) &&'),
    ('counts: where branches come from', 'src/count/located.c', '*out++ = locate(binary, rows[i].key[word], &near[word]);',
     '*out++ = locate(binary, rows[i].key[word] - (word == END_BRANCH), &near[word]);'),
    ('ranges: joined tails', 'src/flow/ranges.c', 'last = out.insn;', ''),
    ('inference: the cost of a jump', 'src/flow/flow.c', '(edge->to == edge->from + 1 ? 0 : COST_EDGE / 32)', '0'),
    ('inference: instructions that llvm-bolt puts in', 'src/flow/problem.c',
     '!bolted || !(insn->nop ||', 'true || !(insn->nop ||'),
    ('YAML: calls that the input does not have', 'src/profile/yaml_profile.c', 'return w->leave_out_unsited ? record->count - record->unsited : record->count;',
     'return record->count;'),
    ('quality: what was dropped on purpose', 'src/count/ledger.h', 'X(RETURN, "return", EXCLUDED,', 'X(RETURN, "return", LOST,'),
    ('heat: fall-throughs of one instruction', 'src/figures/heat.c', '!is_outside(t, from) && from <= to &&', '!is_outside(t, from) && from < to &&'),
    ('report: the size of the last block', 'src/figures/page_code.c', 'input ? input->size : 0;', '0;'),
    ('report: points of the curve', 'src/figures/page_heat.c', 'exp(log((double)all) / (CURVE_POINTS - 2))', 'exp(log((double)all) / (CURVE_POINTS - 1))'),
]


def keep_unchanged(tree):
    shutil.copy(os.path.join(tree.build, 'batconv'), os.path.join(tree.build, 'unchanged'))


def compare(tree):
    """What differs first, in which case; None: nothing does."""
    done = subprocess.run([os.path.join(ROOT, 'scripts/compare-builds'), '--stop', os.path.join(tree.build, 'unchanged'),
                           os.path.join(tree.build, 'batconv')], env=dict(os.environ, INPUTS=os.path.join(tree.build, 'inputs')),
                          capture_output=True, text=True)
    if done.returncode not in (0, 1) or done.stderr or ' compared, ' not in done.stdout:
        raise SystemExit('compare-builds itself:\n' + done.stdout + done.stderr)
    found = re.search(r'^(.*)\n    differs: (.*)', done.stdout, re.M)
    return found and '%s in %s' % (found[2], found[1])


if __name__ == '__main__':
    sys.exit(trees.seeded(ROOT, sys.argv[1:], SEEDS, trees.Tree(os.path.join(ROOT, 'build/compare-seeded')), keep_unchanged, compare))
