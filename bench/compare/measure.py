"""Measures cases with so many threads, and writes a line of JSON for each: what compare.py starts.

It runs in a process of its own, since JAX and OpenBLAS take the number of threads when they start,
and so that compare.py can end what crashes or takes too long; it says whose turn it is before each
first call.
"""
import argparse
import json
import os
import sys
import time
from pathlib import Path

import numpy as np

import contestants
from cases import CASES

sys.path.append(str(Path(__file__).resolve().parent.parent))
import machine  # noqa: E402

LEAST_ROUNDS, MOST_ROUNDS = 5, 101
PATIENCE = 4  # times the seconds of a case; who takes longer is sampled less often
SAMPLE = 0.005  # seconds; what is faster is called several times
PAUSE = 0.005  # seconds before a turn of several threads: those of the one before look for work for a while
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


def alternate(prepared, seconds, first_calls, pause, look):
    """Samples of each by round, taken in turn; who begins changes from round to round.  Dagaz runs
    in every round; the others until they have had their seconds.  Each round ends with a `look`."""
    names = list(prepared)
    calls, spent = dict.fromkeys(names, 1), dict.fromkeys(names, 0.0)
    samples = {name: {} for name in names}

    def goes_on(name):
        if spent[name] > PATIENCE * seconds and samples[name]:
            return False
        return len(samples[name]) < LEAST_ROUNDS or spent[name] < seconds
    for name in names:
        if first_calls[name] < PATIENCE * seconds:
            sample(prepared[name], 1)
            calls[name] = max(1, int(SAMPLE / max(1e-7, sample(prepared[name], 1)[0])))
    for turn in range(MOST_ROUNDS):
        waiting = [name for name in names if goes_on(name)]
        if not waiting:
            break
        first = turn % len(names)
        for name in names[first:] + names[:first]:
            if name in waiting or name == 'Dagaz':
                time.sleep(pause)
                samples[name][turn] = sample(prepared[name], calls[name])
                spent[name] += samples[name][turn][0] * calls[name]
        look()
    return samples


def summary(values):
    least, low, middle, high = np.percentile(values, (0, 25, 50, 75))
    return {'least': least, 'low': low, 'median': middle, 'high': high}


def times_of(samples, ours, clock):
    """Seconds, and the ratios to ours of the same rounds."""
    times = {turn: both[clock] for turn, both in samples.items()}
    return {**summary(list(times.values())), 'rounds': len(times),
            'ratio': summary([time / ours[turn][clock] for turn, time in times.items()])}


def check(case, prepared):
    """How far results are from NumPy's, or from those of the first of the others without it; who is
    further than allowed; how many bytes the result has; and how long first calls took."""
    values, first_calls = {}, {}
    for name, each in prepared.items():
        tell(begun=case.name, by=name)
        start = time.perf_counter()
        values[name] = each.value()
        first_calls[name] = time.perf_counter() - start
    tell(begun=case.name, by=None)
    reference = next((name for name in ('NumPy', 'JAX', 'Futhark') if name in values), None)
    differences = {name: difference(value, values[reference])
                   for name, value in values.items() if name != reference} if reference else {}
    far = [name for name, distance in differences.items() if not distance <= case.tolerance]
    return differences, far, sum(each.nbytes for each in values['Dagaz']), first_calls


def measured(case, present, options, memory):
    """All that is known of a case: times, their spread, and ratios round by round; and, where
    memory is the limit, how fast it was at that time: on some machines that changes by half."""
    inputs = case.inputs(np.random.default_rng(1))
    prepared, absent = {}, {}
    reasons = {(name, left_out): why for name, left_out, why in options.without}
    for each in present:
        if (each.name, case.name) in reasons:
            absent[each.name] = reasons[each.name, case.name]
            continue
        try:
            made = each.prepare(case, inputs)
        except Exception as error:  # whatever hinders one must not hinder the others
            made, absent[each.name] = None, str(error).strip().split('\n', maxsplit=1)[0][:300]
        if made is not None:
            prepared[each.name] = made
    result = {'name': case.name, 'theme': case.program, 'threads': options.threads,
              'absent': absent}
    if 'Dagaz' not in prepared:
        return {**result, 'failed': absent['Dagaz']}
    differences, far, written, first_calls = check(case, prepared)
    result.update(differences=differences, far=far, flops=case.flops, copies=case.copies,
                  element='double' if any(np.asarray(x).dtype == 'f8' for x in inputs) else 'float',
                  bytes_read=sum(np.asarray(x).nbytes for x in inputs), bytes_written=written)
    if 'Dagaz' in far:
        return {**result, 'failed': f'the result is off by {differences["Dagaz"]:.1e}'}
    pause = PAUSE if options.threads > 1 else 0
    rates = []
    look = (lambda: rates.append(memory.sample())) if case.copies else (lambda: None)
    samples = alternate(prepared, options.seconds, first_calls, pause, look)
    if rates:
        result['bandwidth'] = machine.best(rates)
    for each in prepared.values():
        each.close()
    for place, clock in enumerate((WALL, PROCESSOR)):
        result[clock] = {name: times_of(each, samples['Dagaz'], place)
                         for name, each in samples.items()}
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
    parser.add_argument('--folder', required=True, help='for what is built')
    parser.add_argument('--without', nargs=3, action='append', default=[],
                        metavar=('NAME', 'CASE', 'REASON'))
    parser.add_argument('names', nargs='+')
    options = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:options.threads])
    if options.jax and contestants.jax is not None:
        contestants.jax.config.update('jax_enable_x64', True)
    present, absent = contestants.everybody(options, options.folder)
    tell(versions={each.name: each.version() for each in present}, absent=absent)
    memory = machine.Memory(options.threads)
    for case in CASES:
        if case.name in options.names:
            tell(result=measured(case, present, options, memory))


if __name__ == '__main__':
    sys.exit(main())
