#!/usr/bin/env python3
"""Compares how much memory gradients and their primals take, by the statistics of the runtime's pool.

usage: run.py DAGAZ [-v] PROGRAM.fut|FOLDER ...

A program says in comments what must hold:

    -- memory: product_gradient n=100000: gradient <= 2.1 * primal

compares the entry points `product_gradient` and `product_primal` (another primal: `newton over
primal`), each in a context of its own, on the data that `generate` makes of the sizes.  One of these
may be `threads=N`, which is 1 otherwise.  The condition is Python; it sees the sizes and, in bytes,
`gradient` and `primal`, the most that was alive at one time, arguments included, and `least`, what
the gradient's arguments and results take.  The pool rounds sizes up, by an eighth at most; powers of
two are exact.  Nothing is timed, and memory does not depend on the machine, so every run gives the
same numbers.
"""
import argparse
import re
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / 'bench' / 'gradbench'))
import library  # noqa: E402

CLAIM = re.compile(r'^-- memory: (\w+)(?: over (\w+))?((?: \w+=\d+)*): (.+)$', re.MULTILINE)


def claims(text):
    """Gradient, primal, sizes by name, and condition, of every comment."""
    if len(CLAIM.findall(text)) != text.count('-- memory:'):
        raise SystemExit('a comment `-- memory:` that is none: see the usage')
    for gradient, primal, sizes, condition in CLAIM.findall(text):
        named = {name: int(value) for name, value in (size.split('=') for size in sizes.split())}
        yield gradient, primal or gradient.replace('gradient', 'primal'), named, condition


def take(shared, threads, entry, source, data, kinds):
    """The most bytes alive in one call of `entry` on the source's data, and those of its arguments
    and results."""
    program = library.Library(shared, threads)
    arguments = [program.copy_from(source, value, kind) for value, kind in zip(data, kinds)]
    outputs, _ = program.outputs(entry)
    results = program.call(entry, arguments)
    least = sum(program.byte_count(value, kind)
                for value, kind in zip(arguments + results, kinds + outputs))
    peak = program.peak_memory()
    program.free_results(results, outputs)
    program.free_results(arguments, kinds)
    program.close()
    return peak, least


def compare(shared, gradient, primal, sizes):
    """What a condition sees."""
    threads = sizes.get('threads', 1)
    source = library.Library(shared, threads)
    parameters = source.entries['generate']['inputs']
    arguments = [source.argument(sizes[parameter['name']], parameter['type'])
                 for parameter in parameters]
    kinds, _ = source.outputs('generate')
    data = source.call('generate', arguments)
    of_primal, _ = take(shared, threads, primal, source, data, kinds)
    of_gradient, least = take(shared, threads, gradient, source, data, kinds)
    source.free_results(data, kinds)
    source.close()
    return {'gradient': of_gradient, 'primal': of_primal, 'least': least, **sizes}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('dagaz')
    parser.add_argument('paths', nargs='+', type=Path, metavar='PATH')
    parser.add_argument('-v', '--verbose', action='store_true')
    options = parser.parse_args()
    files = [file for path in options.paths
             for file in (sorted(path.glob('*.fut')) if path.is_dir() else [path])]
    count, failures = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            found = list(claims(file.read_text(encoding='utf-8')))
            shared = library.build(options.dagaz, file, folder) if found else None
            for gradient, primal, sizes, condition in found:
                seen = compare(shared, gradient, primal, sizes)
                holds = eval(condition, {'max': max}, seen)  # our own tests, not input
                count, failures = count + 1, failures + (not holds)
                if not holds or options.verbose:
                    print(f'{"ok" if holds else "FAILED"}: {file}: {gradient}: {condition}\n'
                          f'    with {", ".join(f"{k} = {v}" for k, v in seen.items())}; '
                          f'gradient / primal = {seen["gradient"] / seen["primal"]:.3f}')
    print(f'{count} comparisons, {failures} failed')
    return 1 if failures > 0 or count == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
