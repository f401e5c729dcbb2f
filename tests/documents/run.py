#!/usr/bin/env python3
"""What README.md and docs/*.md show is so.

usage: run.py DAGAZ ROOT

Every ```futhark block is checked; where the line before it names a file (`ridge.fut`:) it is written
to that file, beside `bench` and `examples`.  Commands in blocks that start with `$ ` run there in
order and must print what follows; a line `…` stands for any number of lines, and `…` at the end of a
line for the rest of it.  Links to files must lead somewhere.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def blocks(page):
    """(file named before it, kind, text) of each block."""
    before, kind, lines = '', None, []
    for line in page.splitlines():
        if kind is None and line.startswith('```'):
            kind, lines = line[3:], []
        elif kind is not None and line == '```':
            named = re.search(r'`([\w/]+\.fut)`:$', before)
            yield named and named[1], kind, lines
            kind, before = None, ''
        elif kind is not None:
            lines.append(line)
        elif line:
            before = line


def matches(expected, found):
    pattern = ''.join('(?:.*\n)*' if line == '…' else
                      re.escape(line.removesuffix('…')) + ('.*\n' if line.endswith('…') else '\n')
                      for line in expected)
    return re.fullmatch(pattern, ''.join(line + '\n' for line in found)) is not None


def commands(lines):
    """(command, what it prints) of each command of a session."""
    session = []
    for line in lines:
        if line.startswith('$ '):
            session.append((line[2:], []))
        else:
            session[-1][1].append(line)
    return session


def check(page, dagaz, root):
    """Problems, and how many blocks and links were looked at."""
    problems, seen = [], 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for shared in ('bench', 'examples'):
            (work / shared).symlink_to(root / shared)
        (work / '.tools').mkdir()
        (work / '.tools' / 'dagaz').symlink_to(dagaz)
        environment = dict(os.environ, PATH=f'{work}/.tools:{os.environ["PATH"]}', NO_COLOR='1')

        def run(command):
            done = subprocess.run(['sh', '-c', command], cwd=work, env=environment, timeout=300,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return done.stdout.splitlines(), done.returncode

        for number, (name, kind, lines) in enumerate(blocks(page.read_text()), 1):
            if kind == 'futhark':
                file = name or f'block{number}.fut'
                (work / file).write_text('\n'.join(lines) + '\n')
                found, status = run(f'dagaz check {file}')
                seen += 1
                if status != 0:
                    problems.append(f'{page}: block {number}:\n' + '\n'.join(found))
            elif lines and lines[0].startswith('$ '):
                for command, expected in commands(lines):
                    found, _ = run(command)
                    seen += 1
                    if not matches(expected, found):
                        problems.append(f'{page}: `{command}` prints\n' + '\n'.join(found))
    for link in re.findall(r'\]\(([^)#:]+)\)', page.read_text()):
        seen += 1
        if not (page.parent / link).exists():
            problems.append(f'{page}: there is no {link}')
    for path in re.findall(r'`([\w-]+(?:/[\w.-]+)+)`', page.read_text()):
        seen += 1
        if not any((base / path).exists() for base in (root, root / 'compiler', page.parent)):
            problems.append(f'{page}: there is no {path}')
    return problems, seen


def main():
    dagaz, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    pages = [root / 'README.md', *sorted((root / 'docs').glob('*.md'))]
    problems, seen = [], 0
    for page in pages:
        if page.name == 'errors.md':
            continue  # made of examples that tests/errors_page holds
        more, count = check(page, dagaz, root)
        problems += more
        seen += count
    print('\n'.join(problems) or f'{seen} blocks, commands and names hold')
    return 1 if problems or not seen else 0


if __name__ == '__main__':
    sys.exit(main())
