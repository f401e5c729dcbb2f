#!/usr/bin/env python3
"""How fast Dagaz compiles: whole-process times, peak memory and the per-pass table.

usage: compile_speed.py [--dagaz build/dagaz] [--runs N] [--peer COMMAND] [--long] FILE.fut...

For each file: `check`, `build --target=cpu` and `build --target=cuda --emit=ptx`, each N times
after one run that is not counted; medians of wall-clock time and of processor time (of all
threads; what a busy machine disturbs less), and the largest resident memory.
With --peer, `COMMAND check FILE` and `COMMAND c FILE` are timed in turn with ours.
With --long also programs of 5000 and 20000 `else if`, and of 2500 and 10000 statements: four times as
much should take not much more than four times as long.
"""
import argparse
import os
import statistics
import subprocess
import tempfile
import time

import long_programs
import machine


def once(command):
    """Wall-clock and processor seconds and peak resident MiB of one run, which must succeed."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f'{" ".join(command)} failed:\n{errors.decode()}')
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(command, runs):
    once(command)
    samples = [once(command) for _ in range(runs)]
    return (statistics.median(s for s, _, _ in samples),
            statistics.median(c for _, c, _ in samples), max(m for _, _, m in samples))


def write_long_programs(folder):
    """Paths of the programs of --long."""
    paths = []
    for maker, counts in ((long_programs.chain, (5000, 20000)),
                          (long_programs.statements, (2500, 10000))):
        for count in counts:
            paths.append(os.path.join(folder, f'{maker.__name__}_{count}.fut'))
            with open(paths[-1], 'w') as file:
                file.write(maker(count))
    return paths


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='*')
    parser.add_argument('--long', action='store_true')
    parser.add_argument('--dagaz', default='build/dagaz')
    parser.add_argument('--runs', type=int, default=9)
    parser.add_argument('--peer')
    options = parser.parse_args()
    print(f'{machine.headline()}; median of {options.runs} runs, whole process\n')
    print('| program | command | ms | processor ms | peak MiB |')
    print('|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        if options.long:
            options.files += write_long_programs(folder)
        for path in options.files:
            name = os.path.basename(path)
            output = os.path.join(folder, 'out')
            commands = [('check', [options.dagaz, 'check', path]),
                        ('build, cpu', [options.dagaz, 'build', path, '-o', output]),
                        ('build, PTX', [options.dagaz, 'build', path, '--target=cuda',
                                        '--emit=ptx', '-o', output])]
            if options.peer:
                commands += [('peer check', [options.peer, 'check', path]),
                             ('peer c (to C only)', [options.peer, 'c', '--library', '-o', output, path])]
            for label, command in commands:
                seconds, busy, memory = measure(command, options.runs)
                print(f'| {name} | {label} | {seconds * 1e3:.1f} | {busy * 1e3:.1f} | {memory:.0f} |',
                      flush=True)
        print('\nPasses of `build --target=cpu`, last file:\n\n```')
        table = subprocess.run([options.dagaz, 'build', options.files[-1], '--time-passes', '-o',
                                os.path.join(folder, 'out')], stderr=subprocess.PIPE, check=True)
        print(table.stderr.decode() + '```')


if __name__ == '__main__':
    main()
