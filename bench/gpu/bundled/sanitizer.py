"""NVIDIA's compute-sanitizer over small calls and tests, where it is there."""
import json
import shutil

import large
import tests
from server import Failed, Server, row_of

TOOLS = ('memcheck', 'racecheck', 'synccheck', 'initcheck')
PROGRAMS = 12  # of the tests, evenly chosen


def sanitizer(tool):
    """Its own words go elsewhere: what the program prints are values."""
    return ['compute-sanitizer', '--tool', tool, '--error-exitcode', '99', '--target-processes', 'all',
            '--log-file', '/dev/null']


def of_large(tool, entry, arguments):
    with Server('large', 300, sanitizer(tool)) as server:
        names = [server.put('i64', number) for number in arguments]
        result, _ = server.call(entry, *names)
        wrong = server.get(result)[2][0]
        server.process.stdin.close()
        status = server.process.wait(120)
    if wrong or status:
        raise Failed(f'{wrong} wrong, status {status}')


def rows(bundle, save):
    if not shutil.which('compute-sanitizer'):
        save({'name': 'compute-sanitizer is not there', 'good': True})
        return
    folders = tests.folders()
    for tool in TOOLS:
        for entry, _, small in large.CASES:
            with row_of(f'{tool}: {entry}', save):
                of_large(tool, entry, small)
        for folder in folders[::max(1, len(folders) // PROGRAMS)]:
            case = json.loads((folder / 'cases.json').read_text())[0]
            problem = tests.run(folder, case, 120, sanitizer(tool))
            save({'name': f'{tool}: {folder.name}', 'good': not problem, 'problem': problem})


def page(found):
    for row in found:
        yield f'- {row["name"]}' + (f': **{row["problem"]}**' if row.get('problem') else '')
