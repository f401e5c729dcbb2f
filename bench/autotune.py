#!/usr/bin/env python3
"""What `dagaz autotune` gains on six programs with two inputs each.

usage: autotune.py [--dagaz build/dagaz] [--seconds 40] [--rounds 7] [--threads 1] [NAME…]

Each of the entry points below is copied to a program of its own, with its two inputs, a small and a large
one, in the test block.  `dagaz autotune` searches for some seconds; then the program as the defaults and as
the .tuning file make it run by turns, once with each input in a process of some runs.  A round's ratio is
that of the two programs' least times; the table has the median of all rounds, the least and the greatest, so
that a ratio of one whose spread has one inside is noise.
"""
import argparse
import pathlib
import random
import re
import statistics
import struct
import subprocess
import tempfile

import machine
from side_by_side import random_value



def array(kind, dims, values):
    form = {'i64': 'q', 'f64': 'd'}[kind]
    return (b'b\x02' + bytes([len(dims)]) + kind.rjust(4).encode() + struct.pack(f'<{len(dims)}Q', *dims)
            + struct.pack(f'<{len(values)}{form}', *values))


def sparse(rows, length):
    """A matrix of so many rows, each with so many elements, in compressed rows, and a vector."""
    generator = random.Random(7)
    count = rows * length
    return b''.join([array('i64', [rows], range(0, count, length)),
                     array('i64', [count], [generator.randrange(1000) for _ in range(count)]),
                     array('f64', [count], [generator.random() for _ in range(count)]),
                     array('f64', [1000], [generator.random() for _ in range(1000)])])


# By entry point: its file, and inputs.
PROGRAMS = {
    'attention_gradient': ('compare/programs/networks', ['[2][16][8]f32 ' * 4, '[4][256][64]f32 ' * 4]),
    'heat': ('compare/programs/simulations', ['1000i64 [48][48]f32', '50i64 [1000][1000]f32']),
    'k_means': ('compare/programs/data', ['[5000][64]f32 [32][64]f32', '[100000][3]f32 [4][3]f32']),
    'mandelbrot': ('compare/programs/simulations', ['16i64 16i64 20000i32', '1000i64 1000i64 50i32']),
    'objective': ('gradbench/gmm', ['[25]f64 [25][20]f64 [25][20]f64 [25][190]f64 [1000][20]f64 1f64 0i64',
                                    '[5]f64 [5][10]f64 [5][10]f64 [5][45]f64 [4000][10]f64 1f64 0i64']),
    'sparse': ('compare/programs/products', [('16 rows of 20000', sparse(16, 20000)),
                                             ('100000 rows of 10', sparse(100000, 10))]),
}


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('names', nargs='*')
    parser.add_argument('--dagaz', default='build/dagaz')
    parser.add_argument('--seconds', type=float, default=40)
    parser.add_argument('--rounds', type=int, default=7)
    parser.add_argument('--threads', type=int, default=1, help='of what is measured at last')
    return parser.parse_args()


def least_time(options, program, entry, data, folder):
    times = folder / 'times'
    subprocess.run([program, '-e', entry, '-n', '-t', times, '-r', '5',
                    '--num-threads', str(options.threads)], input=data, stdout=subprocess.DEVNULL, check=True)
    return min(float(line) for line in times.read_text().split())


def value(spec):
    """An array of random numbers, or a number as it stands there."""
    number = re.fullmatch(r'(\d+)([if])(\d+)', spec)
    if not number:
        return random_value(spec, random.Random(7))
    kind = number[2] + number[3]
    form = {'i32': '<i', 'i64': '<q', 'f32': '<f', 'f64': '<d'}[kind]
    of_kind = int(number[1]) if number[2] == 'i' else float(number[1])
    return b'b\x02\x00' + kind.rjust(4).encode() + struct.pack(form, of_kind)


def named(data):
    """What an input is called, and its bytes."""
    if isinstance(data, tuple):
        return data
    return data.strip(), b''.join(value(one) for one in data.split())


def program_of(path, entry, inputs, folder):
    """The entry point alone, with inputs in files beside it."""
    text = path.read_text()
    text = re.sub(r'(?m)^-- ==\n(--.*\n)*', '', text)
    text = re.sub(r'(?m)^entry (\w+)', lambda one: ('entry ' if one[1] == entry else 'def ') + one[1], text)
    head = f'-- ==\n-- entry: {entry}\n'
    for number, data in enumerate(inputs):
        (folder / f'{number}.in').write_bytes(data)
        head += f'-- input @ {number}.in\n'
    for imported in path.parent.glob('*.fut'):
        (folder / imported.name).write_text(imported.read_text())
    program = folder / f'tuned_{entry}.fut'
    program.write_text(head + '\n' + text)
    return program


def measure(options, entry, root, folder):
    file, data = PROGRAMS[entry]
    inputs = [named(one) for one in data]
    program = program_of(root / 'bench' / f'{file}.fut', entry, [one for _, one in inputs], folder)
    dagaz = str(pathlib.Path(options.dagaz).resolve())
    subprocess.run([dagaz, 'build', program, '-o', folder / 'default', '-w'], check=True)
    subprocess.run([dagaz, 'autotune', program, '-w', f'--seconds={options.seconds}'], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([dagaz, 'build', program, '-o', folder / 'tuned', '-w'], check=True)
    tuning = folder / f'{program.name}.tuning'
    lines = tuning.read_text().split() if tuning.exists() else []
    found = ', '.join(line.split('.')[-1] for line in lines) or 'the defaults'
    for name, one in inputs:
        ratios = []
        for _ in range(options.rounds):
            before = least_time(options, folder / 'default', entry, one, folder)
            ratios.append(before / least_time(options, folder / 'tuned', entry, one, folder))
        print(f'| {entry} of {file.split("/")[-1]} | {name} | {statistics.median(ratios):.2f} '
              f'| {min(ratios):.2f}–{max(ratios):.2f} | {found} |', flush=True)
        found = ''


def main():
    options = arguments()
    root = pathlib.Path(__file__).resolve().parent.parent
    print(machine.headline())
    print('\n| program | input | times as fast | spread | tunables found |')
    print('|---|---|---:|---:|---|', flush=True)
    for name in options.names or PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            measure(options, name, root, pathlib.Path(folder))


if __name__ == '__main__':
    main()
