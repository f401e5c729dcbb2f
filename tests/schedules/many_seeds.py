#!/usr/bin/env python3
"""Legal schedules and settings at random change no result.

usage: many_seeds.py DAGAZ FOLDER… [--seeds=20] [--first=1] [--every=1] [--targets=cpu,sim]

Runs the test blocks of every program of the folders (of each `--every`-th one), once for each seed and
target, with `dagaz test --random-plan=SEED`, and counts the runs.  A program that fails without a seed, too,
is left out.  What fails is printed with the command that shows it again.

One program takes about a second a seed on a CPU and two on the simulator (two cores, most of it LLVM): the
hundred programs of tests/programs with 20 seeds on both take an hour and a half.
"""
import argparse
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
    parser.add_argument('--seconds', type=int, default=600, help='for one run')
    return parser.parse_args()


def problem(command, seconds):
    """What is wrong, or nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return f'not done after {seconds} s'
    return '' if done.returncode == 0 else (done.stdout + done.stderr)[-1000:]


def main():
    given = arguments()
    programs = [path for folder in given.folders for path in sorted(folder.glob('*.fut'))]
    programs = [path for path in programs if '-- ==' in path.read_text()][::given.every]
    passed = failed = left_out = 0
    for target in given.targets.split(','):
        for path in programs:
            command = [given.dagaz, 'test', f'--target={target}', str(path)]
            if problem(command, given.seconds):
                left_out += 1
                print(f'[LEFT OUT] {" ".join(command)}', flush=True)
                continue
            for seed in range(given.first, given.first + given.seeds):
                seeded = command + [f'--random-plan={seed}']
                found = problem(seeded, given.seconds)
                passed += not found
                failed += bool(found)
                if found:
                    print(f'[FAIL] {" ".join(seeded)}\n{found}', flush=True)
    print(f'random schedules: {passed} runs equal, {failed} failed, {left_out} programs left out')
    sys.exit(1 if failed or not passed else 0)


if __name__ == '__main__':
    main()
