#!/usr/bin/env python3
"""Stands for the linker while tests run: what it links notes how it is called, and by what it answers.

usage: CC=record_linker.py RECORD=FOLDER dagaz test … FILE

Each call of a program that was linked so leaves in the folder its arguments, input, output, errors and
exit status, by a number.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

CALLED = '''#!/bin/sh
exec {python} {here} --called {program} "$@"
'''


def link(arguments):
    done = subprocess.run(['cc', *arguments], check=False)
    if done.returncode == 0 and '-o' in arguments:
        output = Path(arguments[arguments.index('-o') + 1])
        if output.name == 'program':  # and not the server that properties are tried with
            program = output.rename(output.with_suffix('.linked'))
            output.write_text(CALLED.format(python=sys.executable, here=Path(__file__).resolve(),
                                            program=program))
            output.chmod(0o755)
    return done.returncode


def called(program, arguments):
    data = sys.stdin.buffer.read()
    done = subprocess.run([program, *arguments], input=data, capture_output=True, check=False)
    folder = Path(os.environ['RECORD'])
    number = 0
    while True:
        try:
            with open(folder / f'{number:03}.json', 'x', encoding='utf-8') as out:
                json.dump({'arguments': arguments, 'input': f'{number:03}.in',
                           'output': f'{number:03}.out', 'status': done.returncode,
                           'errors': done.stderr.decode(errors='replace')[:2000]}, out)
            break
        except FileExistsError:
            number += 1
    (folder / f'{number:03}.in').write_bytes(data)
    (folder / f'{number:03}.out').write_bytes(done.stdout)
    sys.stdout.buffer.write(done.stdout)
    sys.stderr.buffer.write(done.stderr)
    return done.returncode


if __name__ == '__main__':
    if sys.argv[1:2] == ['--called']:
        sys.exit(called(sys.argv[2], sys.argv[3:]))
    sys.exit(link(sys.argv[1:]))
