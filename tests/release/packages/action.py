#!/usr/bin/env python3
"""packaging/action.yml: its steps are run as they are, by the shell that a runner takes, with inputs as a workflow sets them.

action.py [--build]   --build: `batconv: build`, too, which installs what a build needs and builds (scripts/nightly)
The program that is "downloaded" is the one of this build, from a folder as scripts/release leaves it.
"""
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

try:
    import yaml
except ImportError:
    print('skipped: no module yaml (apt install python3-yaml)')
    sys.exit(1 if os.environ.get('BATCONV_REQUIRE_PEERS') == '1' else 77)

BATCONV, SOURCE = os.path.abspath(os.environ['BATCONV']), os.environ['SOURCE']
DEMO = os.path.join(SOURCE, 'inputs/demo')
failures = []


def check(condition, text):
    if not condition:
        failures.append(text)


class Action:
    """What a runner knows of a composite action, as far as this one asks for it."""

    def __init__(self, path):
        with open(path, encoding='utf-8') as file:
            self.text = yaml.safe_load(file)
        self.steps = self.text['runs']['steps']
        check(self.text['runs']['using'] == 'composite', 'it is not composite')
        asked = set(re.findall(r'inputs\.(\w+)', str(self.text['runs'])))
        check(asked == set(self.text['inputs']), 'inputs that are asked for and those that it has: %s' % (asked ^ set(self.text['inputs'])))
        for step in self.steps:
            check(step['shell'] == 'bash', '%s: not for bash' % step['name'])
            check('${{' not in step['run'], '%s: an input in the text of a script could be a command' % step['name'])

    def run(self, folder, **given):
        """Returns the exit code of the first step that fails, or 0; the outputs; and what was said."""
        check(set(given) <= set(self.text['inputs']), 'no such input: %s' % given)
        known = {'inputs.' + name: given.get(name, row['default']) for name, row in self.text['inputs'].items()}
        known.update({'github.server_url': 'https://nowhere.invalid', 'github.action_repository': 'owner/batconv',
                      'github.action_path': os.path.join(SOURCE, 'packaging')})
        temporary = os.path.join(folder, 'runner temp')
        os.makedirs(temporary, exist_ok=True)
        said = ''
        code = 0
        for step in self.steps:
            if not self.wanted(step.get('if', 'true'), known):
                continue
            env = {key: value for key, value in os.environ.items() if key not in ('BATCONV', 'INPUTS', 'SOURCE')}
            env.update({key: self.expanded(value, known) for key, value in step.get('env', {}).items()})
            env.update({'RUNNER_TEMP': temporary, 'GITHUB_OUTPUT': os.path.join(temporary, 'output'), 'GITHUB_PATH': os.path.join(temporary, 'path')})
            script = os.path.join(temporary, 'step.sh')
            with open(script, 'w', encoding='utf-8') as file:
                file.write(step['run'])
            open(env['GITHUB_OUTPUT'], 'w', encoding='utf-8').close()
            done = subprocess.run(['bash', '--noprofile', '--norc', '-eo', 'pipefail', script], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            said += done.stdout
            with open(env['GITHUB_OUTPUT'], encoding='utf-8') as file:
                known.update({'steps.%s.outputs.%s' % (step['id'], line.split('=', 1)[0]): line.rstrip('\n').split('=', 1)[1] for line in file})
            if done.returncode:
                code = done.returncode
                break
        return code, {name: self.expanded(row['value'], known) for name, row in self.text['outputs'].items()}, said

    @staticmethod
    def expanded(text, known):
        def value(match):
            if not re.match(r'steps\.(get|convert|quality|optimize)\.outputs\.', match[1]):
                return known[match[1]]
            return known.get(match[1], '')
        return re.sub(r'\$\{\{ ([\w.]+) \}\}', value, text)

    @staticmethod
    def wanted(condition, known):
        if condition == 'true':
            return True
        names = [re.fullmatch(r"([\w.]+) != ''", part)[1] for part in condition.split(' && ')]
        return all(known[name] != '' for name in names)


def read(path):
    with open(path, 'rb') as file:
        return file.read()


def release(folder):
    """As scripts/release leaves it, of the program of this build."""
    version = re.search(r'^project\(batconv VERSION ([0-9.]+)', read(os.path.join(SOURCE, 'CMakeLists.txt')).decode(), re.M)[1]
    name = 'batconv-%s-%s' % (version, os.uname().machine)
    there = os.path.join(folder, 'v' + version)
    os.makedirs(there)
    shutil.copy(BATCONV, os.path.join(there, name))
    with open(os.path.join(there, 'SHA256SUMS'), 'w', encoding='utf-8') as file:
        file.write('%s  ./%s.spdx.json\n%s  ./%s\n' % ('0' * 64, name, hashlib.sha256(read(BATCONV)).hexdigest(), name))
    return os.path.join(there, name), version


def main():
    action = Action(os.path.join(SOURCE, 'packaging/action.yml'))
    cases = 0
    with tempfile.TemporaryDirectory(prefix='an action ') as folder:
        for name in 'demo.bolt', 'demo', 'demo.perf.data', 'demo.perf.txt':
            shutil.copy(os.path.join(DEMO, name), folder)
        shutil.copy(os.path.join(DEMO, 'demo.perf.data'), os.path.join(folder, 'a recording.data'))
        program, version = release(os.path.join(folder, 'releases'))
        url = 'file://' + urllib.parse.quote(os.path.join(folder, 'releases'))
        one, two = os.path.join(folder, 'one.fdata'), os.path.join(folder, 'two.fdata')
        subprocess.run([BATCONV, '-q', 'demo.bolt', 'demo.perf.data', '--input=demo', '-o', one], cwd=folder, check=True)
        subprocess.run([BATCONV, '-q', 'demo.bolt', 'demo.perf.data', 'a recording.data', '--input=demo', '-o', two], cwd=folder, check=True)
        sampled = {'binary': 'demo.bolt', 'input': 'demo', 'samples': 'demo.perf.data\n'}

        def case(code, words, made, **given):
            nonlocal cases
            cases += 1
            got, outputs, said = action.run(folder, **given)
            check(got == code and words in said, '%s: exit %d instead of %d, or without %r:\n%s' % (given, got, code, words, said))
            if made:
                there = outputs['profile'] and read(os.path.join(folder, outputs['profile']))
                check(there == read(made), '%s: another profile' % given)
            return outputs

        if shutil.which('curl'):
            out = case(0, 'batconv ' + version, None, releases=url)
            check(read(out['batconv']) == read(BATCONV), 'what was downloaded is another program')
            case(0, '', one, releases=url, **sampled)
            with open(program, 'ab') as file:
                file.write(b'x')
            case(1, 'is not what SHA256SUMS says', None, releases=url)
            case(1, 'cannot be had', None, releases=url + '/nowhere')
        else:
            print('without curl: nothing was downloaded')
        case(0, '', one, batconv=BATCONV, **sampled)
        case(0, '', two, batconv=BATCONV, binary='demo.bolt', input='demo', samples='demo.perf.data\na recording.*\n', profile='of both.fdata')
        # Twice what one recording has, added.
        case(0, '', None, batconv=BATCONV, merge='o*e.fdata\n', profile='sum.fdata', **sampled)
        subprocess.run([BATCONV, 'merge', '-q', '--weight=2', one, '-o', 'twice'], cwd=folder, check=True)
        check(read(os.path.join(folder, 'sum.fdata')) == read(os.path.join(folder, 'twice')), 'the sum is another one')
        out = case(0, '', one, batconv=BATCONV, gates='--min-kept=10 --min-stability=0', **sampled)
        check(out['quality'] and b'"gates"' in read(out['quality']), 'no gates in the JSON')
        # A recording that ends early is a warning, with limits too; without a binary there is nothing to limit.
        with open(os.path.join(folder, 'cut.data'), 'wb') as file:
            file.write(read(os.path.join(folder, 'demo.perf.data'))[:-3000])
        case(0, '::warning::', None, batconv=BATCONV, binary='demo.bolt', input='demo', samples='cut.data', gates='--min-kept=10')
        case(0, 'batconv ' + version, None, batconv=BATCONV, gates='--min-kept=10')
        case(3, 'density', None, batconv=BATCONV, gates='--min-kept=10 --min-density=1000000', profile='failed.fdata', **sampled)
        check(read(os.path.join(folder, 'failed.fdata')) == read(one), 'where a limit is not met, the profile is another')
        case(1, 'samples: no such file: none*, nor this', None, batconv=BATCONV, **dict(sampled, samples='none*\nnor this*'))
        case(1, 'merge: no such file', None, batconv=BATCONV, merge='none*', **sampled)
        case(1, '', None, batconv=BATCONV, **dict(sampled, binary='$(touch hacked)`touch hacked`;touch hacked'))
        check(not os.path.exists(os.path.join(folder, 'hacked')), 'an input was run as a command')
        # llvm-bolt is none here: what it writes is the demo's, and is kept or not by what is asked for.
        shutil.copy(os.path.join(SOURCE, 'tests/support/fake_llvm_bolt'), folder)
        shutil.copy(os.path.join(DEMO, 'expected/demo.basic.fdata'), os.path.join(folder, 'demo.fdata'))
        loop = {'program': 'demo', 'workload': '{}\n2\n', 'optimized': 'made of it'}
        options = '--llvm-bolt=./fake_llvm_bolt --profile=demo.fdata --budget=1 '
        out = case(0, 'kept', None, batconv=BATCONV, options=options + '--keep=always', **loop)
        check(read(os.path.join(folder, out['optimized'])) == read(os.path.join(folder, 'demo.bolt')), 'what was optimized is another program')
        check(b'"kept": true' in read(out['verdict']), 'the verdict does not say that it is kept')
        shutil.rmtree(os.path.join(folder, 'runner temp'))
        os.remove(os.path.join(folder, 'made of it'))
        out = case(0, '::warning::', None, batconv=BATCONV, options=options + '--margin=100', **loop)
        check(out['optimized'] == 'demo' and not os.path.exists(os.path.join(folder, 'made of it')), 'what is not better was kept')
        case(1, 'broken', None, batconv=BATCONV, options=options, **dict(loop, workload='sh\n-c\necho broken >&2; exit 4\n{}'))
        if '--build' in sys.argv[1:]:
            case(0, '', one, batconv='build', **sampled)
    for failure in failures:
        print('FAILED:', failure)
    print('%d runs of the action' % cases)
    sys.exit(bool(failures))


main()
