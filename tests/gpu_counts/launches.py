#!/usr/bin/env python3
"""Counts what programs ask of a GPU, with a stand-in for its driver that runs nothing.

usage: launches.py DAGAZ FOLDER_OF_LIBCUDA [-v] PROGRAM.fut|FOLDER ...

A program says in comments what one call of an entry point takes on an H100, after the first:

    -- counts: sum [1000000]f32: launches 1, waits 1, clears 1

`launches`, `copies`, `clears` and `writes` count what is started alone and what is started as a
part of a graph; `graphs` are started, with so many `parts`.

What is not named is not compared, but for `launches` and `waits`, which are always.  Where fewer
would do, that number stands before the word `now`.  Kernels do nothing, so what they would have
computed is zero, too: programs whose course depends on that say nothing about a GPU.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from claims import Number, claims, programs


def counted(program, libcuda, claim, runs):
    with tempfile.NamedTemporaryFile(suffix='.counts') as file:
        environment = {**os.environ, 'LD_LIBRARY_PATH': libcuda, 'COUNTS_FILE': file.name}
        command = [program, '-e', claim.entry, '-r', str(runs), '-n', '-b']
        done = subprocess.run(command, input=claim.data(), env=environment, capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f'{" ".join(command)}: {done.stderr.decode()}')
        lines = Path(file.name).read_text().split('\n')
    return {name: int(number) for name, number in (line.split() for line in lines if line)}


def per_call(program, libcuda, claim):
    """What a call takes once memory is cached; the very first also warms up."""
    two, three = (counted(program, libcuda, claim, runs) for runs in (2, 3))
    return {name: three[name] - two[name] for name in three}


def differs(found, number):
    return found != (number.least if number.now is None else number.now)


def check(path, dagaz, libcuda, verbose):
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'program')
        subprocess.run([dagaz, 'build', str(path), '--target=cuda', '-o', program], check=True)
        for claim in claims(path, 'counts'):
            found = per_call(program, libcuda, claim)
            expected = {'launches': Number(0, None), 'waits': Number(0, None), **claim.numbers}
            bad = [name for name, number in expected.items() if differs(found[name], number)]
            failures += bool(bad)
            if bad or verbose:
                shown = ', '.join(f'{name} {number}' for name, number in found.items() if number)
                print(f'{path.name}: {claim.entry} {claim.arguments}: {shown or "nothing"}'
                      + (f'; not as expected: {", ".join(bad)}' if bad else ''))
    return failures


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('dagaz')
    parser.add_argument('libcuda')
    parser.add_argument('-v', '--verbose', action='store_true')
    parser.add_argument('programs', nargs='+', type=Path)
    options = parser.parse_args()
    failures = sum(check(path, options.dagaz, options.libcuda, options.verbose)
                   for path in programs(options.programs))
    print(f'{failures} failed' if failures else 'all counts as expected')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
