#!/usr/bin/env python3
"""Machine code that NVIDIA's assembler makes lies in what is built, and is what a GPU gets.

usage: assembled.py DAGAZ FOLDER_OF_LIBCUDA

`ptxas` is $PTXAS or the one on the path; without it this is skipped (status 77).  The stand-in for
the driver has an H100's attributes and says which kind of code it was given.
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
ELF_OF_CUDA = (190).to_bytes(2, 'little')
PROGRAM = """entry main (xs: []f32) = map (\\x -> f32.sin x * x) xs
entry sum (xs: []f32) = f32.sum xs
"""


def images(program):
    """How many files of machine code for GPUs there are in a file."""
    found, place = 0, program.find(b'\x7fELF')
    while place >= 0:
        found += program[place + 18:place + 20] == ELF_OF_CUDA
        place = program.find(b'\x7fELF', place + 1)
    return found


def loaded(program, libcuda, folder):
    counts = folder / 'counts'
    environment = {**os.environ, 'LD_LIBRARY_PATH': libcuda, 'COUNTS_FILE': str(counts),
                   'DAGAZ_CACHE': 'off'}
    subprocess.run([program, '-e', 'sum'], input=b'[1f32, 2f32]', env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    numbers = dict(line.split() for line in counts.read_text().splitlines())
    return int(numbers['ptx']), int(numbers['machine_code'])


def main():
    dagaz, libcuda = sys.argv[1:]
    ptxas = shutil.which(os.environ.get('PTXAS', 'ptxas'))
    if ptxas is None:
        print('no ptxas')
        return SKIPPED
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / 'program.fut').write_text(PROGRAM)
        for gpus, expected in [('sm_80,sm_90', (0, 1)), ('sm_80', (1, 0)), ('', (1, 0))]:
            program = folder / 'program'
            options = [f'--gpu-code={gpus}', f'--ptxas={ptxas}'] if gpus else []
            subprocess.run([dagaz, 'build', folder / 'program.fut', '--target=cuda', '-o', program,
                            *options], check=True)
            number = len(gpus.split(',')) if gpus else 0
            assert images(program.read_bytes()) == number, gpus
            found = loaded(program, libcuda, folder)
            assert found == expected, (gpus, found)
    print('machine code is embedded and taken')
    return 0


if __name__ == '__main__':
    sys.exit(main())
