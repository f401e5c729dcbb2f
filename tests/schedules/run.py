#!/usr/bin/env python3
"""Schedules written by hand: programs that follow them give what they give otherwise.

usage: run.py DAGAZ REPOSITORY
`written.txt` beside this file has paragraphs, a comment before each: a program of tests/programs, an
entry point, the number of a scheduled operation in it, counted from 0 as `inspect --stage=plan` prints
them, `on sim` if that is a GPU's, a colon, and below it the versions of its schedule, without sizes that are the default.  Names in
it count for nothing but that there are some.  Behind the versions may stand what the schedule says of all of them, after a `]`,
and before them settings.
"""
import functools
import pathlib
import re
import subprocess
import sys
import tempfile

OPERATION = re.compile(r'^-- (?P<entry>\w+), line \d+: .*\n(?P<name>\S+): \[', re.M)
HEAD = re.compile(r'(?P<program>\w+) (?P<entry>\w+) (?P<number>\d+)'
                  r'(?: on (?P<target>\w+))?:\s*(?P<settings>settings [^\n]*\n\s*)?'
                  r'(?P<versions>.*?)(?:\n\s*\] *(?P<rest>[^\n]*))?', re.S)


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


@functools.cache
def plan_of(program, *inspect):
    """Several paragraphs ask for that of one program."""
    return run(*inspect, program).stdout


def follow(dagaz, folder, text):
    """What is wrong, or nothing."""
    head = HEAD.fullmatch(text)
    program = str(folder / (head['program'] + '.fut'))
    target = f'--target={head["target"] or "cpu"}'
    inspect = (dagaz, 'inspect', '--stage=plan', '-w', target)
    planned = plan_of(program, *inspect)
    names = [one['name'] for one in OPERATION.finditer(planned) if one['entry'] == head['entry']]
    name = names[int(head['number'])]
    with tempfile.NamedTemporaryFile('w', suffix='.plan') as plan:
        settings, rest = head['settings'] or '', head['rest'] or ''
        plan.write(f'{settings}{name}: [\n{head["versions"]}] {rest}\n')
        plan.flush()
        followed = run(*inspect, f'--plan={plan.name}', program)
        if followed.returncode != 0:
            return followed.stderr
        if not followed.stdout.startswith(settings.rstrip()):
            return f'other settings: {followed.stdout.splitlines()[0]}'
        found = re.search(rf'^{re.escape(name)}: \[(.*?)\n(--|\Z)', followed.stdout, re.M | re.S)
        words = set(re.split(r'[\s,\]]+', found[1]))
        if missing := set(rest.split()) - words:
            return f'no {missing} in {found[0]}'
        for version in head['versions'].split('\n'):
            # The strategy and its sizes; lists of names are the compiler's.
            for word in re.sub(r'\[[^\]]*\]', '', version.split(' when')[0].rstrip(',')).split():
                if word not in words:
                    return f'no {word} in {found[0]}'
        # What LLVM makes of it is not the question.
        tested = run(dagaz, 'test', '-O1', target, f'--plan={plan.name}', program)
        return '' if tested.returncode == 0 else tested.stdout + tested.stderr


def main():
    dagaz, root = sys.argv[1], pathlib.Path(sys.argv[2])
    folder = root / 'tests' / 'programs'
    text = (pathlib.Path(__file__).parent / 'written.txt').read_text()
    paragraphs = ['\n'.join(line for line in one.splitlines() if not line.startswith('--')).strip()
                  for one in text.split('\n\n')]
    paragraphs = [one for one in paragraphs if one]
    failed = 0
    for one in paragraphs:
        problem = follow(dagaz, folder, one)
        if problem:
            failed += 1
            print(f'[FAIL] {one}\n{problem}')
    print(f'schedules: {len(paragraphs) - failed} followed, {failed} failed')
    sys.exit(1 if failed or not paragraphs else 0)


main()
