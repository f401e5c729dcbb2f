#!/usr/bin/env python3
"""What README.md and docs/*.md show is so.

usage: run.py DAGAZ ROOT [PAGE…]        DAGAZ may be a build folder, of which an installation is made

Every ```futhark block is checked, and its test blocks are run.  Where the line before a block of any kind names a file
(`ridge.fut`:) it is written to that file, beside `bench` and `examples`.  Commands in blocks that
start with `$ ` run there in order and must print what follows; a line `…` stands for any number of
lines, and `…` in a line for anything.  A first line `<!-- needs: python, cmake -->` says without which
tools the blocks of the page are skipped.
Links to files must lead somewhere.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# How to find out whether there is what a page needs.
NEEDS = {'python': 'python3 -c "import dagaz, numpy"', 'cmake': 'cmake --version',
         'pkg-config': 'pkg-config --exists dagaz', 'jax': 'python3 -c "import jax"'}


def blocks(page):
    """(file named before it, kind, text) of each block."""
    before, kind, lines = '', None, []
    for line in page.splitlines():
        if kind is None and line.startswith('```'):
            kind, lines = line[3:], []
        elif kind is not None and line == '```':
            named = re.search(r'`([\w/.-]+\.\w+)`:$', before)
            yield named and named[1], kind, lines
            kind, before = None, ''
        elif kind is not None:
            lines.append(line)
        elif line:
            before = line


def matches(expected, found):
    pattern = ''.join('(?:.*\n)*' if line == '…' else
                      '.*'.join(map(re.escape, line.split('…'))) + '\n' for line in expected)
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


def missing(text, run):
    """What the page needs and this machine lacks."""
    needed = re.match(r'<!-- needs: ([\w ,-]+) -->', text)
    return [name for name in (needed[1].split(', ') if needed else [])
            if run(NEEDS[name])[1] != 0]


def check_blocks(page, environment, root):
    """Problems, and how many blocks and commands were looked at."""
    problems, seen = [], 0
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for shared in ('bench', 'examples'):
            (work / shared).symlink_to(root / shared)

        def run(command):
            done = subprocess.run(['sh', '-c', command], cwd=work, env=environment, timeout=300,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return done.stdout.splitlines(), done.returncode

        text = page.read_text()
        if lacking := missing(text, run):
            print(f'[SKIP] {page.name}: no {", ".join(lacking)}')
            return problems, seen
        tests = []
        for number, (name, kind, lines) in enumerate(blocks(text), 1):
            if name or kind == 'futhark':
                file = name or f'block{number}.fut'
                (work / file).parent.mkdir(parents=True, exist_ok=True)
                (work / file).write_text('\n'.join(lines) + '\n')
            if kind == 'futhark':
                found, status = run(f'dagaz check {file}')
                seen += 1
                if status != 0:
                    problems.append(f'{page}: block {number}:\n' + '\n'.join(found))
                elif '-- ==' in lines:
                    tests.append(file)
            elif not name and lines and lines[0].startswith('$ '):
                for command, expected in commands(lines):
                    found, _ = run(command)
                    seen += 1
                    if not matches(expected, found):
                        problems.append(f'{page}: `{command}` prints\n' + '\n'.join(found))
        if tests:
            found, status = run(f'dagaz test --target=cpu {" ".join(tests)}')
            seen += len(tests)
            if status != 0:
                problems.append(f'{page}: tests:\n' + '\n'.join(found))
    return problems, seen


def check_names(page, root):
    """Problems, and how many links and paths were looked at."""
    problems, seen = [], 0
    text = page.read_text()
    written = {name for name, _, _ in blocks(text)}
    prose = re.sub(r'^```.*?^```$', '', text, flags=re.M | re.S)
    for link in re.findall(r'\]\(([^)#:]+)(?:#[^)]*)?\)', re.sub('`[^`]*`', '', prose)):
        seen += 1
        if not (page.parent / link).exists():
            problems.append(f'{page}: there is no {link}')
    for path in re.findall(r'`([\w-]+(?:/[\w.-]+)+)`', prose):
        seen += 1
        if path not in written and not any((base / path).exists() for base in (root, root / 'compiler', page.parent)):
            problems.append(f'{page}: there is no {path}')
    return problems, seen


def choose_python(folder):
    """Makes `python3` in `folder` one with NumPy, if there is one."""
    for python in [sys.executable, '/usr/bin/python3']:
        if subprocess.run([python, '-c', 'import numpy'], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0:
            (folder / 'python3').symlink_to(python)
            return


def installation(build, folder):
    """The environment of somebody who has installed that build."""
    usr = pathlib.Path(folder) / 'usr'
    subprocess.run(['cmake', '--install', str(build), '--prefix', str(usr)], check=True,
                   stdout=subprocess.DEVNULL)
    choose_python(usr / 'bin')
    return {'PATH': f'{usr}/bin:{os.environ["PATH"]}', 'DAGAZ_COMPILER': f'{usr}/bin/dagaz',
            'DAGAZ_CACHE': f'{folder}/cache', 'PYTHONPATH': str(build / 'python'),
            'PKG_CONFIG_PATH': f'{usr}/lib/pkgconfig'}


def main():
    dagaz, root = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2]).resolve()
    pages = [pathlib.Path(page).resolve() for page in sys.argv[3:]]
    whole = not pages
    pages = pages or [root / 'README.md', *sorted((root / 'docs').glob('*.md'))]
    problems, seen = [], 0
    with tempfile.TemporaryDirectory() as folder:
        added = (installation(dagaz, folder) if dagaz.is_dir() else
                 {'PATH': f'{dagaz.parent}:{os.environ["PATH"]}'})
        environment = {**os.environ, **added, 'NO_COLOR': '1', 'LC_ALL': 'C.UTF-8'}
        for page in pages:
            if page.name == 'errors.md':
                continue  # made of examples that tests/errors_page holds
            checks = [check_blocks(page, environment, root)]
            if whole:
                checks.append(check_names(page, root))
            for more, count in checks:
                problems += more
                seen += count
    print('\n'.join(problems) or f'{seen} blocks, commands and names hold')
    return 1 if problems or not seen else 0


if __name__ == '__main__':
    sys.exit(main())
