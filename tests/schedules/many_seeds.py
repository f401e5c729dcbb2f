#!/usr/bin/env python3
"""Legal schedules and settings at random change no result.

usage: many_seeds.py DAGAZ FOLDER… [--seeds=20] [--first=1] [--every=1] [--targets=cpu,sim] [--jobs=2]

Runs the test blocks of every program of the folders (of each `--every`-th one), once for each seed and
target, with `dagaz test --random-plan=SEED`, and counts the seeds.  Seeds that make the same imperative code
(`dagaz inspect`) are run once.  A program that fails without a seed, too, is left out.  What fails is printed
with the command that shows it again.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import pathlib
import subprocess
import sys


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('dagaz')
    parser.add_argument('folders', nargs='+', type=pathlib.Path)
    parser.add_argument('--seeds', type=int, default=20)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--targets', default='cpu,sim')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--seconds', type=int, default=600, help='for one run')
    return parser.parse_args()


def problem(command, seconds):
    """What is wrong, or nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f'not done after {seconds} s'
    return '' if done.returncode == 0 else (done.stdout + done.stderr)[-1000:]


def code_of(given, path, target, seed):
    """What the program becomes, as a digest; programs that are not compiled have none of their own."""
    command = [given.dagaz, 'inspect', '--stage=imperative', f'--target={target}', str(path), '-w',
               f'--random-plan={seed}']
    done = subprocess.run(command, capture_output=True, timeout=given.seconds)
    return hashlib.sha256(done.stdout).digest() if done.returncode == 0 else b''


def try_program(given, path, target):
    counts = collections.Counter()
    command = [given.dagaz, 'test', f'--target={target}', '--jobs=1', str(path)]
    if problem(command, given.seconds):
        print(f'[LEFT OUT] {" ".join(command)}', flush=True)
        return collections.Counter(left_out=1)
    outcomes = {}
    for seed in range(given.first, given.first + given.seeds):
        code = code_of(given, path, target, seed)
        if code not in outcomes:
            seeded = command + [f'--random-plan={seed}']
            outcomes[code] = problem(seeded, given.seconds)
            counts['run'] += 1
            if outcomes[code]:
                print(f'[FAIL] {" ".join(seeded)}\n{outcomes[code]}', flush=True)
        counts['failed' if outcomes[code] else 'equal'] += 1
    return counts


def main():
    given = arguments()
    programs = [path for folder in given.folders for path in sorted(folder.glob('*.fut'))]
    programs = [path for path in programs if '-- ==' in path.read_text()][::given.every]
    counts = collections.Counter()
    for target in given.targets.split(','):
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            for one in pool.map(lambda path: try_program(given, path, target), programs):
                counts += one
        print(f'random schedules to {target}: {counts["equal"]} equal, {counts["failed"]} failed, '
              f'{counts["run"]} of them different code; {counts["left_out"]} programs left out', flush=True)
    sys.exit(1 if counts['failed'] or not counts['equal'] else 0)


if __name__ == '__main__':
    main()
