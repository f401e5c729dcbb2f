#!/usr/bin/env python3
"""Dagaz beside NumPy with OpenBLAS, JAX and Futhark's multicore code: the same work, in turn.

usage: compare.py [--dagaz COMMAND] [--peer COMMAND] [--threads 1 2] [--seconds S] [--limit S]
                  [--busy-core N] [--only PATTERN] [--json FILE] [--markdown FILE] [--svg FILE]

Results are compared before anything is timed.  Each takes part for about S seconds a case; medians,
quartiles and ratios round by round go to the JSON file after every case, so what was measured is
kept when the run is interrupted.  Who is missing is named and left out, and so is, for one case,
who crashes or takes longer than --limit for the first call, in which JAX compiles; NumPy is needed,
for the data.
`--peer` is a command that runs Futhark's compiler on files below the current folder.
"""
import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import report
from cases import CASES

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
import machine  # noqa: E402


def environment(threads):
    """What tells NumPy and JAX how many threads to use, and OpenBLAS its kernels: some versions do
    not know new processors, and take the slowest."""
    with open('/proc/cpuinfo', encoding='utf-8') as info:
        flags = info.read()
    changed = {'OPENBLAS_NUM_THREADS': str(threads), 'OMP_NUM_THREADS': str(threads)}
    # Its threads keep their cores busy for 2^28 cycles after a call, in which it is others' turn.
    changed['OPENBLAS_THREAD_TIMEOUT'] = '10'
    if 'avx512f' in flags:
        changed['OPENBLAS_CORETYPE'] = 'SkylakeX'
    elif 'avx2' in flags:
        changed['OPENBLAS_CORETYPE'] = 'Haswell'
    if threads == 1:
        changed['XLA_FLAGS'] = \
            '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'
    return {**changed, **os.environ}


@contextmanager
def busy(core):
    """Meanwhile this core is busy half of the time; none where it is None."""
    if core is None:
        yield
        return
    # Ends with its standard input, also where this process is killed.
    with subprocess.Popen([sys.executable, str(HERE / 'busy_core.py'), str(core)],
                          stdin=subprocess.PIPE, start_new_session=True):
        yield


class Progress:
    """One line on a terminal, which always shows the case that is running."""

    def __init__(self, count):
        self.count, self.done = count, 0
        self.shown = sys.stderr.isatty()

    def say(self, text):
        if self.shown:
            print(f'\r\x1b[K[{self.done}/{self.count}] {text}', end='', file=sys.stderr, flush=True)

    def finish(self):
        if self.shown:
            print('\r\x1b[K', end='', file=sys.stderr, flush=True)


def bandwidth(threads):
    memory = machine.Memory(threads)
    rates = memory.bandwidth()
    memory.close()
    return rates


class Run:
    """A run over all cases and numbers of threads, and the file that it goes to."""

    def __init__(self, options, names):
        self.options, self.names = options, names
        self.progress = Progress(len(names) * len(options.threads))
        self.process = None
        self.without = []  # who, in which case, and why
        self.was_slow = False
        self.document = {
            'machine': machine.headline(), 'seconds': options.seconds, 'load': [os.getloadavg()[0]],
            'busy_core': options.busy_core, 'started': time.strftime('%Y-%m-%d %H:%M:%S %Z'),
            'versions': {}, 'absent': [],
            'peak': {kind: machine.fma_peak(kind) for kind in ('float', 'double')},
            'bandwidth': {str(n): bandwidth(n) for n in options.threads},
            'results': []}

    def save(self):
        self.document['load'] = [self.document['load'][0], os.getloadavg()[0]]
        if self.options.json:
            partial = Path(f'{self.options.json}.part')
            partial.write_text(json.dumps(self.document, indent=1, ensure_ascii=False) + '\n')
            partial.replace(self.options.json)

    def take(self, said, threads):
        """Keeps what the measuring process says."""
        if 'begun' in said:
            self.progress.say(f'{said["begun"]}, {threads} thread(s)')
        elif 'result' in said:
            self.document['results'].append(said['result'])
            self.progress.done += 1
            self.save()
        else:
            self.document.update(said)

    def command(self, names, threads, folder):
        options = self.options
        command = [sys.executable, str(HERE / 'measure.py'), '--dagaz', options.dagaz,
                   '--threads', str(threads), '--seconds', str(options.seconds),
                   '--folder', folder]
        for each in self.without:
            command += ['--without', *each]
        command += ['--peer', options.peer] if options.peer else []
        command += [] if options.jax else ['--no-jax']
        return [*command, '--', *names]

    def measure(self, names, threads, folder):
        """Measures these cases in one process; returns those that are left when it was ended."""
        said, clock, self.was_slow = {}, None, False
        with subprocess.Popen(self.command(names, threads, folder), stdout=subprocess.PIPE,
                              text=True, env=environment(threads),
                              start_new_session=True) as self.process:
            for line in self.process.stdout:
                if clock:
                    clock.cancel()
                said = json.loads(line)
                self.take(said, threads)
                if said.get('by'):
                    clock = threading.Timer(self.options.limit, self.give_up)
                    clock.start()
        if clock:
            clock.cancel()
        if self.process.returncode == 0:
            return []
        if 'begun' not in said:
            sys.exit(f'measuring ended with status {self.process.returncode}')
        return self.without_culprit(names, said['begun'], said['by'], threads)

    def give_up(self):
        self.was_slow = True
        self.process.kill()

    def reason(self):
        """Why the measuring process has ended."""
        if self.was_slow:
            return f'the first call takes longer than {self.options.limit:g} s'
        return f'the process ended with status {self.process.returncode}'

    def without_culprit(self, names, name, culprit, threads):
        """The cases that are left; the first one again, unless it is Dagaz who failed."""
        left = names[names.index(name):]
        if culprit not in (None, 'Dagaz'):
            self.without.append((culprit, name, self.reason()))
            return left
        theme = next(case.program for case in CASES if case.name == name)
        self.document['results'].append(
            {'name': name, 'theme': theme, 'threads': threads, 'failed': self.reason()})
        return left[1:]

    def all(self):
        with tempfile.TemporaryDirectory() as folder, busy(self.options.busy_core):
            for threads in self.options.threads:
                left = self.names
                while left:
                    left = self.measure(left, threads, folder)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()


def interrupted(*_):
    raise KeyboardInterrupt


def parser():
    result = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    result.add_argument('--dagaz', default=str(HERE.parent.parent / 'build' / 'dagaz'))
    result.add_argument('--peer', help="a command that runs Futhark's compiler")
    result.add_argument('--no-jax', dest='jax', action='store_false', help='leave JAX out')
    result.add_argument('--threads', type=int, nargs='+', default=[1])
    result.add_argument('--seconds', type=float, default=0.5)
    result.add_argument('--limit', type=float, default=30, metavar='S',
                        help='seconds that a first call may take (30)')
    result.add_argument('--busy-core', type=int, choices=sorted(os.sched_getaffinity(0)),
                        help='keep this core busy half of the time, as on a machine that others use')
    result.add_argument('--only', metavar='PATTERN', default='',
                        help='cases whose THEME: NAME has this regular expression')
    result.add_argument('--clock', choices=('wall', 'processor'), default='wall',
                        help="what tables show; the processor's time on machines that are not idle")
    result.add_argument('--list', action='store_true', help='show the cases, measure nothing')
    for kind in ('json', 'markdown', 'svg'):
        result.add_argument(f'--{kind}', metavar='FILE')
    return result


def main():
    options = parser().parse_args()
    names = [case.name for case in CASES if re.search(options.only, f'{case.program}: {case.name}')]
    if options.list:
        print('\n'.join(f'{case.program}: {case.name}' for case in CASES if case.name in names))
        return 0
    if not names:
        sys.exit(f'no case matches {options.only!r}')
    signal.signal(signal.SIGTERM, interrupted)
    run = Run(options, names)
    status = 0
    try:
        run.all()
    except KeyboardInterrupt:
        status = 130
    finally:
        run.stop()
        run.progress.finish()
        run.save()
    report.write(run.document, options.clock, options.markdown, options.svg)
    failed = [f'{each["name"]}, {each["threads"]} thread(s): {each["failed"]}'
              for each in run.document['results'] if 'failed' in each]
    print('\n'.join(failed), file=sys.stderr)
    return status or (1 if failed else 0)


if __name__ == '__main__':
    sys.exit(main())
