#!/usr/bin/env python3
"""bench/gpu's bundle for `sim`, with small sizes: that it runs without what it was made of, that all of
its stages pass, and that a wrong result, a program that fails and one that is not there are told.

usage: run.py DAGAZ BENCH
"""
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = '^(assertions|filtering|script_inputs|scatter_and_histogram|hmlstm)$'


def check(condition, what):
    if not condition:
        sys.exit(f'failed: {what}')


def run(bundle, out, *options):
    """The exit status, and the results."""
    done = subprocess.run([bundle / 'run-all', '--out', out, *options], capture_output=True,
                          text=True, check=False, env={'PATH': '/usr/bin:/bin'})
    check((out / 'results.json').exists(), f'no results: {done.stderr}')
    return done.returncode, json.loads((out / 'results.json').read_text()), done.stdout


def check_whole_run(bundle, out):
    status, document, said = run(bundle, out)
    check(status == 0, f'run-all ends with status {status}:\n{said}')
    stages = document['stages']
    check(list(stages) == ['maths', 'large', 'tests', 'timing', 'sanitizer'], f'stages {stages}')
    counts = {name: len(rows) for name, rows in stages.items()}
    check(counts['maths'] == 56 and counts['large'] > 20 and counts['timing'] > 38, f'{counts}')
    cases = sum(row['cases'] for row in stages['tests'])
    check(len(stages['tests']) >= 4 and cases >= 8, f'{cases} cases of tests')
    times = [row['least'] for row in stages['timing'] if 'least' in row]
    check(all(one >= 0 for one in times), 'times')
    table = (out / 'results.md').read_text()
    check("none of these times is a GPU's" in table, 'the page does not say what it is of')
    check('| scan_pairs 16384 | 0 |' in table and '| sin f32 |' in table, 'the page lacks rows')


def check_faults(bundle, out):
    """A result that is not the recorded one, a program that cannot run, and one that is not there."""
    folder = next(path.parent for path in sorted((bundle / 'tests').glob('*/000.out'))
                  if path.stat().st_size > 0)
    recorded = (folder / '000.out').read_bytes()
    (folder / '000.out').write_bytes(recorded[:-2] + bytes([recorded[-2] ^ 1]) + recorded[-1:])
    shutil.copy('/bin/false', bundle / 'programs' / 'maths')
    (bundle / 'programs' / 'memory').unlink()
    status, document, said = run(bundle, out, '--only', 'maths,tests,timing')
    check(status == 1, f'faults give status {status}')
    bad = {stage: [row['name'] for row in rows if not row['good']]
           for stage, rows in document['stages'].items()}
    check(bad['tests'] == [folder.name], f'of the tests are bad: {bad["tests"]}')
    check(len(bad['maths']) == 56, 'a program that ends is not bad')
    check(len(document['stages']['timing']) > 38, 'a program that is not there ends the stage')
    check('scan' in bad['timing'] and 'softmax, wide' not in bad['timing'], f'bad: {bad["timing"]}')
    check(folder.name in said, 'what is bad is not said')
    check(document['stages']['large'], 'the results of other stages are lost')


def main():
    dagaz, bench = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        made, bundle, out = (Path(folder) / name for name in ('made', 'bundle', 'out'))
        subprocess.run([sys.executable, Path(bench) / 'gpu' / 'bundle.py', '--dagaz', dagaz,
                        '--target', 'sim', '--small', '--no-peers', '--tests', TESTS, '--gradients',
                        'hmlstm', made], check=True)
        # Elsewhere it must run as well.
        made.rename(bundle)
        check_whole_run(bundle, out)
        check_faults(bundle, out)


if __name__ == '__main__':
    main()
