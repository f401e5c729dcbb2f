"""All tests of programs, with the inputs and results that were recorded on a CPU."""
import json
import re
import subprocess
import time

import values
from server import HERE, environment


def folders():
    return sorted(path.parent for path in (HERE / 'tests').glob('*/cases.json'))


def message(text):
    """Of an error at run time, what does not depend on which thread failed first."""
    lines = [line for line in text.splitlines() if 'Error: ' in line]
    return re.sub(r'-?\d[\d.e+-]*', '#', lines[0].split('Error: ', 1)[1]) if lines else ''


def run(folder, case, limit, wrapped_by=()):
    """What is wrong with a case, or nothing."""
    try:
        done = subprocess.run([*wrapped_by, folder / 'program', *case['arguments']],
                              input=(folder / case['input']).read_bytes(), capture_output=True,
                              env=environment(), timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f'takes longer than {limit} s'
    errors = done.stderr.decode(errors='replace')
    if done.returncode != case['status']:
        return f'ends with status {done.returncode} for {case["status"]}: {errors.strip()[:500]}'
    if case['status'] != 0:
        same = message(errors) == message(case['errors'])
        return None if same else f'says `{message(errors)}` for `{message(case["errors"])}`'
    expected = (folder / case['output']).read_bytes()
    return values.differs(values.all_in(done.stdout), values.all_in(expected))


def rows(bundle, save):
    for folder in folders():
        start = time.monotonic()
        cases = json.loads((folder / 'cases.json').read_text())
        problems = []
        for number, case in enumerate(cases):
            problem = run(folder, case, 120)
            if problem:
                problems.append(f'{number}: {" ".join(case["arguments"])}: {problem}')
        save({'name': folder.name, 'cases': len(cases), 'problems': problems,
              'good': not problems, 'seconds': round(time.monotonic() - start, 2)})


def page(found):
    cases = sum(row['cases'] for row in found)
    failed = sum(len(row['problems']) for row in found)
    yield f'{len(found)} programs, {cases} cases, {failed} that differ from the CPU.\n'
    for row in found:
        for problem in row['problems']:
            yield f'- {row["name"]}, {problem}'
