#!/usr/bin/env python3
"""Says of kernels how many bytes NVIDIA's assembler moves from registers to memory and back.

usage: spills.py DAGAZ [-v] PROGRAM.fut|FOLDER ...

A program says in comments what kernels of a kind store at most, all together, on a GPU; `kernels`
are those of all kinds:

    -- spills: sm_80 row_blocks 0

Of a folder, those are looked at that say something.

`ptxas` is $PTXAS or the one on the path; without it this is skipped (status 77).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
CLAIM = re.compile(r'^-- spills: (sm_\d+) (\w+) (\d+)$', re.M)
KERNEL = re.compile(r"Compiling entry function '(\w+)'.*?(\d+) bytes spill stores.*?"
                    r"Used (\d+) registers", re.S)


def assembled(dagaz, ptxas, program, gpu):
    """The name, spilled bytes and registers of each kernel."""
    ptx = subprocess.run([dagaz, 'inspect', '--stage=ptx', '--target=cuda', f'--gpu={gpu}', '-w',
                          program], check=True, capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'kernels.ptx'
        file.write_text(ptx)
        done = subprocess.run([ptxas, f'-arch={gpu}', '-v', file, '-o', os.devnull], check=True,
                              capture_output=True, text=True)
    return [(name, int(spilled), int(registers))
            for name, spilled, registers in KERNEL.findall(done.stderr)]


def claims_of(program):
    return CLAIM.findall(program.read_text())


def check(program, dagaz, ptxas, verbose):
    claims = claims_of(program)
    assert claims, f'{program} claims nothing'
    failures = 0
    kernels = {gpu: assembled(dagaz, ptxas, program, gpu) for gpu in {one[0] for one in claims}}
    for gpu, kind, most in claims:
        wanted = r'\w+' if kind == 'kernels' else kind
        those = [one for one in kernels[gpu] if re.search(rf'_{wanted}_\d+$', one[0])]
        assert those, f'{program}: no {kind} for {gpu}'
        spilled = sum(one[1] for one in those)
        if verbose:
            for name, bytes_, registers in those:
                print(f'{gpu} {name}: {bytes_} bytes, {registers} registers')
        if spilled > int(most):
            failures += 1
            print(f'{program}: {kind} for {gpu} spill {spilled} bytes, more than {most}')
    return failures


def main():
    dagaz, *given = sys.argv[1:]
    ptxas = shutil.which(os.environ.get('PTXAS', 'ptxas'))
    if ptxas is None:
        print('no ptxas')
        return SKIPPED
    verbose = '-v' in given
    paths = [Path(one) for one in given if one != '-v']
    programs = [path for one in paths
                for path in (filter(claims_of, sorted(one.glob('*.fut'))) if one.is_dir()
                             else [one])]
    failures = sum(check(one, dagaz, ptxas, verbose) for one in programs)
    print(f'spills of {len(programs)} programs: {failures} more than they say')
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
