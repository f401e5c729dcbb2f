"""Programs of any length, for `compile_speed.py --long` and `tests/long_programs`."""


def chain(count):
    """An `else if` for each number; at(x) is 7x mod 13 up to `count`, then -1."""
    arms = '\n'.join(f'  else if x == {i} then {7 * i % 13}' for i in range(1, count))
    return f'entry at (x: i64): i64 =\n  if x == 0 then 0\n{arms}\n  else -1\n'


def cases(count):
    """The same with `match`, for each element of an array."""
    arms = '\n'.join(f'  case {i} -> {7 * i % 13}' for i in range(count))
    return ('def one (x: i64): i64 =\n  match x\n' + arms + '\n  case _ -> -1\n'
            'entry at [n] (xs: [n]i64): [n]i64 = map one xs\n')


def consuming(count):
    """A chain whose arms may each change the array."""
    arms = '\n'.join(f'  else if x == {i} then (xs with [1] = {i})[1] * 2'
                     for i in range(1, count))
    return f'entry at (xs: *[2]i64) (x: i64): i64 =\n  if x == 0 then 0\n{arms}\n  else -1\n'


def arrays_chosen(count):
    """A chain whose values are arrays."""
    arms = '\n'.join(f'  else if x == {i} then map (+ {i}) xs' for i in range(1, count))
    return (f'entry at [n] (xs: [n]i64) (x: i64): [n]i64 =\n  if x == 0 then xs\n{arms}\n'
            '  else map (* 2) xs\n')


def slopes(count):
    """The derivative of a chain: i + 1 between i and i + 1."""
    arms = '\n'.join(f'  else if x < {i + 1} then {i + 1} * x' for i in range(1, count))
    return (f'def f (x: f64): f64 =\n  if x < 1 then x\n{arms}\n  else 0\n'
            'entry at (x: f64): f64 = vjp f x 1\n')


def statements(count):
    """Definitions that each use the one before and one further back."""
    lines = '\n'.join(f'  let v{i} = v{i - 1} * {3 + i % 7} + (x ^ v{max(0, i - 17)})'
                      for i in range(1, count))
    return f'entry at (x: i64): i64 =\n  let v0 = x + 1\n{lines}\n  in v{count - 1}\n'


def called(count):
    """A long entry point that another one calls twice."""
    step = statements(count).replace('entry at', 'entry step')
    return step + 'entry at (x: i64): i64 = step (step x)\n'


def loops(count):
    """Loops one after another."""
    lines = '\n'.join(f'  let s{i} = loop s = s{i - 1} for j < {i % 5} do s * j + {i}'
                      for i in range(1, count))
    return f'entry at (x: i64): i64 =\n  let s0 = x\n{lines}\n  in s{count - 1}\n'


def sums(count):
    """Arrays that are made, used twice and given up, one after another."""
    lines = '\n'.join(f'  let a{i} = map (+ a{i - 1}[{i % 3}]) (scan (+) 0 a{i - 1})'
                      for i in range(1, count))
    return f'entry at (xs: [3]i64): [3]i64 =\n  let a0 = xs\n{lines}\n  in a{count - 1}\n'
