#!/usr/bin/env python3
"""How programs would scale over many processes, on paper; and whether the paper is right for few.

usage: run.py DAGAZ [--check] [--only ENTRY…]
Counts what four ranks send (`--rank-counts`), times one rank on one thread, and prints what the model of
loggp.py says of 10³ to 10⁵ ranks.  With --check first runs 2 and 4 ranks on a network that slow.c makes
slow, and compares what that costs with the model.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import loggp

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent.parent / 'tests' / 'ranks'
sys.path.insert(0, str(TESTS))
import run as ranks_tests  # noqa: E402

# (program, entry point, arguments, what it is)
PROGRAMS = [
    ('first.fut', 'dot', ['[2000000]f64', '[2000000]f64'], 'dot product'),
    ('counts.fut', 'running_sum_of_squares', ['[2000000]f64'], 'scan and sum'),
    ('counts.fut', 'histogram_and_sum', ['[2000000]i64'], 'histogram of 10 bins'),
    ('counts.fut', 'training_step', ['[200000][6]f64', '[200000]f64', '[6]f64'], 'training step'),
    ('sums_inside.fut', 'network', ['[100000][8]f64', '[100000]f64', '[5][8]f64', '[5]f64'],
     'step of a small network'),
    ('first.fut', 'k_means_step', ['[200000][3]f64', '[5][3]f64'], 'step of k-means'),
    ('examples.fut', 'ascend', ['[5]f64', '[5][8]f64', '[5][36]f64', '[20000][8]f64'],
     'step of a Gaussian mixture'),
    ('examples.fut', 'heated', ['10i64', '[4000][500]f64'], '10 steps of heat'),
    ('examples.fut', 'misfit', ['10i64', '[1000][500]f64', '[1000][500]f64'],
     '10 steps of heat and back'),
    ('loops.fut', 'normalised', ['[500000]f64', '10i64'], '10 norms'),
    ('turns.fut', 'transformed', ['[256][256]f64', '[256][256]f64'], 'Fourier, of 256 × 256'),
    ('turns.fut', 'product', ['[2000][200]f64', '[200][300]f64'], 'matrix product'),
]
COUNTED = 4
SLOW = loggp.Network(latency=50000, byte=200)


class Measured:
    """One entry point of a built program, with its arguments in a file."""

    def __init__(self, runs, source, entry, shapes):
        self.runs, self.entry = runs, entry
        self.program = f'{runs.folder}/{pathlib.Path(source).stem}'
        if not os.path.exists(self.program):
            runs.build(f'{TESTS}/{source}')
        self.input = f'{self.program}.{entry}.in'
        generate = [word for shape in shapes for word in ('-g', shape)]
        data = subprocess.run([runs.dagaz, 'data', '-b', *generate], check=True,
                              capture_output=True).stdout
        pathlib.Path(self.input).write_bytes(data)

    def run(self, ranks, *options, **settings):
        command = self.runs.command(ranks, self.program, '-e', self.entry, '-n', '--num-threads', '1',
                                    '--input', self.input, *options)
        done = subprocess.run(command, capture_output=True, text=True, timeout=600,
                              env={**self.runs.environment, **settings})
        if done.returncode != 0:
            raise RuntimeError(f'{self.entry} with {ranks} ranks: {done.stderr}')
        return done.stderr

    def counts(self, ranks):
        """{kind: (calls, bytes)} of one call, arguments whole on each rank."""
        rows = ranks_tests.counted(self.run(ranks, '--rank-counts'))
        return {kind: row[:2] for kind, row in rows.items()}

    def microseconds(self, ranks, runs, **settings):
        times = f'{self.program}.times'
        self.run(ranks, '-r', str(runs), '-t', times, **settings)
        # Whatever else the machine does only adds.
        return min(map(float, pathlib.Path(times).read_text().split()))


def total(network, ranks, counts):
    return sum(loggp.cost(network, ranks, kind, *row) for kind, row in counts.items())


def check(measured, library, title):
    """Rows of a table: what slow messages cost, and what the model says."""
    for ranks in 2, 4:
        counts = measured.counts(ranks)
        # Arguments that came by parts are whole after the first call, which is not timed.
        steady = {kind: row for kind, row in counts.items() if kind != 'gather'}
        fast = measured.microseconds(ranks, 5)
        slow = measured.microseconds(ranks, 5, LD_PRELOAD=library, SLOW_LATENCY=str(SLOW.latency),
                                     SLOW_BYTE=str(SLOW.byte))
        said = total(SLOW, ranks, steady)
        print(f'| {title} | {ranks} | {(slow - fast) / 1000:.1f} | {said / 1000:.1f} | '
              f'{(slow - fast) / said:.2f} |', flush=True)


def paper(measured, title):
    """A row: efficiency with 10³ to 10⁵ ranks, for a problem that grows with them, and for one a
    thousand times as large as what was measured."""
    alone = measured.microseconds(1, 3)
    counts = measured.counts(COUNTED)
    cells = []
    for ranks in 10 ** 3, 10 ** 4, 10 ** 5:
        # Each rank has as much as was measured: what is gathered or turned grows with the ranks.
        grown = {kind: (calls, loggp.scaled(kind, size, COUNTED, ranks) *
                        (ranks if kind in ('gather', 'turn') else 1))
                 for kind, (calls, size) in counts.items()}
        cells.append(f'{alone / (alone + total(loggp.CLUSTER, ranks, grown)):.2f}')
    for ranks in 10 ** 3, 10 ** 4, 10 ** 5:
        same = {kind: (calls, loggp.scaled(kind, size, COUNTED, ranks) *
                       (1000 if kind in ('gather', 'turn') else 1))
                for kind, (calls, size) in counts.items()}
        time = 1000 * alone / ranks + total(loggp.CLUSTER, ranks, same)
        cells.append(f'{1000 * alone / time:.0f}')
    sent = ', '.join(f'{kind} {calls} × {size // calls}' for kind, (calls, size) in counts.items()
                     if kind != 'agree')
    print(f'| {title} | {alone / 1000:.2f} | {sent} | {" | ".join(cells)} |', flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('dagaz')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--only', nargs='*', help='these entry points')
    arguments = parser.parse_args()
    name, compiler, launcher = ranks_tests.implementations()[0]
    with tempfile.TemporaryDirectory() as folder:
        runs = ranks_tests.Runs(os.path.abspath(arguments.dagaz), 'cpu', compiler, launcher, folder,
                                direct=False)
        all_measured = [(Measured(runs, source, entry, shapes), title)
                        for source, entry, shapes, title in PROGRAMS
                        if not arguments.only or entry in arguments.only]
        if arguments.check:
            library = f'{folder}/slow.so'
            subprocess.run([compiler, '-O1', '-shared', '-fPIC', f'{HERE}/slow.c', '-o', library],
                           check=True)
            print(f'Messages of {SLOW.latency:.0f} µs and {SLOW.byte:.0f} ns a byte, {name}:\n')
            print('| program | ranks | cost, ms | by the model, ms | ratio |\n|---|---|---|---|---|')
            for measured, title in all_measured:
                check(measured, library, title)
            print()
        print('| program | one rank, ms | sent by each of four ranks | efficiency, a problem that grows: '
              '10³ | 10⁴ | 10⁵ | speed-up, a thousand times the problem: 10³ | 10⁴ | 10⁵ |')
        print('|---|---|---|---|---|---|---|---|---|')
        for measured, title in all_measured:
            paper(measured, title)


if __name__ == '__main__':
    main()
