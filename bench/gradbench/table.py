#!/usr/bin/env python3
"""A table from the logs of drive.py: each eval's primal and derivative times, summed over workloads.

usage: table.py [--mean] LOG...

Only workloads that all tools of an eval have answered count.  Times of a workload are the least of
its runs, or with --mean their mean, as the harness scores them.
"""
import argparse
import json
from collections import defaultdict

DERIVATIVES = {'jacobian', 'gradient', 'dir', 'double'}


def read(paths):
    """eval → tool → (function, description) → nanoseconds; what was not valid is absent."""
    times = defaultdict(lambda: defaultdict(dict))
    for path in paths:
        with open(path, encoding='utf-8') as log:
            for line in log:
                record = json.loads(line)
                if record['valid']:
                    workload = (record['function'], record['description'])
                    times[record['eval']][record['tool']][workload] = record['times']
    return times


def milliseconds(workloads, names, statistic):
    return sum(statistic(workloads[name]) for name in names) / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--mean', action='store_true')
    parser.add_argument('logs', nargs='+', metavar='LOG')
    options = parser.parse_args()
    statistic = (lambda runs: sum(runs) / len(runs)) if options.mean else min
    print('| eval | workloads | tool | primal ms | derivative ms | ratio |')
    print('|---|---|---|---|---|---|')
    for name, tools in sorted(read(options.logs).items()):
        common = set.intersection(*(set(workloads) for workloads in tools.values()))
        derivatives = [workload for workload in common if workload[0] in DERIVATIVES]
        primals = [workload for workload in common if workload[0] not in DERIVATIVES]
        for tool, workloads in tools.items():
            primal = milliseconds(workloads, primals, statistic)
            derivative = milliseconds(workloads, derivatives, statistic)
            if derivatives:
                numbers = f'{primal:.3f} | {derivative:.3f} | {derivative / primal:.2f}'
            else:  # nested derivatives only: the fastest variant counts
                best = min(milliseconds(workloads, [each], statistic) for each in primals)
                numbers = f'– | {best:.3f} (best of {len(primals)}) | –'
            print(f'| {name} | {max(len(derivatives), 1)} | {tool} | {numbers} |')


if __name__ == '__main__':
    main()
