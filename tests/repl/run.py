#!/usr/bin/env python3
"""Conversations with `dagaz repl`: what is typed, and what comes back.

usage: run.py DAGAZ
"""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = '''import "lib"

local def secret = 42i32

-- | The squares.
entry squares (n: i64): [n]i64 = map (\\i -> square i) (iota n)

def area (r: f64) = f64.pi * r * r
'''
LIBRARY = 'def square (x: i64) = x * x\n'
# What is typed, and what has to be printed for it.
CONVERSATION = [
    ('secret', '42'),
    ('squares 5', '[0, 1, 4, 9, 16]'),
    ('square 12', '144'),
    ('1.5f32 + 1', '2.5'),
    ('(true, [1i8, -2])', '(true, [1, -2])'),
    ('{b = 1i32, a = [2.5f64]}', '{a = [2.5], b = 1}'),
    ('zip [1i32, 2] [true, false]', '[(1, true), (2, false)]'),
    ('filter (> 9i32) [1, 2]', '[]'),
    ('replicate 2 [{x = 1i64}]', '[[{x = 1}], [{x = 1}]]'),
    ('let weight = f64.i64 (length (squares 3))', ''),
    ('let x = 2i32', ''),
    ('let x = x + 1', ''),
    ('x', '3'),
    ('type shape = #circle f32 | #box f32 f32 | #none', ''),
    ('[#box 1 2, #none, #circle 3] : [3]shape', '[#box 1.0 2.0, #none, #circle 3.0]'),
    ('module m = { def y = 10i32 }', ''),
    ('m.y + x', '13'),
    ("def map 'a 'b [n] (f: a -> b) (xs: [n]a) = reverse (tabulate n (\\i -> f xs[i]))", ''),
    ('zip (map (+ 1) [x, 7]) [1i32, 2]', '[(8, 1), (4, 2)]'),
    ('let a = 1i32 in\na + 1', '...> 2'),
    ('def f (n: i64) =\n', '...> '),
    ('vjp area 1 1 - 2 * f64.pi', '0.0'),
    ('\\y -> y + x', '<function> : i32 -> i32'),
    (':type \\y -> y + x', '\\y -> y + x : i32 -> i32'),
    (':type squares', 'squares : (n: i64) -> [n]i64'),
    ('(iota 3)[x + 1]', ''),
    ('x', '3'),
    ('unknown', ''),
    (':ad vjp (\\xs -> f64.sum (map f64.sin xs)) [1, 2, weight] 1', None),
    (':ir squares 3', None),
    (':plan f64.sum (map f64.i64 (iota 100000))', None),
    (':nonsense', ''),
    ('f64.sum (map (\\i -> f64.i64 i) (iota 10_000_000))', '4.9999995e+13'),
]
ERRORS = ['the text is not finished', 'Index [4] out of bounds', 'unknown name `unknown`',
          'there is no command `:nonsense`']


def converse(dagaz, folder, lines, *arguments):
    return subprocess.run([dagaz, 'repl', *arguments], cwd=folder, input=lines,
                          capture_output=True, text=True, timeout=900)


def check_conversation(dagaz, folder):
    (folder / 'lib.fut').write_text(LIBRARY)
    (folder / 'program.fut').write_text(PROGRAM)
    typed = '\n'.join(line for line, _ in CONVERSATION) + '\n'
    done = converse(dagaz, folder, typed, 'program.fut')
    assert done.returncode == 0, done
    assert done.stdout.endswith("Leaving 'dagaz repl'.\n"), done.stdout
    for number, (line, wanted) in enumerate(CONVERSATION):
        begin = f'[{number}]> '
        end = f'[{number + 1}]> '
        assert begin in done.stdout and end in done.stdout, (line, done.stdout, done.stderr)
        answer = done.stdout[done.stdout.index(begin) + len(begin):done.stdout.index(end)]
        if wanted is None:
            assert answer.strip(), line
        else:
            assert answer.rstrip('\n') == wanted, (line, answer, wanted, done.stderr)
    for wanted in ERRORS:
        assert wanted in done.stderr, (wanted, done.stderr)


def check_beginning(dagaz, folder):
    typed = ['1 + 2i32', ':load program.fut', 'secret', ':load nowhere.fut', 'secret', ':quit',
             'secret']
    done = converse(dagaz, folder, '\n'.join(typed) + '\n')
    assert done.returncode == 0, done
    assert done.stdout == "[0]> 3\n[1]> [2]> 42\n[3]> [4]> 42\n[5]> Leaving 'dagaz repl'.\n", done
    assert 'cannot read `nowhere.fut`' in done.stderr, done
    assert converse(dagaz, folder, '', 'nowhere.fut').returncode == 1
    done = converse(dagaz, folder, ':time f64.sum (map f64.i64 (iota 1000))\n')
    assert 'of 5 runs' in done.stdout, done


def main(dagaz):
    dagaz = str(pathlib.Path(dagaz).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_conversation(dagaz, folder)
        check_beginning(dagaz, folder)
    print(f'{len(CONVERSATION)} answers are right')


if __name__ == '__main__':
    main(*sys.argv[1:])
