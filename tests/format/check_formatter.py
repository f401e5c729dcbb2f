#!/usr/bin/env python3
"""Formatting changes neither a program nor a formatted program.

usage: check_formatter.py DAGAZ [--formatted] PATH...
For each .fut file at or below the paths that is a program by itself: its formatted text, formatted
again, is the same; its tree (`inspect --stage=ast`) is that of the original; and its comments are.
With --formatted, the files must also be formatted already.  Files that do not parse are counted.
Prints what is wrong; exit status 1 if something is, or if there was no file.
"""
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

COMMENT = re.compile(r'--.*')
KEYWORD = re.compile(rb'^( *(?:local )?)let ', re.MULTILINE)
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def run(*command, text=None):
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def comments(text):
    """The comments of a program, in order, without the blanks behind them."""
    plain = STRING.sub('""', text.decode(errors='replace'))
    return [line.rstrip() for line in COMMENT.findall(plain)]


def tree(dagaz, path):
    """The tree of a program as text; None if it has errors.  Top-level `let` is `def`."""
    status, text, _ = run(dagaz, 'inspect', '--stage=ast', str(path))
    return None if status != 0 else KEYWORD.sub(rb'\1def ', text)


def check_tree(dagaz, path, formatted):
    """Whether the formatted text has the tree of the original; None if that has no tree."""
    before = tree(dagaz, path)
    if before is None:  # its imports have mistakes
        return None
    # Beside the original, so that its imports are found.
    beside = path.with_name(f'.formatted-{path.name}')
    try:
        beside.write_bytes(formatted)
        after = tree(dagaz, beside)
    finally:
        beside.unlink()
    return before == after


def check(dagaz, path, must_be_formatted):
    """What is wrong with the formatting of one file and whether trees were compared, or None if it
    is no program."""
    original = path.read_bytes()
    status, once, message = run(dagaz, 'fmt', text=original)
    if status == 1:
        return None
    if status != 0:
        return [f'{path}: exit status {status}: {message.strip()[:400]}'], False
    problems = []
    _, twice, _ = run(dagaz, 'fmt', text=once)
    if twice != once:
        problems.append(f'{path}: changes when it is formatted again')
    if comments(once) != comments(original):
        problems.append(f'{path}: its comments change')
    if must_be_formatted and once != original:
        problems.append(f'{path}: is not formatted; run `dagaz fmt {path}`')
    same_tree = check_tree(dagaz, path, once)
    if same_tree is False:
        problems.append(f'{path}: its tree changes')
    return problems, same_tree is not None


def main(arguments):
    dagaz, must_be_formatted, paths = arguments[0], False, arguments[1:]
    if paths[0] == '--formatted':
        must_be_formatted, paths = True, paths[1:]
    files = []
    for path in map(pathlib.Path, paths):
        files += sorted(path.rglob('*.fut')) if path.is_dir() else [path]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda file: check(dagaz, file, must_be_formatted), files))
    checked = [result for result in results if result is not None]
    for problems, _ in checked:
        for problem in problems:
            print(problem)
    wrong = sum(bool(problems) for problems, _ in checked)
    trees = sum(compared for _, compared in checked)
    print(f'{len(checked)} programs, {wrong} wrong, {trees} trees compared; '
          f'{len(files) - len(checked)} files that do not parse')
    return 0 if checked and not wrong else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
