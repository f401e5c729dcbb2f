#!/usr/bin/env python3
"""What a user types and the whole answer.

usage: run.py DAGAZ FOLDER [--update]

Each FOLDER/*.test is a session in a fresh folder:
    a line `== NAME` starts a file of that name, up to the next line that starts with `==` or `$`
    a line `$ COMMAND` runs in sh, with the compiler under test as `dagaz`
    what follows is its output and errors together, then `[exit N]`
`examples` is there.  Paths of the folder are printed as `.`.  With --update the answers are rewritten.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'examples'


def split(text):
    """The session as (kind, head, lines): kind is 'note', 'file' or 'command'."""
    parts = [('note', '', [])]
    for line in text.splitlines():
        if line.startswith('== '):
            parts.append(('file', line[3:], []))
        elif line.startswith('$ '):
            parts.append(('command', line[2:], []))
        else:
            parts[-1][2].append(line)
    return parts


def answer(command, folder, environment):
    try:
        done = subprocess.run(['sh', '-c', command], cwd=folder, env=environment, timeout=120,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        text, status = done.stdout.decode(errors='replace'), done.returncode
    except subprocess.TimeoutExpired:
        text, status = '', 'timeout'
    text = text.replace(str(folder) + '/', '').replace(str(folder), '.')
    return text.splitlines() + [f'[exit {status}]']


def run(path, dagaz, update):
    parts = split(path.read_text())
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        tools = pathlib.Path(folder) / '.tools'
        tools.mkdir()
        (tools / 'dagaz').symlink_to(dagaz)
        (pathlib.Path(folder) / 'examples').symlink_to(EXAMPLES)
        environment = dict(os.environ, PATH=f'{tools}:{os.environ["PATH"]}', LC_ALL='C.UTF-8',
                           NO_COLOR='1')
        for index, (kind, head, lines) in enumerate(parts):
            if kind == 'file':
                (pathlib.Path(folder) / head).write_text('\n'.join(lines) + '\n')
            elif kind == 'command':
                blank = lines[-1:] == [''] and index + 1 < len(parts)
                expected = lines[:-1] if blank else lines
                got = answer(head, folder, environment)
                if got != expected:
                    problems.append((head, expected, got))
                parts[index] = (kind, head, got + ([''] if blank else []))
    if update:
        marks = {'note': None, 'file': '== ', 'command': '$ '}
        out = []
        for kind, head, lines in parts:
            out += ([] if marks[kind] is None else [marks[kind] + head]) + lines
        path.write_text('\n'.join(out) + '\n')
        return []
    return problems


def main():
    dagaz, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    update = '--update' in sys.argv[3:]
    passed = failed = 0
    for path in sorted(folder.glob('*.test')):
        problems = run(path, dagaz, update)
        passed += not problems
        failed += bool(problems)
        for command, expected, got in problems:
            print(f'[FAIL] {path.name}: $ {command}')
            print('\n'.join('  - ' + line for line in expected))
            print('\n'.join('  + ' + line for line in got))
    print(f'command line: {passed} passed, {failed} failed')
    return 1 if failed or passed == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
