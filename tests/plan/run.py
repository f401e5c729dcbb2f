#!/usr/bin/env python3
"""Golden tests of schedules: what `dagaz inspect --stage=plan` prints for each program here.

usage: run.py DAGAZ FOLDER [--update]
Blocks follow from the processor, so all are planned for one with AVX2.
A file is a program, with a comment `-- target: cuda` if it is planned for a GPU, and below a line
`-- expect` what is printed, a comment a line.  Names lose their numbers.
"""
import pathlib
import re
import subprocess
import sys


def planned(dagaz, path, target):
    command = [dagaz, 'inspect', str(path), '--stage=plan', '-w', f'--target={target}',
               '--cpu=x86-64-v3']
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return f'exit status {done.returncode}\n{done.stderr}', ' '.join(command)
    return re.sub(r'\b([A-Za-z_]\w*?)_\d+\b', r'\1', done.stdout), ' '.join(command)


def main():
    dagaz, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    update = '--update' in sys.argv
    passed = failed = 0
    for path in sorted(folder.glob('*.fut')):
        program, _, expected = path.read_text().partition('-- expect\n')
        target = re.search(r'^-- target: (\w+)$', program, re.M)
        text, command = planned(dagaz, path, target.group(1) if target else 'cpu')
        found = ''.join(f'--| {line}'.rstrip() + '\n' for line in text.splitlines())
        if found == expected:
            passed += 1
        elif update:
            path.write_text(program + '-- expect\n' + found)
            passed += 1
        else:
            failed += 1
            print(f'[FAIL] {path}\n  try: {command}\n  expected:\n{expected}  found:\n{found}')
    print(f'plans: {passed} passed, {failed} failed')
    sys.exit(1 if failed or not passed else 0)


main()
