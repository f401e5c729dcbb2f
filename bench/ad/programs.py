"""The programs of this folder, their sizes, and what the scripts that measure them share."""
import argparse
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / 'gradbench')]
import library  # noqa: E402
import machine  # noqa: E402

# Program: (a size that takes a moment, published sizes), as arguments of `generate`.
SIZES = {
    'gmm': ((1000, 32, 25), [(1000, 64, 200), (1000, 128, 200), (10000, 32, 200),
                             (10000, 64, 25), (10000, 128, 25), (10000, 128, 200)]),
    'ba': ((49, 7776, 31843), [(257, 65132, 225911)]),
    'hand': ((22, 544, 800), [(22, 544, 100000), (22, 10597, 800), (22, 10597, 100000)]),
    'dlstm': ((2, 1024, 14), [(4, 4096, 14)]),
    'lstm': ((16, 20, 300, 192), [(1024, 20, 300, 192), (1024, 300, 80, 256)]),
    'kmeans_dense': ((5, 49402, 35), [(5, 494019, 35), (1024, 10000, 256), (1024, 2000000, 10)]),
    'kmeans_sparse': ((10, 1000, 131000, 144), [(10, 139000, 131000, 144), (10, 300000, 102000, 235),
                                                (10, 66000, 27000, 1971)]),
    'rsbench': ((68, 100, 10, 1000), [(68, 100, 10, 1020000), (68, 100, 10, 10200000)]),
    'xsbench': ((68, 1130, 100000), [(68, 11303, 17000000)]),
    'lbm': ((30, 24, 24, 20), [(75, 60, 60, 100), (150, 120, 120, 100)]),
    'lulesh': ((10,), [(5,), (20,)]),
    'dg': ((4, 8, 8, 5), [(16, 16, 16, 5)]),
    'hmlstm': ((1024, 1024), [(512, 512), (1024, 1024), (2048, 2048)]),
    'primitives': ((1000000,), [(10000000,), (100000000,)]),
}
# Programs whose pairs of entry points are not (primal, gradient) alone.
PAIRS = {
    'kmeans_dense': [('primal', 'gradient'), ('primal', 'newton')],
    'kmeans_sparse': [('primal', 'gradient'), ('primal', 'newton')],
    'primitives': [(f'{name}_primal', f'{name}_gradient') for name in (
        'reduce_sum', 'reduce_product', 'reduce_min', 'reduce_rows', 'reduce_recurrence',
        'reduce_matrices', 'scan_sum', 'scan_product', 'scan_min', 'scan_rows', 'scan_recurrence',
        'scan_matrices', 'hist_sum', 'hist_product', 'hist_min', 'hist_rows', 'hist_general')],
}


def entries(name):
    """The pairs of entry points of a program: a primal and what is measured against it."""
    return PAIRS.get(name, [('primal', 'gradient')])


def parser(usage, names, seconds):
    """The options that all scripts have."""
    result = argparse.ArgumentParser(description=usage,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument('programs', nargs='*', metavar='PROGRAM', default=list(names))
    result.add_argument('--dagaz', default='dagaz')
    result.add_argument('--seconds', type=float, default=seconds)
    return result


def start_table(what, columns):
    """Says where and when, and what, was measured; then come rows."""
    print(f'{machine.headline()}, {what}\n')
    print('| ' + ' | '.join(columns) + ' |\n' + '|---' * len(columns) + '|', flush=True)


def build(dagaz, name, folder):
    """The program as a shared library."""
    return library.build(dagaz, HERE / f'{name}.fut', folder)


def generate(shared, threads, sizes, entry='generate'):
    """A context with the program's data of the given sizes, the data, and their types."""
    program = library.Library(shared, threads)
    kinds = [parameter['type'] for parameter in program.entries[entry]['inputs']]
    arguments = [program.argument(size, kind) for size, kind in zip(sizes, kinds)]
    return program, program.call(entry, arguments), program.outputs(entry)[0]
