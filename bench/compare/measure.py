"""Measures cases with so many threads, and writes a line of JSON for each: what compare.py starts.

It runs in a process of its own, since JAX and OpenBLAS take the number of threads when they start,
and so that a crash ends one case only.
"""
import argparse
import json
import os
import sys
import tempfile
import time

import numpy as np

import contestants
from cases import CASES

LEAST_ROUNDS, MOST_ROUNDS = 5, 101
SAMPLE = 0.005  # seconds; what is faster is called several times
WALL, PROCESSOR = 'wall', 'processor'


def difference(ours, theirs):
    """The norm of the difference over that of the result, of that result where it is largest."""
    worst = 0.0
    if len(ours) != len(theirs):
        return float('inf')
    for a, b in zip(ours, theirs):
        if a.shape != b.shape:
            return float('inf')
        a, b = a.ravel().astype('f8'), b.ravel().astype('f8')
        same = a == b  # infinities, too
        distance = np.linalg.norm(np.where(same, 0, a - np.where(same, 0, b)))
        worst = max(worst, float(distance / (np.linalg.norm(b) or 1)))
    return worst if worst == worst else float('inf')


def sample(prepared, calls):
    """Seconds that a call takes: on the clock, and of the processor."""
    wall = processor = 0
    for _ in range(calls):
        start, start_cpu = time.perf_counter_ns(), time.process_time_ns()
        prepared.run()
        processor += time.process_time_ns() - start_cpu
        wall += time.perf_counter_ns() - start
        prepared.discard()
    return wall * 1e-9 / calls, processor * 1e-9 / calls


def alternate(prepared, seconds):
    """Samples of each, taken in turn; who begins changes from round to round."""
    names = list(prepared)
    calls = {}
    for name in names:
        sample(prepared[name], 1)
        calls[name] = max(1, int(SAMPLE / max(1e-7, sample(prepared[name], 1)[0])))
    samples = {name: [] for name in names}
    end = time.perf_counter() + seconds * len(names)
    for turn in range(MOST_ROUNDS):
        if turn >= LEAST_ROUNDS and time.perf_counter() > end:
            break
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            samples[name].append(sample(prepared[name], calls[name]))
    return samples


def summary(values):
    least, low, middle, high = np.percentile(values, (0, 25, 50, 75))
    return {'least': least, 'low': low, 'median': middle, 'high': high}


def check(case, prepared):
    """How far results are from NumPy's, or from those of the first of the others without it; who is
    further than allowed; and how many bytes the result has."""
    values = {name: each.value() for name, each in prepared.items()}
    reference = next((name for name in ('NumPy', 'JAX', 'Futhark') if name in values), None)
    differences = {name: difference(value, values[reference])
                   for name, value in values.items() if name != reference} if reference else {}
    far = [name for name, distance in differences.items() if not distance <= case.tolerance]
    return differences, far, sum(each.nbytes for each in values['Dagaz'])


def measured(case, present, options):
    """All that is known of a case: times, their spread, and ratios round by round."""
    inputs = case.inputs(np.random.default_rng(1))
    prepared, absent = {}, {}
    for each in present:
        try:
            made = each.prepare(case, inputs)
        except Exception as error:  # whatever hinders one must not hinder the others
            made, absent[each.name] = None, f'{type(error).__name__}: {error}'.strip()[:300]
        if made is not None:
            prepared[each.name] = made
    result = {'name': case.name, 'theme': case.program, 'threads': options.threads,
              'absent': absent}
    if 'Dagaz' not in prepared:
        return {**result, 'failed': absent['Dagaz']}
    differences, far, written = check(case, prepared)
    result.update(differences=differences, far=far, flops=case.flops, copies=case.copies,
                  element='double' if any(np.asarray(x).dtype == 'f8' for x in inputs) else 'float',
                  bytes_read=sum(np.asarray(x).nbytes for x in inputs), bytes_written=written)
    if 'Dagaz' in far:
        return {**result, 'failed': f'the result is off by {differences["Dagaz"]:.1e}'}
    samples = alternate(prepared, options.seconds)
    for each in prepared.values():
        each.close()
    for place, clock in enumerate((WALL, PROCESSOR)):
        times = {name: np.array([both[place] for both in each]) for name, each in samples.items()}
        result[clock] = {name: {**summary(each), 'ratio': summary(each / times['Dagaz'])}
                         for name, each in times.items()}
    result['rounds'] = len(samples['Dagaz'])
    return result


def tell(**what):
    print(json.dumps(what), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--dagaz', required=True)
    parser.add_argument('--peer')
    parser.add_argument('--no-jax', dest='jax', action='store_false')
    parser.add_argument('--threads', type=int, required=True)
    parser.add_argument('--seconds', type=float, required=True)
    parser.add_argument('names', nargs='+')
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.threads])
    if options.jax and contestants.jax is not None:
        contestants.jax.config.update('jax_enable_x64', True)
    with tempfile.TemporaryDirectory() as folder:
        present, absent = contestants.everybody(options, folder)
        tell(versions={each.name: each.version() for each in present}, absent=absent)
        for case in CASES:
            if case.name in options.names:
                tell(begun=case.name)
                tell(result=measured(case, present, options))


if __name__ == '__main__':
    sys.exit(main())
