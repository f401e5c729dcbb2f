#!/usr/bin/env python3
"""What `dagaz autotune` gains on six programs with two inputs each.

usage: autotune.py [--dagaz build/dagaz] [--seconds 40] [--rounds 7] [--threads 1] [NAME…]

Each program of bench/programs is copied to a folder of its own, with the two inputs below in its test block.
`dagaz autotune` searches for some seconds; then the program as the defaults and as the .tuning file make it
run by turns, once with each input and entry point in a process of some runs.  A round's ratio is that of the
two programs' least times; the table has the median of all rounds, the least and the greatest, so that a
ratio of one whose spread has one inside is noise.
"""
import argparse
import pathlib
import random
import re
import statistics
import subprocess
import tempfile

import machine
from side_by_side import random_value

INPUTS = {
    'blackscholes': ['[1000000]f64', '[10000]f64'],
    'gmm': ['[25]f64 [25][20]f64 [25][210]f64 [1000][20]f64', '[5]f64 [5][10]f64 [5][55]f64 [4000][10]f64'],
    'hmlstm': [' '.join(['[%d]f32'] * 2 + ['[%d][%d]f32'] * 4) % ((n,) * 10) for n in (1024, 128)],
    'matmul': ['[512][512]f32 [512][512]f32', '[48][48]f32 [48][48]f32'],
    'scan': ['[10000000]f32', '[20000]f32'],
    'stencils': ['[1000000]f64', '[10000]f64'],
}


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('names', nargs='*')
    parser.add_argument('--dagaz', default='build/dagaz')
    parser.add_argument('--seconds', type=float, default=40)
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--threads', type=int, default=1, help='of what is measured at last')
    return parser.parse_args()


def least_time(options, program, entry, data, folder):
    times = folder / 'times'
    subprocess.run([program, '-e', entry, '-n', '-t', times, '-r', '5',
                    '--num-threads', str(options.threads)], input=data, stdout=subprocess.DEVNULL, check=True)
    return min(float(line) for line in times.read_text().split())


def measure(options, name, root, folder):
    text = (root / 'bench' / 'programs' / f'{name}.fut').read_text()
    inputs = '\n'.join('-- random input { ' + one + ' }' for one in INPUTS[name])
    text = re.sub(r'-- random input .*', inputs, text, count=1)
    entries = re.search(r'-- entry: (.*)', text).group(1).split()
    program = folder / f'{name}.fut'
    program.write_text(text)
    dagaz = str(pathlib.Path(options.dagaz).resolve())
    subprocess.run([dagaz, 'build', program, '-o', folder / 'default', '-w'], check=True)
    subprocess.run([dagaz, 'autotune', program, '-w', f'--seconds={options.seconds}'], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([dagaz, 'build', program, '-o', folder / 'tuned', '-w'], check=True)
    tuning = folder / f'{name}.fut.tuning'
    lines = tuning.read_text().split() if tuning.exists() else []
    found = ', '.join(line.split('/')[-1].split(':')[-1] for line in lines) or 'the defaults'
    for one in INPUTS[name]:
        data = b''.join(random_value(spec, random.Random(7)) for spec in one.split())
        for entry in entries:
            ratios = []
            for _ in range(options.rounds):
                before = least_time(options, folder / 'default', entry, data, folder)
                ratios.append(before / least_time(options, folder / 'tuned', entry, data, folder))
            print(f'| {name} | {entry} | {one.split()[-1]} | {statistics.median(ratios):.2f} '
                  f'| {min(ratios):.2f}–{max(ratios):.2f} | {found} |', flush=True)
            found = ''


def main():
    options = arguments()
    root = pathlib.Path(__file__).resolve().parent.parent
    print(machine.headline())
    print('\n| program | entry point | input | times as fast | spread | tunables found |')
    print('|---|---|---|---:|---:|---|', flush=True)
    for name in options.names or INPUTS:
        with tempfile.TemporaryDirectory() as folder:
            measure(options, name, root, pathlib.Path(folder))


if __name__ == '__main__':
    main()
