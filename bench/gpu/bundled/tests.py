"""All tests of programs, with the inputs and results that were recorded on a CPU."""
import json
import os
import re
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import values
from server import HERE, environment

ALONE = 5  # calls of a program that are tried again alone, at most


def folders():
    return sorted(path.parent for path in (HERE / 'tests').glob('*/cases.json'))


def message(text):
    """Of an error at run time, what does not depend on which thread failed first."""
    lines = [line for line in text.splitlines() if 'Error: ' in line]
    return re.sub(r'-?\d[\d.e+-]*', '#', lines[0].split('Error: ', 1)[1]) if lines else ''


def judge(folder, case, status, output, errors):
    """What is wrong with an answer, or nothing."""
    if status != case['status']:
        return f'ends with status {status} for {case["status"]}: {errors.strip()[:500]}'
    if status != 0:
        same = message(errors) == message(case['errors'])
        return None if same else f'says `{message(errors)}` for `{message(case["errors"])}`'
    expected = (folder / case['output']).read_bytes()
    return values.differs(values.all_in(output), values.all_in(expected))


def run(folder, case, limit, wrapped_by=()):
    """What is wrong with a case that runs alone, or nothing."""
    try:
        done = subprocess.run([*wrapped_by, folder / 'program', *case['arguments']],
                              input=(folder / case['input']).read_bytes(), capture_output=True,
                              env=environment(), timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return f'takes longer than {limit} s'
    return judge(folder, case, done.returncode, done.stdout,
                 done.stderr.decode(errors='replace'))


def run_together(folder, cases, limit):
    """What is wrong with each case when one process makes all calls; for those that it did not come
    to, that it did not."""
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        lines = []
        for number, case in enumerate(cases):
            os.symlink(folder / case['input'], place / f'{number}.in')
            lines.append('\t'.join([str(place / str(number)), *case['arguments']]))
        (place / 'calls').write_text('\n'.join(lines) + '\n')
        try:
            subprocess.run([folder / 'program', '--calls', place / 'calls'], timeout=limit,
                           capture_output=True, check=False, env=environment())
        except subprocess.TimeoutExpired:
            pass
        problems = []
        for number, case in enumerate(cases):
            status = place / f'{number}.status'
            if not status.exists():
                problems.append('was not made')
                continue
            problems.append(judge(folder, case, int(status.read_text()),
                                  (place / f'{number}.out').read_bytes(),
                                  (place / f'{number}.err').read_text(errors='replace')))
        return problems


def row_of(folder):
    start = time.monotonic()
    cases = json.loads((folder / 'cases.json').read_text())
    found = run_together(folder, cases, 120)
    problems, alone = [], 0
    for number, (case, problem) in enumerate(zip(cases, found)):
        if problem and alone < ALONE:  # a context that failed takes others with it
            alone += 1
            problem = run(folder, case, 60)
        if problem:
            problems.append(f'{number}: {" ".join(case["arguments"])}: {problem}')
    return {'name': folder.name, 'cases': len(cases), 'problems': problems, 'good': not problems,
            'seconds': round(time.monotonic() - start, 2)}


def rows(bundle, save):
    """Programs run beside each other, as processes do that share a GPU."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in as_completed([pool.submit(row_of, folder) for folder in folders()]):
            save(done.result())


def page(found):
    cases = sum(row['cases'] for row in found)
    failed = sum(len(row['problems']) for row in found)
    yield f'{len(found)} programs, {cases} cases, {failed} that differ from the CPU.\n'
    for row in found:
        for problem in row['problems']:
            yield f'- {row["name"]}, {problem}'
