#!/usr/bin/env python3
"""What shells complete: 'batconv help --completion=SHELL', loaded and asked by bash, zsh and fish themselves.

Each command's options are held against its --help, so that none is missing and no other is offered; then values,
files, operands and commands.  Each word that a value is completed with is given to the program, which must know it.
Names of files with characters that shells have uses for are completed to these names, and nothing of a name or of
what was typed before is executed.
A shell that is not there is named and left out (exit 77); with BATCONV_REQUIRE_PEERS=1 that is a failure.
"""
import os
import pty
import re
import shlex
import select
import shutil
import subprocess
import sys
import tempfile
import time

BATCONV = os.path.abspath(os.environ['BATCONV'])
OTHER_NAMES = 'perf2bolt', 'merge-fdata', 'llvm-bolt-heatmap'
CLEAN = {'PATH': os.environ['PATH'], 'TERM': 'dumb', 'LC_ALL': 'C.UTF-8'}


def output(*words, name=BATCONV):
    return subprocess.run([name, *words], capture_output=True, text=True, check=True).stdout


def options_of(text):
    """The forms of options that a --help has, without values."""
    found = set()
    for line in text.split('options:\n', 1)[-1].splitlines():
        match = re.match(r' {2,6}(-\w, )?(--?[\w-]+)', line)
        if match:
            found |= {match[2]} | ({match[1][:2]} if match[1] else set())
    return found


class Bash:
    """Asks the function as bash calls it, with '=' as a word of its own; `typed` is a real terminal."""

    def __init__(self, folder):
        self.folder = folder
        self.script = os.path.join(folder, 'batconv.bash')

    def ask(self, lines):
        code = ['source %s' % shlex.quote(self.script)]
        for line in lines:
            words = [word for part in line.split(' ') for word in re.split('(=)', part) if word or not part]
            if line.endswith('='):
                words.append('')
            # As readline has it, a '=' at the end is the word that is completed.
            if words[-1] == '' and words[-2] == '=':
                words.pop()
            quoted = ' '.join("'%s'" % word for word in words)
            code.append('COMP_WORDS=(%s); COMP_CWORD=%d; COMPREPLY=(); _batconv %s; printf "%%s\\n" "${COMPREPLY[@]}"; echo =='
                        % (quoted, len(words) - 1, words[0]))
        done = subprocess.run(['bash', '--norc', '-c', '\n'.join(code)], cwd=self.folder, env=CLEAN,
                              capture_output=True, text=True, check=True)
        if done.stderr:
            print('bash says', done.stderr)
        return [set(part.split('\n')) - {''} for part in done.stdout.split('==\n')[:-1]]

    def typed(self, line):
        seen = os.path.join(self.folder, 'seen')
        code = 'batconv() { printf "%%s\\n" "$@" >%s.new; mv %s.new %s; }\nsource %s\n' % tuple(map(shlex.quote, (seen, seen, seen, self.script)))
        setup = os.path.join(self.folder, 'rc')
        with open(setup, 'w', encoding='ascii') as rc:
            rc.write(code)
        with Terminal(['bash', '--noprofile', '--rcfile', setup, '-i'], self.folder) as terminal:
            terminal.type(line.encode() + b'\t\r')
            return terminal.file(seen).split('\n')[:-1]


class Terminal:
    def __init__(self, words, folder):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(folder)
            os.execvpe(words[0], words, dict(CLEAN, HOME=folder, INPUTRC='/dev/null'))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)
        os.waitpid(self.pid, 0)

    def type(self, data):
        os.write(self.fd, data)

    def file(self, path):
        """Its text, as soon as it is there; what the shell prints meanwhile is read, and shown if nothing comes."""
        end, shown = time.monotonic() + 120, b''
        while not os.path.exists(path):
            if time.monotonic() > end:
                sys.exit('no answer from the shell, which printed %r' % shown)
            if select.select([self.fd], [], [], 0.02)[0]:
                shown += os.read(self.fd, 65536)
        with open(path, encoding='utf-8') as file:
            text = file.read()
        os.unlink(path)
        return text


class Zsh:
    """Types each line and a tab; compadd is wrapped, so that it writes what it was given as matches."""

    SETUP = '''
PROMPT= ; unsetopt beep zle_bracketed_paste 2>/dev/null; zle_bracketed_paste=()
fpath=(%(folder)s $fpath)
autoload -Uz compinit && compinit -u -D
compadd() {
  if [[ -n ${(M)@[1,(i)(-|--)]:#-[a-zA-Z]#[OAD]} ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- $hits >>%(folder)s/hits
  builtin compadd "$@"
}
finish() { compstate[insert]= ; compstate[list]= ; touch %(folder)s/hits; mv %(folder)s/hits %(folder)s/seen; comppostfuncs=(finish) }
comppostfuncs=(finish)
setopt extended_glob
touch %(folder)s/seen
'''

    def __init__(self, folder):
        self.folder = folder
        for name in 'batconv', *OTHER_NAMES: # compinit has functions by what #compdef says
            with open(os.path.join(folder, name), 'w', encoding='ascii'):
                pass

    def ask(self, lines):
        shutil.copy(os.path.join(self.folder, 'batconv.zsh'), os.path.join(self.folder, '_batconv'))
        rc = os.path.join(self.folder, 'setup.zsh')
        with open(rc, 'w', encoding='ascii') as file:
            file.write(self.SETUP % {'folder': shlex.quote(self.folder)})
        answers = []
        with Terminal(['zsh', '-f', '-i'], self.folder) as terminal:
            terminal.type(b'source setup.zsh\r')
            terminal.file(os.path.join(self.folder, 'seen'))
            for line in lines:
                terminal.type(line.encode() + b'\t')
                answers.append(set(terminal.file(os.path.join(self.folder, 'seen')).split('\n')) - {''})
                terminal.type(b'\x15') # the line goes
        return answers


class Fish:
    def __init__(self, folder):
        self.folder = folder

    def ask(self, lines):
        code = ['source batconv.fish']
        for line in lines:
            code += ["complete -C '%s'" % line, 'echo ==']
        done = subprocess.run(['fish', '--no-config', '-c', '\n'.join(code)], cwd=self.folder, env=dict(CLEAN, HOME=self.folder),
                              capture_output=True, text=True, check=True)
        if done.stderr:
            print('fish says', done.stderr)
        answers = [{line.split('\t')[0] for line in part.split('\n')} - {''} for part in done.stdout.split('==\n')[:-1]]
        return [begins_so(line, answer) for line, answer in zip(lines, answers)]


def begins_so(line, answer):
    """Without what fish 4 adds to words that begin as an option does: words that have it inside."""
    typed = line.rsplit(' ', 1)[-1]
    so = {word for word in answer if word.startswith(typed)}
    return so if so and re.fullmatch(r'--\w+', typed) else answer


def tidy(shell, answer):
    """Without what is before or after a value as each shell shows it."""
    return {word.rstrip('/') if shell is not Bash else word for word in
            (re.sub(r'^--[\w-]+=(?=.)', '', word).removesuffix('=') for word in answer)}


def last_of_lists(answer):
    return {word.rsplit(',', 1)[-1] for word in answer}


def values_of(folder):
    """(command, option, 'words' or 'list' or 'other', words) of each long option with a value that is no file"""
    with open(os.path.join(folder, 'batconv.bash'), encoding='utf-8') as file:
        for row in re.findall(r"'([\w-]+) (--[\w-]+)'\) echo '(words|list|other) ?([^']*)'", file.read()):
            yield row[0], row[1], row[2], row[3].split()


def questions(folder):
    """(line, what must be completed, 'all' or 'some' of it: 'some' if shells may add more)"""
    commands = re.findall(r'^  (\w+) ', output('help'), re.M)
    yield 'batconv ve', {'verify', 'version'}, 'all'
    yield 'batconv ', {*commands, *OTHER_NAMES}, 'some'
    yield 'batconv help me', {'merge', 'merge-fdata'}, 'all'
    yield 'batconv perf2', {'perf2bolt'}, 'all'
    for command in commands:
        if command != 'help':
            long = {option for option in options_of(output(command, '--help')) if option.startswith('--')}
            yield 'batconv %s --' % command, long, 'all'
    yield 'batconv --inp', {'--input', '--input-format'}, 'all'
    yield 'batconv prog.bolt perf.data --sta', {'--stats', '--stats-file'}, 'all'
    for name in OTHER_NAMES:
        link = os.path.join(folder, 'links', name)
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink(BATCONV, link)
        long = {option for option in options_of(output('--help', name=link)) if len(option) > 3}
        yield '%s --' % name, long, 'long'
        yield 'batconv %s --' % name, long, 'long'
    for command, option, kind, words in values_of(os.path.join(folder, 'work')):
        if kind == 'words' and len(words) > 1:
            start = command if command in OTHER_NAMES else 'batconv ' + command
            yield '%s %s=' % (start, option), set(words), 'all'
            yield '%s %s ' % (start, option), set(words), 'all'
    yield 'batconv stacks --functions=', {'binary', 'input'}, 'all'
    yield 'batconv stacks --functions fi', {'file.fdata', 'files'}, 'all'
    yield 'batconv --stats=', {'text', 'json', 'none'}, 'all'
    yield 'batconv merge --stats=j', {'json'}, 'all'
    yield 'batconv transcode -l ', {'fixed', 'delta', 'equal', 'hashed'}, 'all'
    yield 'batconv verify --fail-on ', {'error', 'warning', 'note'}, 'all'
    yield 'perf2bolt --profile-format=', {'fdata', 'yaml', 'preagg'}, 'all'
    yield 'merge-fdata --print=e', {'exec'}, 'all'
    yield 'batconv merge-fdata --print=e', {'exec'}, 'all'
    yield 'batconv --restore=names,pl', {'plt'}, 'list'
    yield 'batconv merge -o fi', {'file.fdata', 'files'}, 'all'
    yield 'batconv merge fi', {'file.fdata', 'files'}, 'all'
    yield 'batconv fi', {'file.fdata', 'files'}, 'all'
    yield 'batconv dump -- fi', {'file.fdata', 'files'}, 'all'
    yield 'perf2bolt -p fi', {'file.fdata', 'files'}, 'all'
    yield 'batconv convert --debug-dir=fi', {'files'}, 'all'
    yield 'batconv addr --binary=b fi', set(), 'all' # an operand is an address
    yield 'batconv --threads ', set(), 'all'


def check(shell, asked):
    wrong = 0
    answers = shell.ask([line for line, *_ in asked])
    if len(answers) != len(asked):
        sys.exit('%s: %d answers to %d lines' % (type(shell).__name__, len(answers), len(asked)))
    for (line, expected, how), answer in zip(asked, answers):
        seen = tidy(type(shell), answer)
        if how == 'list':
            seen = last_of_lists(seen)
        if how == 'long':
            seen = {word for word in seen if len(word) > 3}
        if (not expected <= seen) if how == 'some' else seen != expected:
            print('%s: %r: missing %s, too many %s' % (type(shell).__name__, line, sorted(expected - seen), sorted(seen - expected)))
            wrong += 1
    print('%s: %d lines completed, %d wrong' % (type(shell).__name__.lower(), len(asked), wrong))
    return wrong


OPEN = ['--event', '-e']  # which take other words than those that are offered, too


def check_words(folder):
    """Each word that is offered is one that the program takes; any other word is refused.
    An option that refuses it and names all that it takes has these words in the completion, too."""
    wrong = count = 0
    for command, option, kind, words in values_of(folder):
        link = os.path.join(os.path.dirname(folder), 'links', command)
        program = [link] if command in OTHER_NAMES else [BATCONV, command]
        for word in [*words, 'no-such-word']:
            done = subprocess.run([*program, '%s=%s' % (option, word)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
            if kind == 'other':
                named = re.search(r" takes [\w-]+(, [\w-]+)* or [\w-]+, not '%s'" % word, done.stderr)
                right = not named
            else:
                refused = re.search(r"not '?%s\b" % word, done.stderr) is not None
                right = refused == (word == 'no-such-word' and option not in OPEN)
            count += 1
            if not right:
                print('batconv %s %s=%s (%s): %s' % (command, option, word, kind, done.stderr.strip()))
                wrong += 1
    print('%d words given to the program, %d wrong' % (count, wrong))
    return wrong


def check_typed(folder):
    wrong = 0
    for line, expected in (('batconv --stats=js', ['--stats=json']), ('batconv merge --no-p', ['merge', '--no-progress']),
                           ('batconv merge --files-from=file.', ['merge', '--files-from=file.fdata'])):
        seen = Bash(folder).typed(line)
        if seen != expected:
            print('bash: typed %r, got %s' % (line, seen))
            wrong += 1
    return wrong


# After two digits, by which each is completed.  fish takes a tab for the end of a name, and its own list of folders has
# lines.
HOSTILE = ['$(touch INJECTED)', '`touch INJECTED`', ';touch INJECTED;', '[$(touch INJECTED)]', '&touch INJECTED|', "'quote", '"quote',
           ' two  blanks ', '\\n', '*?[a]', '{a,b}', '~', '#', '=equal', ':colon', ',comma', '<>', '!!', '$HOME', '%s', '(a)', '^',
           'new\nline', '\ttab', '-dash', '\u00e4']
# What zsh's own _files does with a folder that is a substitution, for every command, is left out.
SUBSTITUTED = ['batconv $(touch INJECTED) ', 'batconv `touch INJECTED` --', 'batconv a[$(touch INJECTED)] ', 'batconv --stats=$(touch INJECTED)',
               'batconv --restore=$(touch INJECTED),', 'batconv --debug-dir=$(touch INJECTED)', 'batconv merge --input "$(touch INJECTED)',
               "batconv '$(touch INJECTED)' --", 'batconv ${x:-$(touch INJECTED)} ', 'batconv help $(touch INJECTED)']
SETUP = {
    'bash': 'PS1="> "\nbatconv() { printf "%%s\\0" "$@" >%(seen)s.new; mv %(seen)s.new %(seen)s; }\nsource %(script)s\n',
    # Its own tab expands what is typed, with or without a completion.
    'zsh': 'PROMPT="> "; unsetopt beep; zle_bracketed_paste=(); bindkey "^I" complete-word\nfpath=(%(folder)s $fpath)\n'
           'autoload -Uz compinit && compinit -u -D\nbatconv() { printf "%%s\\0" "$@" >%(seen)s.new; mv %(seen)s.new %(seen)s; }\n'
           'touch %(seen)s\n',
    'fish': 'function fish_prompt; echo "> "; end\nfunction batconv; printf "%%s\\0" $argv >%(seen)s.new; mv %(seen)s.new %(seen)s; end\n'
            'source %(script)s\n',
}


def shell_words(name, rc):
    return {'bash': ['bash', '--noprofile', '--rcfile', rc, '-i'], 'zsh': ['zsh', '-f', '-i'],
            'fish': ['fish', '--no-config', '-i', '-C', 'source ' + shlex.quote(rc)]}[name]


def check_hostile(name, folder):
    """Typed in a terminal, as only there a shell quotes what it completes."""
    room = os.path.join(folder, 'hostile', name)
    files = os.path.join(room, 'files')
    os.makedirs(files)
    script = os.path.join(room, '_batconv' if name == 'zsh' else 'batconv')
    shutil.copy(os.path.join(folder, 'work', 'batconv.' + name), script)
    seen, rc = os.path.join(room, 'seen'), os.path.join(room, 'rc')
    with open(rc, 'w', encoding='utf-8') as file:
        file.write(SETUP[name] % {key: shlex.quote(path) for key, path in (('seen', seen), ('script', script), ('folder', room))})
    wrong = 0

    def executed(what):
        if not os.path.exists(os.path.join(files, 'INJECTED')):
            return 0
        os.unlink(os.path.join(files, 'INJECTED'))
        print('%s: %r: a part of it was executed' % (name, what))
        return 1

    names = [ending for ending in HOSTILE if name != 'fish' or '\t' not in ending]
    for i, ending in enumerate(names):
        with open(os.path.join(files, 'f%02d%s' % (i, ending)), 'w', encoding='ascii'):
            os.mkdir(os.path.join(files, 'd%02d%s' % (i, ending)))
    with Terminal(shell_words(name, rc), files) as terminal:
        if name == 'zsh':
            terminal.type(b'source %s\r' % shlex.quote(rc).encode())
            terminal.file(seen)
        for form in 'batconv f%02d', 'batconv --input=f%02d', 'batconv merge -o f%02d', 'batconv "f%02d', 'batconv --debug-dir=d%02d':
            for i, ending in enumerate(names):
                if name == 'fish' and '\n' in ending and 'dir' in form:
                    continue
                terminal.type((form % i).encode() + b'\t\r')
                word = re.sub(r'^--[\w-]+=', '', terminal.file(seen).split('\0')[-2])
                if word.rstrip('/') != form[-5] + '%02d%s' % (i, ending):
                    print('%s: %r + %r became %r' % (name, form % i, ending, word))
                    wrong += 1
                wrong += executed(ending)
        for line in SUBSTITUTED:
            terminal.type(line.encode() + b'\t' + b'\x15batconv end\r') # the line goes
            if terminal.file(seen) != 'end\0':
                print('%s: %r: the line is still there' % (name, line))
                wrong += 1
            wrong += executed(line)
    print('%s: %d names completed, %d lines with substitutions' % (name, 5 * len(names), len(SUBSTITUTED)))
    return wrong


def main():
    wrong, absent = 0, []
    with tempfile.TemporaryDirectory() as folder:
        work = os.path.join(folder, 'work')
        os.mkdir(work)
        for kind in Bash, Zsh, Fish:
            name = kind.__name__.lower()
            with open(os.path.join(work, 'batconv.' + name), 'w', encoding='utf-8') as file:
                file.write(output('help', '--completion=' + name))
        asked = list(questions(folder))
        with open(os.path.join(work, 'file.fdata'), 'w', encoding='ascii'):
            os.mkdir(os.path.join(work, 'files'))
        for kind in Bash, Zsh, Fish:
            name = kind.__name__.lower()
            if not shutil.which(name):
                absent.append(name)
                continue
            wrong += check(kind(work), asked) + check_hostile(name, folder)
        wrong += check_words(work) + (check_typed(work) if 'bash' not in absent else 0)
    if wrong:
        sys.exit('%d wrong' % wrong)
    if absent:
        print('skipped, as it is not installed:', ', '.join(absent))
        sys.exit(1 if os.environ.get('BATCONV_REQUIRE_PEERS') == '1' else 77)


main()
