#!/usr/bin/env python3
"""Programs that must be refused: each gets an error, and what follows is checked all the same.

usage: check_recovery.py DAGAZ PATH...
For each .fut file at or below the paths with a test block that begins with `-- error`: `check` says
no, with at least one error, and without a crash; and where a declaration with a mistake is put
behind the program, that mistake is reported as well: the compiler has gone on behind the first one.
Prints the exceptions and counts; exit status 1 if there are any.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# The first of a test block is that the compiler says no; further down `error` is about a run.
REFUSED = re.compile(r'^-- *==\s*\n(?:-- *(?:tags.*)?\n)*-- *error', re.MULTILINE)
MISTAKE = '\n\ndef behind_the_mistake : i32 = not_known_to_anyone\n'


def errors(dagaz, path):
    """The exit status of `check`, and its errors."""
    done = subprocess.run([dagaz, 'check', '--diagnostics=json', str(path)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = done.stderr.decode(errors='replace')
    found = []
    for line in text.splitlines():
        try:
            described = json.loads(line)
        except ValueError:
            return done.returncode, None, text
        if described['severity'] == 'error':
            found.append(described)
    return done.returncode, found, text


def check(dagaz, path):
    """What holds of one program: `went on`, `stopped` or `wrong`, and why."""
    status, found, text = errors(dagaz, path)
    if status != 1 or not found:
        return 'wrong', f'{path}: exit status {status}: {text[:300]}'
    beside = path.with_name(f'.behind-{path.name}')
    try:
        beside.write_bytes(path.read_bytes() + MISTAKE.encode())
        status, found, text = errors(dagaz, beside)
    finally:
        beside.unlink()
    if status != 1 or not found:
        return 'wrong', f'{path}, with another mistake: exit status {status}: {text[:300]}'
    if any('not_known_to_anyone' in each['message'] for each in found):
        return 'went on', ''
    return 'stopped', f'{path}: stops at {found[0]["kind"]}: {found[0]["message"][:80]}'


def main(dagaz, *paths):
    files = [file for path in map(pathlib.Path, paths)
             for file in (sorted(path.rglob('*.fut')) if path.is_dir() else [path])
             if REFUSED.search(file.read_text(errors='replace'))]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda file: check(dagaz, file), files))
    counts = collections.Counter(kind for kind, _ in results)
    for kind, why in sorted(results):
        if why:
            print(why)
    print(f'{len(files)} programs, {counts["wrong"]} wrong; {counts["went on"]} were checked to '
          f'their end, {counts["stopped"]} not')
    return 0 if files and counts['went on'] == len(files) else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
