#!/usr/bin/env python3
"""How many times as long as the primal a derivative takes, on a machine that is not alone.

usage: paired.py --eval COMMAND [--dagaz COMMAND] [--folder DIR] [--seconds S] [--threads N]

Answers an eval as tool.py does, and remembers its workloads.  Then calls the primals and the
derivatives of all workloads in turn, again and again for S seconds: what slows the machine down for a
while slows both.  The ratio of a round is that of the sums over its workloads; printed are quartiles
of the rounds' ratios, and of the times of both in milliseconds.

Each round also times a loop of multiplications in registers, which nothing but the processor's speed
can change: where the correlation of a time with it is near 1, its scatter is the machine's.  The last
line is of the quiet rounds, in which that loop took at most a tenth more than its least time.
"""
import argparse
import json
import statistics
import tempfile
import time

import drive
import library
import table
import tool

GAUGE = """
entry gauge (n: i64) (x: [64]f64): f64 =
  f64.sum (loop x = copy x for _i < n do map (\\y -> y * 0.999 + 0.001) x)
"""


def quartiles(values):
    return statistics.quantiles(values, n=4) if len(values) > 1 else values * 3


def workloads_of(options, served):
    """Lets the eval have its answers; its messages that evaluate, each once it was found valid."""
    evaluator, found = drive.start(options.eval, options.folder), []
    for line in evaluator.stdout:
        message = json.loads(line)
        answer = {'id': message['id'], **served.answer(message)}
        if not answer.get('success', True):
            raise SystemExit(answer['error'])
        evaluator.stdin.write(json.dumps(answer) + '\n')
        evaluator.stdin.flush()
        if message['kind'] == 'evaluate':
            found.append(message)
        elif message['kind'] == 'analysis' and not message['valid']:
            raise SystemExit(f'not valid: {found[-1]["function"]} of {found[-1]["description"]}')
    evaluator.wait()
    return found


class Call:
    """A workload, ready to be run and timed."""

    def __init__(self, served, message):
        adapter = tool.ADAPTERS.get(message['module'], tool.Adapter)
        self.program = served.libraries[message['module']]
        self.entry = adapter.entry(message['function'], message['input'])
        self.arguments = self.program.arguments(self.entry, adapter.input(message['input']))
        self.is_derivative = message['function'] in table.DERIVATIVES

    def milliseconds(self):
        results, times = self.program.time(self.entry, self.arguments, 1, 0)
        self.program.free_results(results, self.program.outputs(self.entry)[0])
        return times[0] / 1e6


def measure(calls, gauge, seconds):
    """Rounds of (primal, derivative, gauge), the first left out."""
    rounds, end = [], None
    while end is None or time.monotonic() < end or len(rounds) < 5:
        sums = [0, 0]
        for call in calls:
            sums[call.is_derivative] += call.milliseconds()
        if end is None:
            end = time.monotonic() + seconds
        else:
            rounds.append((*sums, gauge()))
    return rounds


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--eval', required=True)
    parser.add_argument('--dagaz', default='dagaz')
    parser.add_argument('--folder', default='.')
    parser.add_argument('--seconds', type=float, default=10)
    parser.add_argument('--threads', type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        served = tool.Tool(options, folder)
        calls = [Call(served, message) for message in workloads_of(options, served)]
        source = tool.Path(folder) / 'gauge.fut'
        source.write_text(GAUGE, encoding='utf-8')
        program = library.Library(library.build(options.dagaz, source, folder), 1)
        arguments = program.arguments('gauge', {'n': 20000, 'x': [1.0] * 64})
        rounds = measure(calls, lambda: program.time('gauge', arguments, 1, 0)[1][0] / 1e6,
                         options.seconds)
    primals, derivatives, gauges = zip(*rounds)
    columns = {'primal': primals, 'derivative': derivatives,
               'ratio': [d / p for p, d, _ in rounds], 'gauge': gauges}
    print(f'{len(calls)} calls a round, {len(rounds)} rounds')
    for name, values in columns.items():
        low, middle, high = quartiles(values)
        correlation = statistics.correlation(values, gauges) if len(set(values)) > 1 else 0
        print(f'{name:10s} median {middle:10.3f}   quartiles {low:10.3f} {high:10.3f}   '
              f'least {min(values):10.3f}   correlation with the gauge {correlation:5.2f}')
    quiet = [(p, d) for p, d, gauge in rounds if gauge <= 1.1 * min(gauges)]
    print(f'quiet      {len(quiet)} rounds: primal {statistics.median(p for p, _ in quiet):.3f}, '
          f'derivative {statistics.median(d for _, d in quiet):.3f}, '
          f'ratio {statistics.median(d / p for p, d in quiet):.3f}')


if __name__ == '__main__':
    main()
