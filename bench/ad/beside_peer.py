#!/usr/bin/env python3
"""Gradients by Dagaz beside the peer compiler's, on the programs of this folder and the same data.

usage: beside_peer.py --peer-build COMMAND [--dagaz COMMAND] [--threads N] [--seconds S]
                      [--rounds N] [PROGRAM ...]

`COMMAND BACKEND FILE OUT` must build FILE with the peer's BACKEND (c, multicore).  Both get the same
text: the program with what it imports in one folder, its checks no entry points.  The data are those
that `generate` makes.  A time is the processor's time of one run, the difference of two processes of
which one runs twice as often (about S seconds), least of the rounds; the two compilers' programs take turns.
"""
import os
import re
import resource
import subprocess
import tempfile
from pathlib import Path

import programs
import side_by_side  # found through programs


def copy_of(name, folder):
    """The program with its imports beside it, since the peer may see one folder only."""
    for kind in ('ad', 'gradbench'):
        for file in (programs.HERE.parent / kind).glob('*.fut'):
            text = re.sub(r'import "(\w+)"', rf'import "{kind}_\1"', file.read_text())
            text = re.sub(r'import "\.\./(\w+)/(\w+)"', r'import "\1_\2"', text)
            (Path(folder) / f'{kind}_{file.name}').write_text(text)
    main = Path(folder) / f'ad_{name}.fut'
    main.write_text(re.sub(r'^entry (check|slopes)\b', r'def \1', main.read_text(), flags=re.M))
    return str(main)


def spent(command, count, data):
    """Seconds of the processor that a process takes which runs so often."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, '-n', '-t', os.devnull, '-r', str(count)], input=data, check=True,
                   stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def milliseconds(commands, data, folder, options):
    """What one run of each command takes."""
    runs = [max(2, min(1000, int(options.seconds * 1e6 /
                                 min(side_by_side.timed(command, data, 2, folder)))))
            for command in commands]
    few, many = [], []
    for _ in range(options.rounds):
        few.append([spent(command, count, data) for command, count in zip(commands, runs)])
        many.append([spent(command, 3 * count, data) for command, count in zip(commands, runs)])
    return [1e3 * max(least_3 - least_1, 1e-6) / (2 * count)
            for least_1, least_3, count in zip(map(min, zip(*few)), map(min, zip(*many)), runs)]


def compare(name, options, folder):
    source = copy_of(name, folder)
    ours, theirs = os.path.join(folder, 'ours'), os.path.join(folder, 'theirs')
    backend = 'c' if options.threads == 1 else 'multicore'
    subprocess.run([options.dagaz, 'build', source, '-o', ours], check=True)
    built = subprocess.run([options.peer_build, backend, source, theirs], check=False,
                           capture_output=True, text=True)
    if built.returncode != 0:
        reason = ' '.join(built.stderr.split())[:100]
        print(f'| {name} | the peer does not compile it: {reason} |||||||||', flush=True)
        return
    sizes = programs.SIZES[name][0]
    data = subprocess.run([ours, '-e', 'generate', '-b'], check=True, stdout=subprocess.PIPE,
                          input=' '.join(f'{size}i64' for size in sizes).encode()).stdout
    flags = ['--num-threads', str(options.threads)]
    commands = ([ours, *flags], [theirs, *(flags if backend == 'multicore' else [])])
    for primal, gradient in programs.entries(name):
        times = []
        for entry in (primal, gradient):
            times += milliseconds([[*command, '-e', entry] for command in commands], data, folder,
                                  options)
        difference = side_by_side.largest_difference(*(
            subprocess.run([*command, '-e', gradient, '-b'], input=data, check=True,
                           stdout=subprocess.PIPE).stdout for command in commands))
        print(f'| {name} | {gradient} | {times[0]:.3f} | {times[1]:.3f} | {times[2]:.3f} '
              f'| {times[3]:.3f} | {times[3] / times[2]:.2f} | {times[2] / times[0]:.2f} '
              f'| {times[3] / times[1]:.2f} | {difference:.0e} |', flush=True)


def main():
    parser = programs.parser(__doc__, programs.SIZES, seconds=0.3)
    parser.add_argument('--peer-build', required=True)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=3)
    options = parser.parse_args()
    programs.start_table(f'{options.threads} thread(s), ms of the processor',
                         ['program', 'entry', 'primal', 'peer', 'gradient', 'peer', 'peer / Dagaz',
                          'ratio', "peer's", 'largest difference'])
    for name in options.programs:
        with tempfile.TemporaryDirectory() as folder:
            compare(name, options, folder)


if __name__ == '__main__':
    main()
