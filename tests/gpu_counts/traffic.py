#!/usr/bin/env python3
"""Compares what a call moves in a GPU's memory with the least that is possible.

usage: traffic.py DAGAZ [-v] PROGRAM.fut|FOLDER ...

A program says in comments how many bytes a call of an entry point has to move, on an H100 as `sim`
has it (runtime/sim/access_counts.h says how):

    -- moves: product [128][128]f32 [128][128]f32: loads 131072, stores 65536, l2 262144,
    --   sectors 100

`loads` and `stores` are bytes of memory, of kernels, fills and copies, where each kernel begins
with an empty L2 cache.  `l2` are the bytes that L1 caches read from L2: what tiles of products or
of windows read again.  `sectors` are those that warps touch, in per cent of those that would hold
what they access: the worst kernel among those that ask for much.

Up to a tenth more than all loads and stores together is allowed, a tenth more of `l2`, and a
quarter more of sectors.  Where that is not reached, `loads 160000 now 480000` says what is; neither
more nor less than that may be found, a fiftieth aside.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from claims import claims, programs

ALLOWED = {'l2': 1.1, 'sectors': 1.25}
MEMORY = ('loads', 'stores')
MEMORY_ALLOWED = 0.1
SAME = 0.02
# Of the bytes that a call asks for, what a kernel does for its sectors to count.
MUCH = 0.1


def worst_sectors(kernels):
    moved = [one['l1_read_bytes'] + one['l1_written_bytes'] for one in kernels]
    return max((100 * one['sectors_per_request'] / one['least_sectors_per_request']
                for one, bytes in zip(kernels, moved)
                if bytes >= MUCH * sum(moved) and one['least_sectors_per_request'] > 0), default=0)


def moved(program, claim):
    command = [program, '-e', claim.entry, '-n', '-b', '--profile-format=json', '-d', 'h100']
    done = subprocess.run(command, input=claim.data(), capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f'{" ".join(command)}: {done.stderr.decode()}')
    events = [event['details'] for event in json.loads(done.stderr)['events']]
    kernels = [one for one in events if 'l2_read_bytes' in one]
    return {'loads': sum(one.get('memory_read_bytes', 0) for one in events),
            'stores': sum(one.get('memory_written_bytes', 0) for one in events),
            'l2': sum(one['l2_read_bytes'] for one in kernels),
            'sectors': round(worst_sectors(kernels))}


def too_much(names, found, numbers):
    """Whether these loads and stores are more than the least, by a share of all."""
    least = sum(numbers[name].least for name in MEMORY)
    return sum(max(0, found[name] - numbers[name].least) for name in names) > MEMORY_ALLOWED * least


def unexpected(found, numbers):
    """What is not as it is claimed to be; nor may `now` stay where the least is reached."""
    known = [name for name, number in numbers.items() if number.now is not None]
    bad = [name for name in known
           if abs(found[name] - numbers[name].now) > SAME * numbers[name].now]
    bad += [name for name, most in ALLOWED.items() if name in numbers
            and (name in known) == (found[name] <= numbers[name].least * most)]
    unknown = [name for name in MEMORY if name not in known]
    if too_much(unknown, found, numbers):
        bad += unknown
    elif len(unknown) < len(MEMORY) and not too_much(MEMORY, found, numbers):
        bad += [name for name in MEMORY if name in known]
    return sorted(set(bad))


def check(path, dagaz, verbose):
    wanted = claims(path, 'moves')
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'program')
        if wanted:
            subprocess.run([dagaz, 'build', str(path), '--target=sim', '-o', program], check=True)
        for claim in wanted:
            found = moved(program, claim)
            bad = unexpected(found, claim.numbers)
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
