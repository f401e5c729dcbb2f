#!/usr/bin/env python3
"""Counts what programs ask of a GPU, with a stand-in for its driver that runs nothing.

usage: run.py DAGAZ FOLDER_OF_LIBCUDA [-v] PROGRAM.fut|FOLDER ...

A program says in comments what one call of an entry point takes on an H100, after the first:

    -- counts: sum [1000000]f32: launches 1, waits 1, clears 1

runs `sum` on an array of that type and size, of zeros, and compares.  What is not named is not
compared, but for `launches` and `waits`, which are always.  Kernels do nothing, so what they
would have computed is zero, too: programs whose course depends on that say nothing about a GPU.
"""
import argparse
import os
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

CLAIM = re.compile(r'^-- counts: (\w+)((?: (?:\[\d+\])*[a-z]+\d*(?:=\S+)?)*): (.+)$', re.MULTILINE)
ARGUMENT = re.compile(r'((?:\[\d+\])*)([a-z]+\d*)(?:=(\S+))?')
BYTES = {'bool': 1, 'i8': 1, 'u8': 1, 'i16': 2, 'u16': 2, 'f16': 2, 'i32': 4, 'u32': 4, 'f32': 4,
         'i64': 8, 'u64': 8, 'f64': 8}


def binary(text):
    """A value in the binary format: zeros, or the scalar that is given."""
    shape, kind, value = ARGUMENT.fullmatch(text).groups()
    sizes = [int(size) for size in re.findall(r'\d+', shape)]
    header = b'b\x02' + bytes([len(sizes)]) + kind.rjust(4).encode()
    header += b''.join(struct.pack('<q', size) for size in sizes)
    if value is not None:
        return header + int(value).to_bytes(BYTES[kind], 'little', signed=True)
    count = 1
    for size in sizes:
        count *= size
    return header + bytes(count * BYTES[kind])


def counted(program, libcuda, entry, data, runs):
    with tempfile.NamedTemporaryFile(suffix='.counts') as file:
        environment = {**os.environ, 'LD_LIBRARY_PATH': libcuda, 'COUNTS_FILE': file.name}
        command = [program, '-e', entry, '-r', str(runs), '-n', '-b']
        done = subprocess.run(command, input=data, env=environment, capture_output=True)
        if done.returncode != 0:
            raise SystemExit(f'{" ".join(command)}: {done.stderr.decode()}')
        lines = Path(file.name).read_text().split('\n')
    return {name: int(number) for name, number in (line.split() for line in lines if line)}


def per_call(program, libcuda, entry, data):
    """What a call takes once memory is cached; the very first also warms up."""
    two, three = (counted(program, libcuda, entry, data, runs) for runs in (2, 3))
    return {name: three[name] - two[name] for name in three}


def check(path, dagaz, libcuda, verbose):
    text = path.read_text()
    claims = CLAIM.findall(text)
    if not claims or len(claims) != text.count('-- counts:'):
        raise SystemExit(f'{path}: a comment `-- counts:` that is none, or none at all')
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'program')
        subprocess.run([dagaz, 'build', str(path), '--target=cuda', '-o', program], check=True)
        for entry, arguments, wanted in claims:
            data = b''.join(binary(one) for one in arguments.split())
            found = per_call(program, libcuda, entry, data)
            expected = {name: int(number)
                        for name, number in (one.split() for one in wanted.split(', '))}
            bad = {name for name in expected.keys() | {'launches', 'waits'}
                   if found[name] != expected.get(name, 0)}
            failures += bool(bad)
            if bad or verbose:
                shown = ', '.join(f'{name} {number}' for name, number in found.items() if number)
                print(f'{path.name}: {entry}{arguments}: {shown or "nothing"}'
                      + (f'; expected {wanted}' if bad else ''))
    return failures


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('dagaz')
    parser.add_argument('libcuda')
    parser.add_argument('-v', '--verbose', action='store_true')
    parser.add_argument('programs', nargs='+', type=Path)
    options = parser.parse_args()
    failures = 0
    for given in options.programs:
        paths = sorted(given.glob('*.fut')) if given.is_dir() else [given]
        failures += sum(check(path, options.dagaz, options.libcuda, options.verbose)
                        for path in paths)
    print(f'{failures} failed' if failures else 'all counts as expected')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
