#!/usr/bin/env python3
"""bench/compare on three cases and two threads, without JAX and the peer: that all is measured and
told, that what is missing is named, that a busy core is recorded, and that a run that is
interrupted keeps what it has.

usage: run.py DAGAZ BENCH

Ends with 77, which ctest shows as skipped, where NumPy is missing.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

CASES = ['greatest', 'filter', 'batch of 256, 64²']


def python_with_numpy():
    """This Python, or else the distribution's, for which packages of NumPy are made."""
    for python in (sys.executable, '/usr/bin/python3'):
        tried = subprocess.run([python, '-c', 'import numpy'], capture_output=True, check=False)
        if tried.returncode == 0:
            return python
    print('no NumPy (apt install python3-numpy)')
    sys.exit(77)


def check(condition, what):
    if not condition:
        sys.exit(f'failed: {what}')


def check_whole_run(command, folder):
    files = {kind: folder / f'results.{kind}' for kind in ('json', 'markdown', 'svg')}
    options = [f'--{kind}={path}' for kind, path in files.items()]
    pattern = '|'.join(f': {name}$' for name in CASES)
    subprocess.run([*command, *options, '--only', pattern, '--threads', '1', '2'], check=True)
    document = json.loads(files['json'].read_text())
    found = [(each['name'], each['threads']) for each in document['results']]
    check(found == [(name, threads) for threads in (1, 2) for name in CASES], f'results {found}')
    for each in document['results']:
        times = each['wall']
        check(set(times) == {'Dagaz', 'NumPy'}, f'{each["name"]} is measured for {list(times)}')
        check(all(0 < one['least'] <= one['median'] for one in times.values()), 'times')
    check(any('JAX' in each for each in document['absent']), 'JAX is not said to be missing')
    table = files['markdown'].read_text()
    check(all(f'| {name} |' in table for name in CASES), 'the table lacks a case')
    check('Missing: Futhark' in table, 'the table does not say who is missing')
    ElementTree.parse(files['svg'])


def check_busy_core(command, folder):
    files = [folder / 'busy.json', folder / 'busy.md']
    core = max(os.sched_getaffinity(0))
    subprocess.run([*command, f'--json={files[0]}', f'--markdown={files[1]}', '--only', ': filter$',
                    '--busy-core', str(core)], check=True)
    check(json.loads(files[0].read_text())['busy_core'] == core, 'the busy core is not recorded')
    check(f'Core {core} was busy' in files[1].read_text(), 'the page does not tell of a busy core')


def check_interruption(command, folder):
    """After the first result comes SIGTERM."""
    kept = folder / 'kept.json'
    with subprocess.Popen([*command, f'--json={kept}', '--only', 'reductions'],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        end = time.monotonic() + 120
        while not kept.exists() and run.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        run.send_signal(signal.SIGTERM)
        status = run.wait(60)
    check(status == 130, f'an interrupted run ends with status {status}')
    count = len(json.loads(kept.read_text())['results'])
    check(0 < count < 8, f'an interrupted run kept {count} results')


def main():
    dagaz, bench = sys.argv[1:]
    command = [python_with_numpy(), str(Path(bench) / 'compare' / 'compare.py'), '--dagaz', dagaz,
               '--no-jax', '--seconds', '0.01']
    if len(os.sched_getaffinity(0)) < 2:
        print('one core only')
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        check_whole_run(command, Path(folder))
        check_busy_core(command, Path(folder))
        check_interruption(command, Path(folder))


if __name__ == '__main__':
    main()
