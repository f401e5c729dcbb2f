#!/usr/bin/env python3
"""Two compilers side by side: how much faster what the second makes runs than what the first makes.

usage: before_after.py --before COMMAND [--dagaz build/dagaz] [--seconds 1] [--rounds 5] [PROGRAM…]

PROGRAM is one of bench/ad (by its name, with the data that it makes) or of bench/programs (with the
random inputs of its test block); all by default.  Both compilers' programs are called by turns, in
one process on the same data for bench/ad and in processes of some runs for bench/programs, on one
thread; a ratio is that of the least processor times (of the clock's for processes).  Memory is the
most that was alive.  What the first compiler cannot build is told and left out.  The last lines are
the geometric mean of all ratios and the least of them.
"""
import argparse
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import time

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
    parser.add_argument('--seconds', type=float, default=1, help='of each entry point')
    parser.add_argument('--rounds', type=int, default=5, help='at least')
    parser.add_argument('--threads', type=int, default=1)
    return parser.parse_args()


def folder_of(root, label):
    folder = pathlib.Path(root) / label
    folder.mkdir(exist_ok=True)
    return folder


class Call:
    """An entry point of one program in a context of its own, on data of another context."""

    def __init__(self, shared, options, entry, source, data, kinds):
        self.program = library.Library(shared, options.threads)
        self.program.clock = time.process_time_ns
        self.entry, self.kinds, self.least = entry, kinds, math.inf
        self.values = [self.program.copy_from(source, value, kind) for value, kind in zip(data, kinds)]

    def run(self):
        results, times = self.program.time(self.entry, self.values, 1, 0)
        self.program.free_results(results, self.program.outputs(self.entry)[0])
        self.least = min(self.least, times[0] / 1e6)

    def close(self):
        memory = self.program.peak_memory()
        self.program.free_results(self.values, self.kinds)
        self.program.close()
        return memory / 2**20


def compare_calls(options, name, root):
    """(entry point, ms before, ms after, MiB before, MiB after) of a program of bench/ad."""
    shared = [programs.build(command, name, folder_of(root, label))
              for command, label in ((options.before, 'before'), (options.dagaz, 'after'))]
    source, data, kinds = programs.generate(shared[1], options.threads, programs.SIZES[name][0])
    for entry in dict.fromkeys(entry for pair in programs.entries(name) for entry in pair):
        calls = [Call(each, options, entry, source, data, kinds) for each in shared]
        end, rounds = time.monotonic() + options.seconds, 0
        while rounds < options.rounds or time.monotonic() < end:
            for call in calls if rounds % 2 == 0 else reversed(calls):
                call.run()
            rounds += 1
        memory = [call.close() for call in calls]
        yield entry, *(call.least for call in calls), *memory
    source.free_results(data, kinds)
    source.close()


def compare_processes(options, name, root):
    """The same of a program of bench/programs, without memory."""
    path = HERE / 'programs' / f'{name}.fut'
    entries, inputs = block(path)
    builds = []
    for command, label in ((options.before, 'before'), (options.dagaz, 'after')):
        builds.append(folder_of(root, label) / name)
        done = subprocess.run([command, 'build', path, '-o', builds[-1], '-w'], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise library.Failure(done.stderr)
    for entry in entries:
        data = b''.join(random_value(spec, random.Random(7)) for spec in inputs)
        least = [math.inf, math.inf]
        for _ in range(options.rounds):
            for i, program in enumerate(builds):
                least[i] = min(least[i], least_time(options, program, entry, data,
                                                    pathlib.Path(root)) / 1e3)
        yield entry, *least, math.nan, math.nan


def main():
    options = arguments()
    small = {path.stem for path in (HERE / 'programs').glob('*.fut')} - programs.SIZES.keys()
    print(f'{machine.headline()}, {options.threads} thread(s)\n')
    print('| program | entry point | before ms | after ms | ratio | before MiB | after MiB |')
    print('|---|---|---:|---:|---:|---:|---:|', flush=True)
    ratios = {}
    for name in options.names or [*programs.SIZES, *sorted(small)]:
        compare = compare_calls if name in programs.SIZES else compare_processes
        with tempfile.TemporaryDirectory() as root:
            try:
                for entry, before, after, *memory in compare(options, name, root):
                    ratios[name, entry] = before / after
                    sizes = ' | '.join('' if math.isnan(each) else f'{each:.1f}' for each in memory)
                    print(f'| {name} | {entry} | {before:.3f} | {after:.3f} '
                          f'| {before / after:.2f} | {sizes} |', flush=True)
            except library.Failure as failure:
                print(f'| {name} | not compared: {str(failure).splitlines()[-1]} | | | | | |')
    mean = math.exp(sum(map(math.log, ratios.values())) / max(1, len(ratios)))
    print(f'\nGeometric mean of {len(ratios)} ratios: {mean:.2f}')
    for (name, entry), ratio in sorted(ratios.items(), key=lambda item: item[1])[:8]:
        print(f'{ratio:.2f} {name} {entry}')


if __name__ == '__main__':
    main()
