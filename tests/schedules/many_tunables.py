#!/usr/bin/env python3
"""Tunables at random change no result.

usage: many_tunables.py DAGAZ FOLDER… [--seeds=5] [--first=1] [--targets=cpu,sim]

Runs the test blocks of all programs of the folders once for each seed and target, with half of the tunables
(`dagaz explain --tunables`) at their lowest or highest value, or at one between.  What fails is printed with
the options that show it again.
"""
import argparse
import random
import re
import subprocess
import sys


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('dagaz')
    parser.add_argument('folders', nargs='+')
    parser.add_argument('--seeds', type=int, default=5)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--targets', default='cpu,sim')
    return parser.parse_args()


def tunables(dagaz):
    """(name, lowest, highest) of each."""
    text = subprocess.run([dagaz, 'explain', '--tunables'], capture_output=True, text=True, check=True).stdout
    rows = re.findall(r'^(\w+) = -?\d+ \((-?\d+) to (-?\d+)\)$', text, re.M)
    if not rows:
        sys.exit('many_tunables: `dagaz explain --tunables` lists none')
    return [(name, int(lowest), int(highest)) for name, lowest, highest in rows]


def drawn(rows, seed):
    """Options that set half of the tunables."""
    chance = random.Random(seed)
    options = []
    for name, lowest, highest in rows:
        if chance.random() < 0.5:
            continue
        between = lowest + int((highest - lowest + 1) ** chance.random()) - 1
        options += ['--tune', f'{name}={chance.choice([lowest, highest, between])}']
    return options


def main():
    given = arguments()
    rows = tunables(given.dagaz)
    failed = 0
    for seed in range(given.first, given.first + given.seeds):
        for target in given.targets.split(','):
            options = drawn(rows, seed)
            command = [given.dagaz, 'test', f'--target={target}', *options, *given.folders]
            done = subprocess.run(command, capture_output=True, text=True)
            last = (done.stdout.strip().splitlines() or ['nothing was run'])[-1]
            print(f'seed {seed}, {last}', flush=True)
            if done.returncode != 0:
                failed += 1
                print(f'[FAIL] {" ".join(command)}\n{done.stdout[-4000:]}{done.stderr[-4000:]}', flush=True)
    print(f'random tunables: {failed} of {given.seeds * len(given.targets.split(","))} runs failed')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
