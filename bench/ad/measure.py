#!/usr/bin/env python3
"""Time and memory of gradients over those of their primals, for the programs in this folder.

usage: measure.py [--dagaz COMMAND] [--threads N] [--seconds S] [--runs N] [--processor-time]
                  [--published] [--check] [PROGRAM ...]

Each program makes its own data (`generate`), at a size that takes a moment or, with --published, at
the literature's.  Times are the least of the runs that fit in S seconds, at least N; on a busy
machine the processor's time says more than the clock's.  Memory is the most that was alive at one
time, of which the arguments are part.  `least` is what the gradient's arguments and results alone
take.  Each entry point runs in a context of its own.

With --check the last column compares the gradient, on the same data, with central differences in f64
along one direction: the slopes' difference over the larger of 1 and the slope.  It has to be at most
1e-6, and 1e-3 for a gradient in f32; else the exit status is 1.
"""
import sys
import tempfile
import time

import programs
from programs import generate, library

# One entry point for each of many gradients, which `check` compares.
UNCHECKED = {'primitives'}
# Programs whose gradients are in f32.
SINGLE = {'lstm', 'kmeans_dense', 'kmeans_sparse', 'lbm', 'hmlstm'}

# The sweep over the number of arguments in hmlstm.fut, and the numbers in each argument.
ARITIES = (1, 2, 3, 4, 6, 8, 10, 12, 16)
SWEEP = 1 << 20


def sweep(shared, options):
    """Gradients of products of more and more arrays: all that is read and written, per second."""
    print('\n| arguments | gradient ms | GB/s | MiB | least MiB |')
    print('|---|---|---|---|---|')
    for arity in ARITIES:
        source, data, kinds = generate(shared, options.threads, (arity, SWEEP),
                                       'generate_sweep')
        elapsed, memory, least = measure(shared, options, f'arity_{arity}', source, data, kinds)
        print(f'| {arity} | {elapsed:.3f} | {least / elapsed / 1e6:.1f} | {memory / 2**20:.1f} '
              f'| {least / 2**20:.1f} |', flush=True)
        source.free_results(data, kinds)
        source.close()


def measure(shared, options, entry, source, data, kinds):
    """Milliseconds, bytes, and bytes of arguments and results, of `entry` on another's data."""
    program = library.Library(shared, options.threads)
    if options.processor_time:
        program.clock = time.process_time_ns
    arguments = [program.copy_from(source, value, kind) for value, kind in zip(data, kinds)]
    results, times = program.time(entry, arguments, options.runs, options.seconds)
    memory = program.peak_memory()
    outputs = program.outputs(entry)[0]
    least = sum(program.byte_count(value, kind)
                for value, kind in zip(arguments + results, kinds + outputs))
    program.free_results(results, outputs)
    program.free_results(arguments, kinds)
    program.close()
    return min(times) / 1e6, memory, least


def slope_difference(shared, options, source, data, kinds):
    """How far the slopes by the gradient and by differences are apart."""
    program = library.Library(shared, options.threads)
    arguments = [program.copy_from(source, value, kind) for value, kind in zip(data, kinds)]
    by_gradient, by_differences = (slope.value for slope in program.call('slopes', arguments))
    program.free_results(arguments, kinds)
    program.close()
    return abs(by_gradient - by_differences) / max(1, abs(by_differences))


def main():
    parser = programs.parser(__doc__, programs.SIZES, seconds=1)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--runs', type=int, default=2)
    parser.add_argument('--processor-time', action='store_true')
    parser.add_argument('--published', action='store_true')
    parser.add_argument('--check', action='store_true')
    options = parser.parse_args()
    columns = ['program', 'size', 'entry', 'primal ms', 'gradient ms', 'ratio', 'primal MiB',
               'gradient MiB', 'ratio', 'least MiB'] + ['check'] * options.check
    whose = ' of the processor' if options.processor_time else ''
    programs.start_table(f'{options.threads} thread(s); least ms{whose}, peak MiB', columns)
    wrong = 0
    swept = None
    with tempfile.TemporaryDirectory() as folder:
        for name in options.programs:
            small, published = programs.SIZES[name]
            shared = programs.build(options.dagaz, name, folder)
            for sizes in published if options.published else [small]:
                source, data, kinds = generate(shared, options.threads, sizes)
                checked = ''
                if options.check and name not in UNCHECKED:
                    off = slope_difference(shared, options, source, data, kinds)
                    wrong += not off <= (1e-3 if name in SINGLE else 1e-6)
                    checked = f' {off:.0e} |'
                for primal, gradient in programs.entries(name):
                    time_1, memory_1, _ = measure(shared, options, primal, source, data, kinds)
                    time_2, memory_2, least = measure(shared, options, gradient, source, data,
                                                      kinds)
                    print(f'| {name} | {" ".join(map(str, sizes))} | {gradient} | {time_1:.3f} '
                          f'| {time_2:.3f} | {time_2 / time_1:.2f} | {memory_1 / 2**20:.1f} '
                          f'| {memory_2 / 2**20:.1f} | {memory_2 / memory_1:.2f} '
                          f'| {least / 2**20:.1f} |{checked}', flush=True)
                source.free_results(data, kinds)
                source.close()
            swept = shared if name == 'hmlstm' else swept
        if swept is not None:
            sweep(swept, options)
    return 1 if wrong > 0 else 0


if __name__ == '__main__':
    sys.exit(main())
