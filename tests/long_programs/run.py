#!/usr/bin/env python3
"""Programs of thousands of arms and statements: they compile and run, and what the time of passes
depends on does not grow with their length.

usage: run.py DAGAZ

Nothing is timed.  Many passes ask something of a statement and all that is in it at each level of
nesting, and several of LLVM's take the square of a function's length: so the depth of nests and the
length of the longest function of a program are compared with those of one four times as long.
"""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', '..', 'bench'))
import long_programs  # noqa: E402  (found through the path above)

WORD = 1 << 64


def signed(number):
    number %= WORD
    return number - WORD if number >= WORD // 2 else number


def run(command, text=''):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f'{" ".join(command)}: exit status {done.returncode}\n'
                         f'{done.stderr[-2000:]}')
    return done.stdout.strip()


def statements(count, x):
    v = [x + 1]
    for i in range(1, count):
        v.append(signed(v[i - 1] * (3 + i % 7) + (x ^ v[max(0, i - 17)])))
    return v[-1]


def loops(count, x):
    for i in range(1, count):
        for j in range(i % 5):
            x = signed(x * j + i)
    return x


def sums(count, a):
    for i in range(1, count):
        partial = 0
        scanned = []
        for element in a:
            partial += element
            scanned.append(partial)
        a = [signed(s + a[i % 3]) for s in scanned]
    return a


def of_chain(count, x):
    return 7 * x % 13 if 0 <= x < count else -1


def texts(values):
    return '[' + ', '.join(f'{v}i64' for v in values) + ']'


# Maker, length, input, expected output.
PROGRAMS = [
    ('chain', 5000, '4999', f'{of_chain(5000, 4999)}i64'),
    ('chain', 5000, '64', f'{of_chain(5000, 64)}i64'),
    ('chain', 5000, '5000', '-1i64'),
    ('cases', 600, '[0, 63, 64, 65, 599, 600, -5]',
     texts(of_chain(600, x) for x in (0, 63, 64, 65, 599, 600, -5))),
    ('consuming', 200, '[5, 6] 150', '300i64'),
    ('consuming', 200, '[5, 6] 200', '-1i64'),
    ('arrays_chosen', 150, '[5, 6] 149', '[154i64, 155i64]'),
    ('slopes', 300, '250.5', '251.0f64'),
    ('slopes', 300, '1000', '0.0f64'),
    ('statements', 5000, '3', f'{statements(5000, 3)}i64'),
    ('called', 300, '3', f'{statements(300, statements(300, 3))}i64'),
    ('loops', 3000, '3', f'{loops(3000, 3)}i64'),
    ('sums', 400, '[1, 2, 3]', texts(sums(400, [1, 2, 3]))),
]


def check_results(dagaz, folder):
    built = None
    for name, count, given, expected in PROGRAMS:
        source = os.path.join(folder, f'{name}.fut')
        program = os.path.join(folder, name)
        if built != (name, count):
            with open(source, 'w') as file:
                file.write(getattr(long_programs, name)(count))
            run([dagaz, 'build', source, '-o', program])
            built = (name, count)
        result = run([program, '-e', 'at'], given)
        if result != expected:
            raise SystemExit(f'{name} of {count} at {given}: {result}, expected {expected}')


def inspected(dagaz, folder, name, count, stage):
    source = os.path.join(folder, f'{name}.fut')
    with open(source, 'w') as file:
        file.write(getattr(long_programs, name)(count))
    return run([dagaz, 'inspect', source, f'--stage={stage}'])


def depth(text):
    return max((len(line) - len(line.lstrip())) // 2 for line in text.splitlines())


def longest_function(text):
    return max(len(body.splitlines()) for body in re.findall(r'^define .*?^}', text, re.M | re.S))


def check_growth(dagaz, folder):
    for name, stage, measure, count in (('chain', 'ir', depth, 500),
                                        ('cases', 'flat', depth, 500),
                                        ('statements', 'llvm', longest_function, 3000),
                                        ('loops', 'llvm', longest_function, 1500)):
        short, long = (measure(inspected(dagaz, folder, name, n, stage))
                       for n in (count, 4 * count))
        if long > 1.2 * short:
            raise SystemExit(f'{name}: {measure.__name__} of --stage={stage} grows from {short} '
                             f'at {count} to {long} at {4 * count}')


def check_shared(dagaz, folder):
    text = inspected(dagaz, folder, 'called', 300, 'optimised')
    calls = len(re.findall(r'= call "step', text))
    if calls != 3:
        raise SystemExit(f'an entry point is called {calls} times, expected 2 and by itself')


def main():
    dagaz = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        check_results(dagaz, folder)
        check_growth(dagaz, folder)
        check_shared(dagaz, folder)
    print(f'{len(PROGRAMS)} results, 5 measures')


if __name__ == '__main__':
    main()
