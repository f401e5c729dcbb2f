#!/usr/bin/env python3
"""Programs on the simulated GPU of a named device, in several orders of threads, with every detector on.

usage: sim_seeds.py DAGAZ PATH… [--seeds=3] [--first=1] [--device=h100] [--turn=16] [--jobs=2]

Runs the test blocks with `dagaz test --verify --target=sim` once for each seed: threads give way before about
one of `--turn` accesses to global memory and their stores arrive late, races in global and in shared memory,
accesses outside of memory, barriers that some threads never reach, and reads through the read-only cache of what
a kernel writes are failures.  Prints what fails with the command that shows it again, then a table: a row for
each seed.  A seed takes about twenty minutes for the programs of `examples` and `tests/programs` on two cores.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('dagaz')
    parser.add_argument('paths', nargs='+')
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--device', default='h100')
    parser.add_argument('--turn', type=int, default=16)
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--seconds', type=int, default=3600, help='for one program')
    return parser.parse_args()


def environment(given):
    return {'DZ_SIM_DEVICE': given.device, 'DZ_SIM_TURN': str(given.turn), 'DZ_SIM_RACES': '1'}


def run(given, seed):
    """The test cases of all programs, as the runner reports them, and the seconds they took."""
    with tempfile.NamedTemporaryFile(suffix='.xml') as report:
        command = [given.dagaz, 'test', '--verify', '--target=sim', f'--sim-seed={seed}',
                   f'--jobs={given.jobs}', f'--timeout={given.seconds}', '--notty',
                   f'--junit={report.name}', *given.paths]
        start = time.monotonic()
        done = subprocess.run(command, env={**os.environ, **environment(given)},
                              capture_output=True, text=True)
        seconds = time.monotonic() - start
        if done.returncode not in (0, 1):
            raise SystemExit(f'{" ".join(command)}: {done.stderr}')
        return done.stdout, ElementTree.parse(report.name).getroot(), seconds


def row(seed, root, seconds):
    suites = list(root.iter('testsuite'))
    cases = list(root.iter('testcase'))
    failed = sum(case.find('failure') is not None or case.find('error') is not None
                 for case in cases)
    skipped = sum(case.find('skipped') is not None for case in cases)
    passed = len(cases) - failed - skipped
    return f'| {seed} | {len(suites)} | {passed} | {failed} | {skipped} | {seconds:.0f} |', failed


def main():
    given = arguments()
    rows = []
    for seed in range(given.first, given.first + given.seeds):
        printed, root, seconds = run(given, seed)
        rows.append(row(seed, root, seconds))
        if rows[-1][1]:
            setting = ' '.join(f'{name}={value}' for name, value in environment(given).items())
            print(f'with {setting} and --sim-seed={seed}:\n{printed}', flush=True)
    print('| seed | programs | cases that pass | that fail | left out | seconds |\n'
          '|---|---|---|---|---|---|')
    print('\n'.join(text for text, _ in rows))
    sys.exit(1 if any(failed for _, failed in rows) else 0)


if __name__ == '__main__':
    main()
