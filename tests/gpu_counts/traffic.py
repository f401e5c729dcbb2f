#!/usr/bin/env python3
"""Compares what kernels read from and write to global memory with the least that is possible.

usage: traffic.py DAGAZ [-v] PROGRAM.fut|FOLDER ...

A program says in comments how many bytes a call of an entry point has to move, on an H100 as `sim`
has it:

    -- moves: softmax [40][1000]f32: loads 160000, stores 160000, sectors 100

`sectors` are those that warps touch, in per cent of those that would hold what they access: the
worst kernel among those that move much.  Up to a tenth more of bytes is allowed, and a quarter more
of sectors.  Where that is not reached, `loads 160000 now 480000` says what is; neither more nor
less than that may be found, a fiftieth aside.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from claims import claims, programs

ALLOWED = {'loads': 1.1, 'stores': 1.1, 'sectors': 1.25}
SAME = 0.02
# Of the bytes of a call, what a kernel moves for its sectors to count.
MUCH = 0.1


def worst_sectors(kernels):
    moved = [one['loaded_bytes'] + one['stored_bytes'] for one in kernels]
    return max((100 * one['sectors_per_request'] / one['least_sectors_per_request']
                for one, bytes in zip(kernels, moved)
                if bytes >= MUCH * sum(moved) and one['least_sectors_per_request'] > 0), default=0)


def moved(program, claim):
    command = [program, '-e', claim.entry, '-n', '-b', '--profile-format=json', '-d', 'h100']
    done = subprocess.run(command, input=claim.data(), capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f'{" ".join(command)}: {done.stderr.decode()}')
    kernels = [event['details'] for event in json.loads(done.stderr)['events']
               if 'loaded_bytes' in event['details']]
    return {'loads': sum(one['loaded_bytes'] for one in kernels),
            'stores': sum(one['stored_bytes'] for one in kernels),
            'sectors': round(worst_sectors(kernels))}


def differs(name, found, number):
    if number.now is not None:
        return abs(found - number.now) > SAME * number.now
    return found > number.least * ALLOWED[name]


def check(path, dagaz, verbose):
    wanted = claims(path, 'moves')
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'program')
        if wanted:
            subprocess.run([dagaz, 'build', str(path), '--target=sim', '-o', program], check=True)
        for claim in wanted:
            found = moved(program, claim)
            bad = [name for name, number in claim.numbers.items()
                   if differs(name, found[name], number)]
            failures += bool(bad)
            if bad or verbose:
                shown = ', '.join(f'{name} {number}' for name, number in found.items())
                print(f'{path.name}: {claim.entry} {claim.arguments}: {shown}'
                      + (f'; not as expected: {", ".join(bad)}' if bad else ''))
    return failures


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('dagaz')
    parser.add_argument('-v', '--verbose', action='store_true')
    parser.add_argument('programs', nargs='+', type=Path)
    options = parser.parse_args()
    failures = sum(check(path, options.dagaz, options.verbose)
                   for path in programs(options.programs))
    print(f'{failures} failed' if failures else 'nothing is moved twice')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
