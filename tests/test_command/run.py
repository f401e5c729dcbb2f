#!/usr/bin/env python3
"""What `dagaz test` writes for other programs, and what it does over time.

usage: run.py DAGAZ
"""
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml

# What JUnit's schema (jenkins-junit.xsd) says: attributes that must be there and that may, children.
NUMBER, SECONDS, TIME = r'\d+', r'\d+\.\d+', r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d'
SCHEMA = {
    'testsuites': ({}, {'name': '.*', 'time': SECONDS, 'tests': NUMBER, 'failures': NUMBER,
                        'disabled': NUMBER, 'errors': NUMBER}, {'testsuite'}),
    'testsuite': ({'name': '.+', 'tests': NUMBER},
                  {'failures': NUMBER, 'errors': NUMBER, 'time': SECONDS, 'disabled': NUMBER,
                   'skipped': NUMBER, 'timestamp': TIME, 'hostname': '.*', 'id': '.*',
                   'package': '.*'},
                  {'properties', 'testcase', 'system-out', 'system-err'}),
    'testcase': ({'name': '.+', 'classname': '.+'},
                 {'assertions': NUMBER, 'time': SECONDS, 'status': '.*'},
                 {'skipped', 'error', 'failure', 'system-out', 'system-err'}),
    'failure': ({}, {'type': '.*', 'message': '(?s).*'}, set()),
    'skipped': ({}, {'type': '.*', 'message': '(?s).*'}, set()),
}


def check_schema(element):
    required, optional, children = SCHEMA[element.tag]
    for name in required:
        assert name in element.attrib, f'{element.tag} without {name}'
    for name, value in element.attrib.items():
        pattern = {**required, **optional}.get(name)
        assert pattern and re.fullmatch(pattern, value), f'{element.tag} {name}="{value}"'
    for child in element:
        assert child.tag in children, f'{child.tag} in {element.tag}'
        check_schema(child)


class World:
    def __init__(self, dagaz, folder):
        self.dagaz, self.folder = dagaz, pathlib.Path(folder)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def test(self, *arguments):
        done = subprocess.run([self.dagaz, 'test', *arguments], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        return done.returncode, done.stdout.decode(errors='replace')


PROGRAM = '''-- ==
-- entry: twice
-- input { 1 } output { 2 }
-- "a < b & c" input { 2 } output { 5 }
-- notest input { 3 } output { 0 }
-- input { 4 } error: <never>

-- ==
-- property: is_small

entry twice (x: i32) = x * 2

#[prop]
entry is_small (x: u8) : bool = x < 1
'''


def junit(world):
    world.write('folder/numbers.fut', PROGRAM)
    world.write('folder/strange.fut', b'-- ==\n-- input { 1 } output { 1 }\n'
                                      b'entry main (x: i32) = x + "\x01\xff\xed\xa0\x80"\n')
    status, said = world.test('folder', '--seed=1', '--target=interpreter', '--junit=report.xml')
    assert status == 1, said
    suites = xml.parse(world.folder / 'report.xml').getroot()
    check_schema(suites)
    assert suites.get('tests') == '6' and suites.get('failures') == '4', suites.attrib
    numbers = suites[0]
    assert numbers.get('name') == 'folder/numbers.fut' and numbers.get('skipped') == '1'
    assert re.match(r'20\d\d-', numbers.get('timestamp'))
    cases = {case.get('name'): case for case in numbers}
    assert all(case.get('classname') == 'folder.numbers' for case in numbers)
    assert all(float(case.get('time')) > 0 for case in numbers if case.find('skipped') is None)
    assert float(numbers.get('time')) >= sum(float(case.get('time')) for case in numbers)
    failure = cases['Entry point: twice; dataset: a < b & c'].find('failure')
    assert failure.get('message') == 'Value #0: expected 5i32, got 4i32', failure.attrib
    assert 'try: dagaz run' in failure.text
    assert 'Counterexample: ' in cases['property is_small'].find('failure').text
    assert cases['property is_small'].find('failure').get('message').startswith('Property is_small')
    assert len(cases['Entry point: twice; dataset: #0 ("1")']) == 0


COVERED = '''import "library"

def choose (x: i64) =
  if x > 10
  then big x
  else if x < 0
  then neg x
  else x

def total [n] (xs: [n]i64) =
  loop sum = 0
  for x in xs do
    sum
    + x

-- ==
-- input { 3i64 } output { 6i64 4i64 }
-- input { 20i64 } output { 1320i64 21i64 }

-- ==
-- property: is_never_less

entry main (n: i64) =
  let squares =
    map (\\i ->
           i * i)
        (iota n)
  let unused = \\y ->
    y + 1
  in (total squares + choose (n
                              - 1) - choose (n - 1)
      + (if n == 3
         then 1
         else choose 11 - n - 1141),
      n + 1)

#[prop(size(3))]
entry is_never_less (x: i8) : bool =
  i8.max x 3
  >= x

entry untested (x: i64) = x
'''
LIBRARY = '''def neg (x: i64) = -x
def big (x: i64) =
  x * 1

module inner = {
  def never (x: i64) =
    x + 3
}
'''


def lines_of(lcov):
    """For each file the counts of its lines."""
    files, current = {}, None
    for line in lcov.splitlines():
        key, _, value = line.partition(':')
        if key == 'SF':
            assert pathlib.Path(value).is_absolute(), value
            current = files.setdefault(pathlib.Path(value).name, {})
        elif key == 'DA':
            number, count = value.split(',')
            current[int(number)] = int(count)
        elif key == 'LF':
            assert int(value) == len(current)
        elif key == 'LH':
            assert int(value) == sum(count > 0 for count in current.values())
    return files


def coverage(world):
    world.write('covered.fut', COVERED)
    world.write('library.fut', LIBRARY)
    status, said = world.test('covered.fut', '--coverage=report', '--seed=1', '--num-tests=7')
    assert status == 0, said
    files = lines_of((world.folder / 'report' / 'lcov.info').read_text())
    text = {name: (world.folder / name).read_text().splitlines() for name in files}
    counts = {text[name][line - 1].strip(): count
              for name, lines in files.items() for line, count in lines.items()}
    wanted = {
        'if x > 10': 5, 'then big x': 3, 'else if x < 0': 2, 'then neg x': 0, 'else x': 2,
        'loop sum = 0': 2, 'for x in xs do': 2, 'sum': 23, '+ x': 23,
        'let squares =': 2, 'map (\\i ->': 2, 'i * i)': 23, '(iota n)': 2,
        'let unused = \\y ->': 2, 'y + 1': 0, '+ (if n == 3': 2, 'then 1': 1,
        'else choose 11 - n - 1141),': 1, 'n + 1)': 2,
        'i8.max x 3': 7, '>= x': 7, 'entry untested (x: i64) = x': 0,
        'def neg (x: i64) = -x': 0, 'x * 1': 3, 'x + 3': 0}
    for line, count in wanted.items():
        assert counts.get(line) == count, (line, count, counts.get(line))
    page = (world.folder / 'report' / 'index.html').read_text()
    assert 'prefers-color-scheme: dark' in page and 'http' not in page
    rows = re.findall(r'<tr class="(\w+)"><td>(\d+)</td><td>(\d+)</td>', page)
    assert len(rows) == sum(map(len, files.values()))
    assert all((kind == 'hit') == (int(count) > 0) for kind, _, count in rows)
    executed = sum(count > 0 for lines in files.values() for count in lines.values())
    assert f'executed: {executed} of {len(rows)} lines' in said, said


class Watched:
    """A running `dagaz test --watch` and what it prints."""

    def __init__(self, world, *arguments):
        self.process = subprocess.Popen([world.dagaz, 'test', '--watch', *arguments],
                                        cwd=world.folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.text = ''

    def round(self):
        """What is printed until it waits again."""
        deadline = time.monotonic() + 60
        while not re.search(r'^watching .*\n', self.text, re.M):
            assert time.monotonic() < deadline, self.text
            select.select([self.process.stdout], [], [], 1)
            self.text += (self.process.stdout.read() or b'').decode()
        said, self.text = self.text, ''
        return said

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(timeout=30)


def watch(world):
    world.write('programs/a.fut', 'import "shared"\n-- ==\n-- input { 1 } output { 2 }\n'
                                  'entry main (x: i32) = x + one\n')
    world.write('programs/shared.fut', 'def one = 1i32\n')
    world.write('programs/b.fut', '-- ==\n-- input @ data.in output { 5 }\n'
                                  'entry main (x: i32) = x\n')
    data = world.write('programs/data.in', '5')
    watched = Watched(world, 'programs', '--target=interpreter')
    said = watched.round()
    assert 'interpreter: 2 passed, 0 failed' in said and 'watching 3 programs, 0 with' in said, said
    data.write_text('6')
    said = watched.round()
    assert '[FAIL] programs/b.fut' in said and '0 passed, 1 failed' in said, said
    # As editors write: a new file takes the place of the old one.
    world.write('programs/shared.fut.new', 'def one = 2i32\n').rename(
        world.folder / 'programs/shared.fut')
    said = watched.round()
    assert '[FAIL] programs/a.fut' in said and 'b.fut' not in said, said
    assert '3 programs, 2 with failures' in said, said
    assert watched.interrupt() == 1

    watched = Watched(world, 'programs', '--target=interpreter')
    assert '2 with failures' in watched.round()
    world.write('programs/shared.fut', 'def one = 1i32\n')
    assert '1 passed, 0 failed' in watched.round()
    (world.folder / 'programs/b.fut').unlink()
    world.write('programs/new/c.fut', 'entry main (x: i32) = x\n')
    said = watched.round()
    assert 'watching 3 programs, 0 with failures' in said, said
    world.write('programs/new/c.fut', '-- ==\n-- input { 1 } output { 1 }\n'
                                      'entry main (x: i32) = x\n')
    assert '1 passed, 0 failed' in watched.round()
    assert watched.interrupt() == 0


def main():
    for part in (junit, coverage, watch):
        with tempfile.TemporaryDirectory() as folder:
            part(World(pathlib.Path(sys.argv[1]).resolve(), folder))
        print(f'{part.__name__}: passed')


if __name__ == '__main__':
    main()
