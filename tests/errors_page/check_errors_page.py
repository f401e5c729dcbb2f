#!/usr/bin/env python3
"""docs/errors.md is what the compiler makes, and shows a full message of every kind.

usage: check_errors_page.py DAGAZ ROOT

Kinds whose mistake is not in the program have their messages in tests/command_line.
"""
import pathlib
import re
import subprocess
import sys


def main():
    dagaz, root = sys.argv[1], pathlib.Path(sys.argv[2])
    page = (root / 'docs/errors.md').read_text()
    made = subprocess.run([dagaz, 'explain', '--page'], stdout=subprocess.PIPE, check=True,
                          text=True).stdout
    problems = []
    if page != made:
        problems.append('docs/errors.md is out of date: dagaz explain --page > docs/errors.md')
    table = (root / 'compiler/support/diagnostic_kinds.def').read_text()
    kinds = re.findall(r'^DZ_KIND\(\w+, "([a-z-]+)"', table, re.MULTILINE)
    messages = page + ''.join(path.read_text()
                              for path in (root / 'tests/command_line').glob('*.test'))
    shown = set(re.findall(r'^(?:\S+: )?(?:error|warning)\[([a-z-]+)\]: ', messages, re.MULTILINE))
    problems += [f'no test shows a message of kind {kind}' for kind in kinds
                 if kind not in shown]
    print('\n'.join(problems) or f'{len(kinds)} kinds, all with a full message')
    return 1 if problems or not kinds else 0


if __name__ == '__main__':
    sys.exit(main())
