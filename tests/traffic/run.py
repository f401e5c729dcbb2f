#!/usr/bin/env python3
"""Compares what kernels read from and write to global memory with the least that is possible.

usage: run.py DAGAZ [-v] PROGRAM.fut|FOLDER ...

A program says in comments how many bytes a call of an entry point has to move, on an H100 as `sim`
has it:

    -- moves: softmax [40][1000]f32: loads 160000, stores 160000, launches 1

runs `softmax` on an array of that type and size, of zeros.  Bytes may be up to a tenth more, launches
may not.
"""
import argparse
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CLAIM = re.compile(r'^-- moves: (\w+)((?: (?:\[\d+\])*[a-z]+\d*(?:=\S+)?)*): (.+)$', re.MULTILINE)
TOLERANCE = 1.1


def launches_module():
    """The counts of launches, whose arguments are written in the same way."""
    path = Path(__file__).parent.parent / 'launches' / 'run.py'
    spec = importlib.util.spec_from_file_location('launches', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


binary = launches_module().binary


def moved(program, entry, data):
    command = [program, '-e', entry, '-n', '-b', '--profile-format=json', '-d', 'h100']
    done = subprocess.run(command, input=data, capture_output=True)
    if done.returncode != 0:
        raise SystemExit(f'{" ".join(command)}: {done.stderr.decode()}')
    kernels = [event['details'] for event in json.loads(done.stderr)['events']
               if 'loaded_bytes' in event['details']]
    return {'loads': sum(one['loaded_bytes'] for one in kernels),
            'stores': sum(one['stored_bytes'] for one in kernels), 'launches': len(kernels)}


def is_more(name, found, least):
    return found > (least if name == 'launches' else least * TOLERANCE)


def check(path, dagaz, verbose):
    text = path.read_text()
    claims = CLAIM.findall(text)
    if not claims or len(claims) != text.count('-- moves:'):
        raise SystemExit(f'{path}: a comment `-- moves:` that is none, or none at all')
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'program')
        subprocess.run([dagaz, 'build', str(path), '--target=sim', '-o', program], check=True)
        for entry, arguments, wanted in claims:
            found = moved(program, entry, b''.join(binary(one) for one in arguments.split()))
            least = {name: int(number)
                     for name, number in (one.split() for one in wanted.split(', '))}
            bad = [name for name, number in least.items() if is_more(name, found[name], number)]
            failures += bool(bad)
            if bad or verbose:
                shown = ', '.join(f'{name} {number}' for name, number in found.items())
                print(f'{path.name}: {entry}{arguments}: {shown}'
                      + (f'; expected {wanted}' if bad else ''))
    return failures


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('dagaz')
    parser.add_argument('-v', '--verbose', action='store_true')
    parser.add_argument('programs', nargs='+', type=Path)
    options = parser.parse_args()
    failures = 0
    for given in options.programs:
        paths = sorted(given.glob('*.fut')) if given.is_dir() else [given]
        failures += sum(check(path, options.dagaz, options.verbose) for path in paths)
    print(f'{failures} failed' if failures else 'nothing is moved twice')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
