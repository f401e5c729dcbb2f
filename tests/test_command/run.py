#!/usr/bin/env python3
"""What `dagaz test` writes for other programs, and what it does over time.

usage: run.py DAGAZ
"""
import pathlib
import re
import subprocess
import sys
import tempfile
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
    failure = cases['twice, case 1 (a < b & c)'].find('failure')
    assert failure.get('message') == 'value 0 is 4i32, expected 5i32', failure.attrib
    assert 'try: dagaz run' in failure.text
    assert 'Counterexample: ' in cases['property is_small'].find('failure').text
    assert cases['property is_small'].find('failure').get('message').startswith('Property is_small')
    assert len(cases['twice, case 0']) == 0


def main():
    for part in (junit,):
        with tempfile.TemporaryDirectory() as folder:
            part(World(pathlib.Path(sys.argv[1]).resolve(), folder))
        print(f'{part.__name__}: passed')


if __name__ == '__main__':
    main()
