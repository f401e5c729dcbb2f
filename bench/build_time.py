#!/usr/bin/env python3
"""Where the build's time goes: processor time of each file, folder and kind of work.

usage: build_time.py [--build DIR] [--phases] [--limit N] [PART…]

Compiles, one after another and without the compiler cache, every file of the build folder (default:
build) whose path contains a PART (all files if there is none), with the options it is built with,
into a temporary folder.  Prints user and system seconds and the size of the object for the slowest
files, and sums over folders.  --phases: what Clang says of headers, templates and code generation
(-ftime-trace; headers are part of the front end, the optimiser of the back end).  Files that read a
precompiled header read the build folder's: build first.
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
PHASES = {'Frontend': 'front end', 'Source': 'headers', 'Backend': 'back end',
          'Optimizer': 'optimiser', 'PerformPendingInstantiations': 'templates'}


def compiler_command(entry, output, phases):
    """The entry's command without a launcher, writing to `output` and its times beside it."""
    words = shlex.split(entry['command'])
    while not COMPILER.fullmatch(pathlib.Path(words[0]).name):
        del words[0]
    words[words.index('-o') + 1] = str(output)
    return words + ([f'-ftime-trace={trace_of(output)}'] if phases else [])


def trace_of(output):
    """Where the compiler writes what took how long."""
    return output.with_suffix('.json')


def seconds_of_phases(output):
    """The times of the phases, as the trace of one run has them."""
    events = json.loads(trace_of(output).read_text(encoding='utf-8'))['traceEvents']
    totals = {event['name'].removeprefix('Total '): event['dur'] / 1e6 for event in events
              if event['name'].startswith('Total ')}
    return {name: totals.get(event, 0) for event, name in PHASES.items()}


def measure(entry, output, phases):
    """Processor seconds (user, system), bytes of the object, and seconds per phase."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(compiler_command(entry, output, phases), cwd=entry['directory'],
                            capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if result.returncode != 0:
        sys.exit(f'{entry["file"]} does not compile:\n{result.stderr}')
    split = seconds_of_phases(output) if phases else {}
    return (after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime,
            output.stat().st_size, split)


def sources_of(entry):
    """What is compiled: the file, or those that CMake made one of (CMAKE_UNITY_BUILD)."""
    path = pathlib.Path(entry['file'])
    if path.parent.name != 'Unity':
        return [path]
    return [pathlib.Path(name) for name in
            re.findall(r'^#include "(.*)"$', path.read_text(encoding='utf-8'), re.MULTILINE)]


def paths_of(entry, root):
    """The places in the project of what is compiled, if they are there."""
    return [path.relative_to(root) if path.is_relative_to(root) else path
            for path in sources_of(entry)]


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
        entries = [entry for entry in json.loads(database.read_text(encoding='utf-8'))
                   if not arguments.parts or
                   any(part in str(path) for part in arguments.parts
                       for path in paths_of(entry, root))]
        for entry in entries:
            paths = paths_of(entry, root)
            user, system, size, split = measure(entry, pathlib.Path(folder) / 'object.o',
                                                arguments.phases)
            name = str(paths[0]) + (f' … {paths[-1].name}' if len(paths) > 1 else '')
            files.append((user + system, user, system, size, name))
            folders[folder_of(paths[0])] += (user + system)
            for name, seconds in split.items():
                phases[name] += seconds
    if not files:
        sys.exit('no file of the build matches')

    print(f'{"seconds":>8} {"user":>7} {"system":>7} {"object":>8}  file')
    for total, user, system, size, name in sorted(files, reverse=True)[:arguments.limit]:
        print(f'{total:8.2f} {user:7.2f} {system:7.2f} {size // 1024:5} KB  {name}')
    print(f'\n{"seconds":>8}  folder')
    for name, seconds in sorted(folders.items(), key=lambda item: -item[1]):
        print(f'{seconds:8.1f}  {name}')
    for name, seconds in sorted(phases.items(), key=lambda item: -item[1]):
        if seconds >= 0.05:
            print(f'{seconds:8.1f}  phase: {name}')
    print(f'{sum(folders.values()):8.1f}  all')


if __name__ == '__main__':
    main()
