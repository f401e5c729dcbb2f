#!/usr/bin/env python3
"""Products of matrices beside NumPy and its OpenBLAS, in turn in one run; the ratio of medians.

For one thread:   OPENBLAS_NUM_THREADS=1 bench/products.py --threads 1
Times are of the product alone: Dagaz's as its programs tell with -t, NumPy's likewise.
"""
import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import machine  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))


def cases():
    """(name, entry, shapes, type, what NumPy does, operations)"""
    def product(n, k, m, entry='product_f32', kind='f4', note=''):
        multiply = {'left_transposed_f32': lambda a, b: a.T @ b,
                    'right_transposed_f32': lambda a, b: a @ b.T}.get(entry, lambda a, b: a @ b)
        left = (k, n) if entry.startswith('left') else (n, k)
        right = (m, k) if entry.startswith('right') else (k, m)
        kind_name = 'f64' if kind == 'f8' else 'f32'
        return (f'{kind_name} {n}x{k}x{m}{note}', entry, (left, right), kind, multiply,
                2 * n * k * m)
    for n in (512, 1024, 2048):
        yield product(n, n, n)
    for n in (512, 1024):
        yield product(n, n, n, 'product_f64', 'f8')
    yield product(1024, 1024, 1024, 'left_transposed_f32', note=' AᵀB')
    yield product(1024, 1024, 1024, 'right_transposed_f32', note=' ABᵀ')
    yield product(4096, 64, 4096)
    yield product(64, 8192, 64)
    yield ('f32 batch 256 of 64³', 'batch_f32', ((256, 64, 64), (256, 64, 64)), 'f4',
           lambda a, b: a @ b, 2 * 256 * 64 ** 3)
    def min_plus(a, b):
        c = numpy.full((a.shape[0], b.shape[1]), numpy.inf, dtype=a.dtype)
        for k in range(a.shape[1]):
            numpy.minimum(c, a[:, k:k + 1] + b[k], out=c)
        return c
    yield ('f32 min-plus 512³', 'min_plus_f32', ((512, 512), (512, 512)), 'f4', min_plus,
           2 * 512 ** 3)


def write_values(path, arrays):
    """In the binary format of values."""
    with open(path, 'wb') as out:
        for one in arrays:
            kind = b' f32' if one.dtype == numpy.float32 else b' f64'
            out.write(b'b\x02' + bytes([one.ndim]) + kind)
            out.write(numpy.array(one.shape, dtype='<i8').tobytes() + one.tobytes())


def read_values(path):
    with open(path, 'rb') as values:
        data = values.read()
    rank = data[2]
    kind = '<f4' if data[3:7] == b' f32' else '<f8'
    shape = numpy.frombuffer(data, '<i8', rank, 7)
    count = int(numpy.prod(shape))
    return numpy.frombuffer(data, kind, count, 7 + 8 * rank).reshape(shape)


def run_dagaz(program, entry, values, threads, runs, folder):
    times = os.path.join(folder, 'times')
    result = os.path.join(folder, 'result')
    with open(values, 'rb') as given, open(result, 'wb') as out:
        subprocess.run([program, '-e', entry, '-b', '-t', times, '-r', str(runs),
                        '--num-threads', str(threads)], stdin=given, stdout=out, check=True)
    with open(times, encoding='utf-8') as lines:
        return [float(line) * 1e-6 for line in lines], result


def run_numpy(multiply, arrays, runs):
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        result = multiply(*arrays)
        times.append(time.perf_counter() - start)
    return times[1:], result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--dagaz', default=os.path.join(HERE, '..', 'build', 'dagaz'))
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--runs', type=int, default=5)
    parser.add_argument('--only', default='', help='part of a case\'s name')
    options = parser.parse_args()
    generator = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, 'products')
        subprocess.run([options.dagaz, 'build', os.path.join(HERE, 'programs', 'products.fut'),
                        '-o', program], check=True)
        print(f'{machine.headline()}, {options.threads} thread(s), NumPy {numpy.__version__}')
        print(f'FMA peak of a core: f32 {machine.fma_peak("float"):.0f}, '
              f'f64 {machine.fma_peak("double"):.0f} GFLOP/s\n')
        print('| case | Dagaz, ms | NumPy, ms | GFLOP/s | NumPy / Dagaz | of minima '
              '| largest difference |\n|---|---|---|---|---|---|---|')
        for name, entry, shapes, kind, multiply, operations in cases():
            if options.only not in name:
                continue
            arrays = [generator.random(shape).astype(kind) for shape in shapes]
            values = os.path.join(folder, 'values')
            write_values(values, arrays)
            ours, theirs = [], []
            for _ in range(options.rounds):
                times, result = run_dagaz(program, entry, values, options.threads, options.runs,
                                          folder)
                ours += times
                times, expected = run_numpy(multiply, arrays, options.runs)
                theirs += times
            difference = numpy.max(numpy.abs(read_values(result) - expected) / numpy.abs(expected))
            a, b = statistics.median(ours), statistics.median(theirs)
            print(f'| {name} | {a * 1e3:.2f} | {b * 1e3:.2f} | {operations / a / 1e9:.1f} '
                  f'| {b / a:.2f} | {min(theirs) / min(ours):.2f} | {difference:.1e} |', flush=True)


if __name__ == '__main__':
    main()
