#!/usr/bin/env python3
"""Run time of Dagaz beside the peer compiler, on the same programs and the same data.

usage: side_by_side.py --peer-build COMMAND [--dagaz build/dagaz] [--runs N] [--threads 1] FILE.fut...

`COMMAND BACKEND FILE OUT` must build FILE with the peer's BACKEND (c, multicore).  Data are the
`random input`s of each program's test block, made once and given to both as binary values.  The
programs are run in turn, A B A B …; times are their own (`-t`), medians over all runs after the
first of each process; the results are compared too.
"""
import argparse
import os
import random
import re
import resource
import statistics
import struct
import subprocess
import tempfile

import machine

SIZES = {'f64': 'd', 'f32': 'f', 'i64': 'q', 'i32': 'i'}


def random_value(spec, generator):
    dims = [int(d) for d in re.findall(r'\[(\d+)\]', spec)]
    kind = re.sub(r'\[\d+\]', '', spec)
    count = 1
    for d in dims:
        count *= d
    if kind.startswith('f'):
        body = struct.pack(f'<{count}{SIZES[kind]}', *(generator.random() for _ in range(count)))
    else:
        body = struct.pack(f'<{count}{SIZES[kind]}', *(generator.randrange(1000) for _ in range(count)))
    return b'b\x02' + bytes([len(dims)]) + kind.rjust(4).encode() + \
        struct.pack(f'<{len(dims)}Q', *dims) + body


def block(path):
    text = open(path).read()
    entries = re.search(r'-- entry: (.*)', text).group(1).split()
    types = re.search(r'-- random input \{(.*)\}', text).group(1).split()
    return entries, types


def floats(data):
    out, i = [], 0
    while i < len(data):
        if data[i:i + 1].isspace():
            i += 1
            continue
        rank, kind = data[i + 2], data[i + 3:i + 7].decode().strip()
        i += 7
        dims = struct.unpack_from(f'<{rank}Q', data, i)
        i += 8 * rank
        count = 1
        for d in dims:
            count *= d
        out += struct.unpack_from(f'<{count}{SIZES[kind]}', data, i)
        i += count * struct.calcsize(SIZES[kind])
    return out


def largest_difference(a, b):
    x, y = floats(a), floats(b)
    if len(x) != len(y):
        return float('inf')
    scale = max([1.0] + [abs(v) for v in y])
    return max((abs(p - q) for p, q in zip(x, y)), default=0.0) / scale


def timed(command, data, runs, folder):
    times = os.path.join(folder, 'times')
    subprocess.run(command + ['-n', '-t', times, '-r', str(runs)], input=data, check=True,
                   stdout=subprocess.DEVNULL)
    return [float(line) for line in open(times)][1:]


def user_time(command, data, runs):
    """Microseconds of CPU time that one run takes, by the difference of two processes."""
    def spent(count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(command + ['-n', '-t', os.devnull, '-r', str(count)], input=data,
                       check=True, stdout=subprocess.DEVNULL)
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return [1e6 * (spent(2 * runs) - spent(runs)) / runs]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+')
    parser.add_argument('--dagaz', default='build/dagaz')
    parser.add_argument('--peer-build', required=True)
    parser.add_argument('--runs', type=int, default=6)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--user-time', action='store_true',
                        help='CPU time instead of wall-clock time, for machines that are not idle')
    options = parser.parse_args()
    backend = 'c' if options.threads == 1 else 'multicore'
    print(f'{machine.headline()}, {options.threads} thread(s), peer backend {backend}; median ms'
          f'{" of CPU time" if options.user_time else ""}\n')
    print('| program | entry | Dagaz | peer | peer / Dagaz | largest difference |')
    print('|---|---|---|---|---|---|')
    for path in options.files:
        entries, types = block(path)
        generator = random.Random(1)
        data = b''.join(random_value(t, generator) for t in types)
        with tempfile.TemporaryDirectory() as folder:
            ours, theirs = os.path.join(folder, 'ours'), os.path.join(folder, 'theirs')
            subprocess.run([options.dagaz, 'build', path, '-o', ours], check=True)
            subprocess.run([options.peer_build, backend, path, theirs], check=True)
            for entry in entries:
                a = [ours, '-e', entry, '--num-threads', str(options.threads)]
                b = [theirs, '-e', entry]
                if backend == 'multicore':
                    b += ['--num-threads', str(options.threads)]
                difference = largest_difference(*(
                    subprocess.run(c + ['-b'], input=data, check=True, stdout=subprocess.PIPE).stdout
                    for c in (a, b)))
                x, y = [], []
                for _ in range(options.rounds):
                    if options.user_time:
                        x += user_time(a, data, options.runs)
                        y += user_time(b, data, options.runs)
                    else:
                        x += timed(a, data, options.runs, folder)
                        y += timed(b, data, options.runs, folder)
                mine, other = statistics.median(x) / 1e3, statistics.median(y) / 1e3
                print(f'| {os.path.basename(path)} | {entry} | {mine:.3f} | {other:.3f} '
                      f'| {other / mine:.2f} | {difference:.1e} |', flush=True)


if __name__ == '__main__':
    main()
