#!/usr/bin/env python3
"""Time and accuracy of functions of reals in maps, which run in vectors.

usage: vector_math.py [--dagaz COMMAND] [--seconds S] [FUNCTION ...]

Each function is mapped over numbers that stay in a cache.  Times are per element, of the processor;
a tenth of the runs that fit in S seconds took less.  `1 + x` says how much of that is the call, the
loads and the stores.  The error is the largest against numpy's functions of long doubles, in units
of the last place; functions that numpy does not have are only timed.  Needs numpy.
"""
import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent / 'gradbench'))
import library  # noqa: E402
import machine  # noqa: E402

COUNT = 20000
# Function: the expression, where its arguments lie, and numpy's function.
FUNCTIONS = {
    '1 + x': ('1 + x', [(-1, 1)], lambda x: 1 + x),
    'sqrt': ('R.sqrt x', [(0, 100)], np.sqrt),
    'exp': ('R.exp x', [(-80, 80)], np.exp),
    'log': ('R.log x', [(1e-5, 100)], np.log),
    'log2': ('R.log2 x', [(1e-5, 100)], np.log2),
    'log10': ('R.log10 x', [(1e-5, 100)], np.log10),
    'log1p': ('R.log1p x', [(-0.99, 100)], np.log1p),
    'sin': ('R.sin x', [(-20, 20)], np.sin),
    'cos': ('R.cos x', [(-20, 20)], np.cos),
    'tan': ('R.tan x', [(-10, 10)], np.tan),
    'asin': ('R.asin x', [(-1, 1)], np.arcsin),
    'acos': ('R.acos x', [(-1, 1)], np.arccos),
    'atan': ('R.atan x', [(-10, 10)], np.arctan),
    'sinh': ('R.sinh x', [(-10, 10)], np.sinh),
    'cosh': ('R.cosh x', [(-10, 10)], np.cosh),
    'tanh': ('R.tanh x', [(-8, 8)], np.tanh),
    'asinh': ('R.asinh x', [(-10, 10)], np.arcsinh),
    'acosh': ('R.acosh x', [(1, 10)], np.arccosh),
    'atanh': ('R.atanh x', [(-1, 1)], np.arctanh),
    'cbrt': ('R.cbrt x', [(-100, 100)], np.cbrt),
    'sigmoid': ('1 / (1 + R.exp (-x))', [(-20, 20)], lambda x: 1 / (1 + np.exp(-x))),
    'erf': ('R.erf x', [(-4, 4)], None),
    'erfc': ('R.erfc x', [(-4, 4)], None),
    'gamma': ('R.gamma x', [(0.1, 20)], None),
    'lgamma': ('R.lgamma x', [(0.1, 20)], None),
    'pow': ('x R.** y', [(0.01, 20), (-10, 10)], np.power),
    'atan2': ('R.atan2 x y', [(-3, 3), (-3, 3)], np.arctan2),
    'hypot': ('R.hypot x y', [(-3, 3), (-3, 3)], np.hypot),
}
REALS = {'f32': np.float32, 'f64': np.float64}


def entry(number, real):
    """Names of entry points cannot be those of the functions, which may be formulas."""
    return f'function_{number}_{real}'


def source(names):
    lines = []
    for number, name in enumerate(names):
        expression, places, _ = FUNCTIONS[name]
        parameters = 'xy'[:len(places)]
        for real in REALS:
            declared = ' '.join(f'({p}s: [n]{real})' for p in parameters)
            arrays = ' '.join(f'{p}s' for p in parameters)
            mapped = 'map2' if len(places) > 1 else 'map'
            lines.append(
                f'entry {entry(number, real)} [n] {declared}: [n]{real} = {mapped} '
                f'(\\{" ".join(parameters)} -> {expression.replace("R.", real + ".")}) {arrays}')
    return '\n'.join(lines) + '\n'


def error(given, right, real):
    """The largest error in units of the last place of what is right."""
    unit = np.spacing(np.abs(right.astype(real))).astype(np.longdouble)
    return float(np.max(np.abs(given.astype(np.longdouble) - right) / unit))


def measure(program, number, name, real, seconds):
    """Nanoseconds per element, and the error where there is something to compare with."""
    called = entry(number, real)
    _, places, function = FUNCTIONS[name]
    random = np.random.default_rng(1)
    inputs = [random.uniform(low, high, COUNT).astype(REALS[real]) for low, high in places]
    kinds = [parameter['type'] for parameter in program.entries[called]['inputs']]
    arguments = [program.argument(list(map(float, x)), kind) for x, kind in zip(inputs, kinds)]
    outputs = program.outputs(called)[0]
    results, times = program.time(called, arguments, 3, seconds)
    given = np.array(program.result(results[0], outputs[0]), dtype=REALS[real])
    program.free_results(results, outputs)
    program.free_results(arguments, kinds)
    off = None
    if function is not None:
        off = error(given, function(*(x.astype(np.longdouble) for x in inputs)), REALS[real])
    return float(np.quantile(times, 0.1)) / COUNT, off


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('functions', nargs='*', metavar='FUNCTION', default=list(FUNCTIONS))
    parser.add_argument('--dagaz', default='dagaz')
    parser.add_argument('--seconds', type=float, default=0.3)
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f'{machine.headline()}, 1 thread; processor time in ns per element, '
          'error in units of the last place\n')
    print('| function | f32 | error | f64 | error |\n|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'functions.fut'
        path.write_text(source(options.functions), encoding='utf-8')
        program = library.Library(library.build(options.dagaz, path, folder), 1)
        program.clock = time.process_time_ns
        for number, name in enumerate(options.functions):
            columns = []
            for real in REALS:
                elapsed, off = measure(program, number, name, real, options.seconds)
                columns += [f'{elapsed:.2f}', '' if off is None else f'{off:.1f}']
            print(f'| {name} | ' + ' | '.join(columns) + ' |', flush=True)
        program.close()


if __name__ == '__main__':
    main()
