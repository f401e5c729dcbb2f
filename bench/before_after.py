#!/usr/bin/env python3
"""Two compilers side by side: how much faster what the second makes runs than what the first makes.

usage: before_after.py --before COMMAND [--dagaz build/dagaz] [--rounds 5] [PROGRAM…]

PROGRAM is one of bench/ad (by its name, with the data that it makes) or of bench/programs (with the
random inputs of its test block); all by default.  Executables of both compilers are run by turns on
the same data, each time for some calls, on one thread; a ratio is that of the least times.  What one
of the compilers cannot build is told and left out.  The last lines are the geometric mean of all
ratios and the least of them.
"""
import argparse
import math
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE / 'ad'))
import machine  # noqa: E402
import programs  # noqa: E402
from autotune import least_time  # noqa: E402
from programs import library  # noqa: E402
from side_by_side import block, random_value  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('names', nargs='*')
    parser.add_argument('--before', required=True)
    parser.add_argument('--dagaz', default='build/dagaz')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--threads', type=int, default=1)
    return parser.parse_args()


def build(command, path, program):
    done = subprocess.run([command, 'build', path, '-o', program, '-w'], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise library.Failure(done.stderr)
    return program


def data_of(name, program):
    """The entry points of a program, and their arguments as binary values."""
    if name not in programs.SIZES:
        entries, inputs = block(HERE / 'programs' / f'{name}.fut')
        return entries, b''.join(random_value(spec, random.Random(7)) for spec in inputs)
    sizes = ' '.join(map(str, programs.SIZES[name][0]))
    made = subprocess.run([program, '-e', 'generate', '-b'], input=sizes.encode(),
                          stdout=subprocess.PIPE, check=True)
    pairs = programs.entries(name)
    return list(dict.fromkeys(entry for pair in pairs for entry in pair)), made.stdout


def compare(options, name, root):
    """(entry point, ms before, ms after) of a program."""
    path = HERE / ('ad' if name in programs.SIZES else 'programs') / f'{name}.fut'
    both = [build(command, path, root / label)
            for command, label in ((options.before, 'before'), (options.dagaz, 'after'))]
    entries, data = data_of(name, both[1])
    for entry in entries:
        least = [math.inf, math.inf]
        for round_ in range(options.rounds):
            for i in (0, 1) if round_ % 2 == 0 else (1, 0):
                least[i] = min(least[i], least_time(options, both[i], entry, data, root) / 1e3)
        yield entry, *least


def main():
    options = arguments()
    small = {path.stem for path in (HERE / 'programs').glob('*.fut')
             if '-- random input' in path.read_text()} - programs.SIZES.keys()
    print(f'{machine.headline()}, {options.threads} thread(s)\n')
    print('| program | entry point | before ms | after ms | ratio |')
    print('|---|---|---:|---:|---:|', flush=True)
    ratios = {}
    for name in options.names or [*programs.SIZES, *sorted(small)]:
        with tempfile.TemporaryDirectory() as root:
            try:
                for entry, before, after in compare(options, name, pathlib.Path(root)):
                    ratios[name, entry] = before / after
                    print(f'| {name} | {entry} | {before:.3f} | {after:.3f} '
                          f'| {before / after:.2f} |', flush=True)
            except library.Failure as failure:
                print(f'| {name} | not compared: {str(failure).splitlines()[-1]} | | | |')
    mean = math.exp(sum(map(math.log, ratios.values())) / max(1, len(ratios)))
    print(f'\nGeometric mean of {len(ratios)} ratios: {mean:.2f}')
    for (name, entry), ratio in sorted(ratios.items(), key=lambda item: item[1])[:8]:
        print(f'{ratio:.2f} {name} {entry}')


if __name__ == '__main__':
    main()
