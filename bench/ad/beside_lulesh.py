#!/usr/bin/env python3
"""Times bench/ad/lulesh.fut beside the reference program in C++ (LLNL/LULESH, version 2.0).

usage: beside_lulesh.py --reference FOLDER [--dagaz COMMAND] [--sizes N,N] [--threads N,N] [--rounds N]

FOLDER has the reference's source, which is compiled by `c++ -O3 -march=native -fopenmp`, without MPI.
Both run Sedov's blast to its end, in turn; the reference's time is the one that it prints, ours that of
`primal` in a context of its own; of several rounds the least counts.  The meshes are equal, the eleven
regions, which say how often an element's equation of state is evaluated, are each program's own.
Steps and the final energy at the origin have to be equal, to the digits that the reference prints;
else the exit status is 1.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]
import machine  # noqa: E402


def reference(program, size, threads):
    """Seconds, steps and the energy at the origin."""
    done = subprocess.run([program, '-s', str(size)], capture_output=True, text=True, check=True,
                          env={**os.environ, 'OMP_NUM_THREADS': str(threads)})

    def number(label):
        return float(re.search(label + r'\s*=\s*([\d.e+-]+)', done.stdout)[1])
    return number('Elapsed time'), int(number('Iteration count')), number('Final Origin Energy')


def ours(program, data, entry, threads, folder):
    """Seconds."""
    times = folder / 'times'
    subprocess.run([program, '-e', entry, '-n', '-r', '3', '-t', times, '--num-threads',
                    str(threads)], input=data, check=True, stdout=subprocess.DEVNULL)
    return min(float(line) for line in times.read_text().split()) / 1e6


def blast(program, size):
    """Steps and the energy at the origin."""
    done = subprocess.run([program, '-e', 'blast'], input=f'{size}i64', capture_output=True,
                          text=True, check=True)
    steps, energy = done.stdout.split()
    return int(steps.removesuffix('i64')), float(energy.removesuffix('f64'))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--reference', type=Path, required=True)
    parser.add_argument('--dagaz', default='dagaz')
    parser.add_argument('--sizes', default='10,20')
    parser.add_argument('--threads', default='1,2')
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    print(f'{machine.headline()}\n\n| elements | threads | steps | reference ms | primal ms | '
          'reference over ours | gradient ms | over primal |\n' + '|---' * 8 + '|', flush=True)
    failed = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(['c++', '-O3', '-march=native', '-fopenmp', '-DUSE_MPI=0', '-o',
                        folder / 'reference', *sorted(options.reference.glob('lulesh*.cc'))],
                       check=True)
        subprocess.run([options.dagaz, 'build', HERE / 'lulesh.fut', '-o', folder / 'ours'],
                       check=True)
        for size in map(int, options.sizes.split(',')):
            data = subprocess.run([folder / 'ours', '-e', 'generate', '-b'], check=True,
                                  input=f'{size}i64'.encode(), capture_output=True).stdout
            steps, energy = blast(folder / 'ours', size)
            for threads in map(int, options.threads.split(',')):
                rounds = []
                for _ in range(options.rounds):
                    theirs, their_steps, their_energy = reference(folder / 'reference', size,
                                                                  threads)
                    rounds.append((theirs, *(ours(folder / 'ours', data, entry, threads, folder)
                                             for entry in ('primal', 'gradient'))))
                theirs, primal, gradient = (min(column) * 1e3 for column in zip(*rounds))
                print(f'| {size}³ | {threads} | {steps} | {theirs:.1f} | {primal:.1f} '
                      f'| {theirs / primal:.2f} | {gradient:.1f} | {gradient / primal:.2f} |',
                      flush=True)
                if steps != their_steps or abs(energy / their_energy - 1) > 1e-6:
                    print(f'{size}³: {steps} steps and {energy}; the reference: {their_steps} and '
                          f'{their_energy}', file=sys.stderr)
                    failed = True
    return failed


if __name__ == '__main__':
    sys.exit(main())
