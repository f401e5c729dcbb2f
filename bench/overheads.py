#!/usr/bin/env python3
"""What Dagaz costs beside the work itself: a call from Python, arrays in and out, a start.

usage: overheads.py [--build build] [--runs N]

Prints, as a table of Markdown with the bound that each figure has to keep:
- a call of a small entry point from Python over the same call from C (least of N rounds each);
- NumPy arrays of 100 MB in and out: addresses show that nothing is copied, beside the time of a copy;
- `dagaz run` of a program with nothing in it, compiled before;
- `import dagaz`, in a process that has imported nothing.
Of starts, the median is printed beside the least: a busy machine makes both longer, the processor
time hardly.  Exit status 1 if a bound is not kept.  Needs NumPy and a C compiler.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import machine

PROGRAM = '''entry next (n: i64) : i64 = n + 1
entry last [n] (xs: [n]f32) : f32 = xs[n - 1]
entry fill (n: i64) : [n]f32 = replicate n 1
'''
CALLER = r'''
#include "small.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 1, calls = 10000;
  struct futhark_context_config *config = futhark_context_config_new();
  struct futhark_context *context = futhark_context_new(config);
  double best = 1;
  int64_t n = 0;
  for (int round = 0; round < rounds; round++) {
    double begin = now();
    for (int i = 0; i < calls; i++) {
      if (futhark_entry_next(context, &n, n) || futhark_context_sync(context)) return 1;
    }
    double time = (now() - begin) / calls;
    if (time < best) best = time;
  }
  printf("%.9f\n", best);
  return n != (int64_t)rounds * calls;
}
'''
BYTES = 100_000_000


def c_call(dagaz, folder, rounds):
    """Seconds of a call from C."""
    subprocess.run([dagaz, 'build', 'small.fut', '--emit=lib', '--prefix=futhark'], cwd=folder,
                   check=True)
    (folder / 'caller.c').write_text(CALLER)
    subprocess.run(['cc', '-O2', 'caller.c', 'libsmall.a', '-lstdc++', '-lm', '-ldl',
                    '-lpthread', '-o', 'caller'], cwd=folder, check=True)
    return float(subprocess.run(['./caller', str(rounds)], cwd=folder, check=True,
                                stdout=subprocess.PIPE).stdout)


def least(call, rounds, calls):
    """The least time of a call over rounds of several calls."""
    best = float('inf')
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - begin) / calls)
    return best


def arrays(program, rounds):
    """Seconds to give 100 MB, to get them, and to copy them; and whether addresses stay."""
    import numpy
    given = numpy.ones(BYTES // 4, numpy.float32)
    assert program.last(given) == 1
    into = least(lambda: program.last(given), rounds, 10)
    copy = least(given.copy, rounds, 1)
    on_device = program.new_context(results='device')
    made = on_device.fill(BYTES // 4)
    seen = numpy.asarray(made)
    kept = seen.__array_interface__['data'][0] == made.pointer and seen[-1] == 1
    again = on_device.array(seen)
    assert again.pointer != made.pointer  # what is asked to be a copy is one
    out = least(lambda: numpy.asarray(made), rounds, 100)
    return into, out, copy, kept


def starts(command, runs, environment):
    """Least and median seconds of wall-clock time of a process, and median processor time."""
    wall, used = [], []
    for _ in range(runs):
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        wall.append(time.perf_counter() - begin)
        used.append(usage.ru_utime + usage.ru_stime)
        assert status == 0, command
    return min(wall), statistics.median(wall), statistics.median(used)


def imports(runs):
    """Least and median seconds of the import, and median processor time."""
    program = ('import time; begin = time.perf_counter(), time.process_time(); import dagaz; '
               'print(time.perf_counter() - begin[0], time.process_time() - begin[1])')
    times = []
    for _ in range(runs + 1):
        said = subprocess.run([sys.executable, '-c', program], check=True, stdout=subprocess.PIPE)
        times.append([float(word) for word in said.stdout.split()])
    wall, used = zip(*times[1:])  # the first one compiles the package
    return min(wall), statistics.median(wall), statistics.median(used)


def calls(dagaz, folder, runs):
    """Rows of the table about calls and their arguments."""
    import dagaz as package
    program = package.load(folder / 'small.fut')
    in_c = c_call(dagaz, folder, runs)
    in_python = least(lambda: program.next(41), runs, 10000)
    over = 1e6 * (in_python - in_c)
    yield ('`m.next(41)` over the same call from C',
           f'{over:.2f} µs ({1e6 * in_python:.2f} − {1e6 * in_c:.2f})', '5 µs', over <= 5)
    into, out, copy, kept = arrays(program, runs)
    yield ('NumPy array of 100 MB as an argument',
           f'{1e6 * into:.1f} µs (its copy: {1e3 * copy:.0f} ms)', 'no copy', into < copy / 100)
    yield ('result of 100 MB as a NumPy array',
           f'{1e6 * out:.1f} µs, {"the same" if kept else "another"} address', 'no copy',
           kept and out < copy / 100)


def processes(dagaz, folder, runs, environment):
    """Rows of the table about starts."""
    run = [dagaz, 'run', folder / 'hello.fut']
    starts(run, 2, environment)
    first, middle, used = starts(run, runs, environment)
    yield ('`dagaz run` of a program compiled before', f'{1e3 * first:.0f} ms, median '
           f'{1e3 * middle:.0f} ms, processor {1e3 * used:.0f} ms', '60 ms', first <= 0.06)
    first, middle, used = imports(runs)
    yield ('`import dagaz`', f'{1e3 * first:.0f} ms, median {1e3 * middle:.0f} ms, '
           f'processor {1e3 * used:.0f} ms', '50 ms', first <= 0.05)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', type=pathlib.Path, default=pathlib.Path('build'))
    parser.add_argument('--runs', type=int, default=20)
    options = parser.parse_args()
    build = options.build.resolve()
    dagaz = build / 'dagaz'
    sys.path.insert(0, str(build / 'python'))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # As after an installation: modules of Python are compiled.
        os.environ.pop('PYTHONDONTWRITEBYTECODE', None)
        os.environ.update({'DAGAZ_CACHE': str(folder / 'cache'), 'DAGAZ_COMPILER': str(dagaz),
                           'PYTHONPATH': str(build / 'python'),
                           'PYTHONPYCACHEPREFIX': str(folder / 'bytecode')})
        (folder / 'small.fut').write_text(PROGRAM)
        (folder / 'hello.fut').write_text('entry main : i64 = 42\n')
        rows = [*calls(dagaz, folder, options.runs),
                *processes(dagaz, folder, options.runs, dict(os.environ))]
    print(f'{machine.headline()}, load {os.getloadavg()[0]:.1f}\n\n| what | measured | bound | |\n'
          '|---|---|---|---|')
    for what, figure, bound, kept in rows:
        print(f'| {what} | {figure} | {bound} | {"kept" if kept else "**not kept**"} |')
    return 0 if all(kept for *_, kept in rows) else 1


if __name__ == '__main__':
    sys.exit(main())
