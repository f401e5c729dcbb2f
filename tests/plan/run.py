#!/usr/bin/env python3
"""Golden tests of decisions: what `dagaz inspect --stage=STAGE` prints for each program of a folder,
by default the plan.

usage: run.py DAGAZ FOLDER [--stage=STAGE] [--update]
Blocks follow from the processor, so all are planned for one with AVX2, or the one that a comment
`-- cpu: x86-64-v4` names.  A file is a program, with a comment `-- target: cuda` if it is planned for
a GPU, of the oldest kind or one that `-- gpu: sm_80` names, and below a line `-- expect` what is
printed, a comment a line.
"""
import pathlib
import re
import subprocess
import sys


def decided(dagaz, path, stage, program):
    def named(what, default):
        found = re.search(rf'^-- {what}: (\S+)$', program, re.M)
        return found.group(1) if found else default

    command = [dagaz, 'inspect', str(path), f'--stage={stage}', '-w',
               f'--target={named("target", "cpu")}', f'--cpu={named("cpu", "x86-64-v3")}',
               f'--gpu={named("gpu", "sm_70")}']
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return f'exit status {done.returncode}\n{done.stderr}', ' '.join(command)
    return renumbered(done.stdout), ' '.join(command)


def renumbered(text):
    """Names without their numbers; the second of the same name is x.2, the third x.3."""
    seen = {}

    def name(found):
        numbers = seen.setdefault(found.group(1), [])
        if found.group(2) not in numbers:
            numbers.append(found.group(2))
        number = numbers.index(found.group(2)) + 1
        return found.group(1) + (f'.{number}' if number > 1 else '')

    return re.sub(r"\b([A-Za-z_][\w']*?)_(\d+)\b", name, text)


def main():
    dagaz, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    update = '--update' in sys.argv
    stage = next((one.split('=')[1] for one in sys.argv if one.startswith('--stage=')), 'plan')
    passed = failed = 0
    for path in sorted(folder.glob('*.fut')):
        program, _, expected = path.read_text().partition('-- expect\n')
        text, command = decided(dagaz, path, stage, program)
        found = ''.join(f'--| {line}'.rstrip() + '\n' for line in text.splitlines())
        if found == expected:
            passed += 1
        elif update:
            path.write_text(program + '-- expect\n' + found)
            passed += 1
        else:
            failed += 1
            print(f'[FAIL] {path}\n  try: {command}\n  expected:\n{expected}  found:\n{found}')
    print(f'{stage}: {passed} passed, {failed} failed')
    sys.exit(1 if failed or not passed else 0)


main()
