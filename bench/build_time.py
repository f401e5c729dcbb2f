#!/usr/bin/env python3
"""Where the build's time goes: processor time of each file, folder and kind of work.

usage: build_time.py [--build DIR] [--phases] [--limit N] [PART…]

Compiles, one after another and without the compiler cache, every file of the build folder (default:
build) whose path contains a PART (all files if there is none), with the options it is built with,
into a temporary folder.  Prints user and system seconds and the size of the object for the slowest
files, and sums over folders.  --phases: what g++ says of parsing, templates and code generation
(-ftime-report; slower by about a tenth).  Files that read a precompiled header read the build
folder's: build first.
"""
import argparse
import collections
import json
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

COMPILER = re.compile(r'(g\+\+|c\+\+|clang\+\+|gcc|cc|clang)(-[0-9.]+)?$')
PHASE = re.compile(r'^ phase ([a-z .]+?) *: *([0-9.]+) \( *\d+%\) *([0-9.]+)', re.MULTILINE)


def compiler_command(entry, output, phases):
    """The entry's command without a launcher, writing to `output` and no dependency file."""
    words = shlex.split(entry['command'])
    while not COMPILER.fullmatch(pathlib.Path(words[0]).name):
        del words[0]
    words[words.index('-o') + 1] = str(output)
    return words + (['-ftime-report'] if phases else [])


def measure(entry, output, phases):
    """Processor seconds (user, system), bytes of the object, and seconds per phase."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(compiler_command(entry, output, phases), cwd=entry['directory'],
                            capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f'{entry["file"]} does not compile:\n{result.stderr}')
    split = {name: float(user) + float(system)
             for name, user, system in PHASE.findall(result.stderr)}
    return (after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime,
            output.stat().st_size, split)


def folder_of(path, depth=2):
    """The part of a file's place that sums are made over: `compiler/passes`, `tests/unit`."""
    return '/'.join(path.parts[:-1][:depth]) or '.'


def main():
    parser = argparse.ArgumentParser(description='Processor time of the build.')
    parser.add_argument('--build', type=pathlib.Path, default=pathlib.Path('build'))
    parser.add_argument('--phases', action='store_true')
    parser.add_argument('--limit', type=int, default=20, help='how many of the slowest files')
    parser.add_argument('parts', nargs='*', metavar='PART')
    arguments = parser.parse_args()

    database = arguments.build / 'compile_commands.json'
    if not database.exists():
        sys.exit(f'{database} does not exist: configure first (cmake --preset release)')
    root = pathlib.Path(__file__).resolve().parent.parent
    files = []
    folders = collections.defaultdict(float)
    phases = collections.defaultdict(float)
    with tempfile.TemporaryDirectory() as folder:
        for entry in json.loads(database.read_text(encoding='utf-8')):
            path = pathlib.Path(entry['file'])
            path = path.relative_to(root) if path.is_relative_to(root) else path
            if arguments.parts and not any(part in str(path) for part in arguments.parts):
                continue
            user, system, size, split = measure(entry, pathlib.Path(folder) / 'object.o',
                                                arguments.phases)
            files.append((user + system, user, system, size, path))
            folders[folder_of(path)] += user + system
            for name, seconds in split.items():
                phases[name] += seconds
    if not files:
        sys.exit('no file of the build matches')

    print(f'{"seconds":>8} {"user":>7} {"system":>7} {"object":>8}  file')
    for total, user, system, size, path in sorted(files, reverse=True)[:arguments.limit]:
        print(f'{total:8.2f} {user:7.2f} {system:7.2f} {size // 1024:5} KB  {path}')
    print(f'\n{"seconds":>8}  folder')
    for name, seconds in sorted(folders.items(), key=lambda item: -item[1]):
        print(f'{seconds:8.1f}  {name}')
    for name, seconds in sorted(phases.items(), key=lambda item: -item[1]):
        if seconds >= 0.05:
            print(f'{seconds:8.1f}  phase: {name}')
    print(f'{sum(file[0] for file in files):8.1f}  all {len(files)} files')


if __name__ == '__main__':
    main()
