#!/usr/bin/env python3
"""How many of Futhark's own tests of its tools pass with Dagaz's.

usage: count.py DAGAZ FUTHARK [KIND…]

FUTHARK is its repository, which is fetched beside this one and never copied into it.  Each KIND
(all if none is named) is one of its folders:
- c: the clients in tests_lib/c, compiled against `--prefix=futhark` libraries, pass; the manifests
  follow its schema (where Python has jsonschema);
- server: the sessions in tests_server, text and values;
- fmt: tests_fmt, byte for byte;
- literate: tests_literate, byte for byte (video needs ffmpeg);
- repl: tests_repl, byte for byte but for the program's own name;
- property: tests_property, byte for byte but for the lines that say which test failed and how to
  repeat it, and for what Futhark's own script leaves out: seeds, candidates, counts of tests.  The
  packages that they import are fetched where there is no folder `lib`.
Everything is done in a copy in a temporary folder.  Prints what fails, and counts; exit status 1 if
anything does.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIBRARIES = ['-lstdc++', '-lm', '-ldl', '-lpthread']


class Failed(Exception):
    """Why one of the tests does not pass."""


def run(folder, *command, text=None):
    done = subprocess.run([str(word) for word in command], cwd=folder, input=text, timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors='replace')
        name = pathlib.Path(command[0]).name
        raise Failed(f'{name}: exit status {done.returncode}: {said[:500]}')
    return done.stdout


def same(made, expected):
    if made != expected:
        lines = list(zip(made.splitlines(), expected.splitlines()))
        first = next((pair for pair in lines if pair[0] != pair[1]), 'one is longer')
        raise Failed(f'differs: {first}')


def check_client(dagaz, folder, program):
    name = program.stem
    run(folder, dagaz, 'build', program.name, '--emit=lib', '--prefix=futhark')
    run(folder, 'gcc', f'test_{name}.c', f'lib{name}.a', '-std=c99', '-Wall', '-Wextra',
        '-pedantic', *LIBRARIES, '-o', f'test_{name}')
    run(folder, f'./test_{name}')
    try:
        import jsonschema
    except ImportError:
        return
    schema = json.loads((folder.parents[1] / 'docs/manifest.schema.json').read_text())
    jsonschema.validate(json.loads((folder / f'{name}.json').read_text()), schema)


def check_session(dagaz, folder, session):
    here = folder / session.name
    run(here, dagaz, 'build', 'test.fut', '--emit=server', '-o', 'test')
    said = run(here, './test', text=(here / 'input.txt').read_bytes())
    same(said, (here / 'output.txt.expected').read_bytes())
    run(here, dagaz, 'datacmp', 'output.data.expected', 'output.data.actual')


def check_layout(dagaz, folder, program):
    expected = folder / 'expected' / program.name
    same(run(folder, dagaz, 'fmt', text=program.read_bytes()), expected.read_bytes())
    run(folder, dagaz, 'fmt', '--check', expected)


def check_page(dagaz, folder, program):
    # Some pages are about what goes wrong.
    subprocess.run([dagaz, 'literate', program.name], cwd=folder, timeout=600, check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    page = program.with_suffix('.md').name
    if not (folder / page).exists():
        raise Failed('no page')
    same((folder / page).read_bytes(), (folder / 'expected' / page).read_bytes())


def check_dialogue(dagaz, folder, program):
    typed = program.with_suffix('.in').read_bytes()
    expected = program.with_suffix('.out').read_bytes().replace(b"'futhark repl'", b"'dagaz repl'")
    same(run(folder, dagaz, 'repl', program.name, text=typed), expected)


def hide_choices(text):
    text = re.sub(rb'(seed|candidate|random)=-?\d+', rb'\1=REDACTED', text)
    return re.sub(rb'after \d+ tests', b'after N tests', text)


def check_property(dagaz, folder, expected):
    if not (folder / 'lib').exists():
        run(folder, dagaz, 'pkg', 'sync')
    program = f'./{expected.relative_to(folder).with_suffix(".fut")}'
    said = subprocess.run([dagaz, 'test', '--seed=123', program], cwd=folder, timeout=600,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
    frame = rb'^\[FAIL\] \S+ propert.*\n|^\[FAIL\] \S+ |^  try: .*\n|^cpu: \d+ passed.*\n'
    same(hide_choices(re.sub(frame, b'', said, flags=re.MULTILINE)), expected.read_bytes())


# The folder, which of its entries are tests, and how one is checked.
KINDS = {
    'c': ('tests_lib/c', '*.fut', check_client),
    'server': ('tests_server', '*_arrays', check_session),
    'fmt': ('tests_fmt', '*.fut', check_layout),
    'literate': ('tests_literate', '*.fut', check_page),
    'repl': ('tests_repl', '*.fut', check_dialogue),
    'property': ('tests_property', '*_tests/**/*.out', check_property),
}


def count(kind, dagaz, peer):
    folder, pattern, check = KINDS[kind]
    tests = sorted((peer / folder).glob(pattern))
    passed = 0
    for test in tests:
        try:
            check(dagaz, peer / folder, test)
            passed += 1
        except (Failed, subprocess.TimeoutExpired) as reason:
            print(f'{test.relative_to(peer)}: {reason}')
    print(f'{kind}: {passed} of {len(tests)}', flush=True)
    return passed == len(tests) and tests


def main(dagaz, peer, *kinds):
    dagaz, peer = pathlib.Path(dagaz).resolve(), pathlib.Path(peer).resolve()
    with tempfile.TemporaryDirectory() as name:
        copy = pathlib.Path(name) / 'peer'
        for folder in ('docs', 'assets', *(KINDS[kind][0] for kind in KINDS)):
            shutil.copytree(peer / folder, copy / folder)
        results = [count(kind, dagaz, copy) for kind in kinds or KINDS]
    return 0 if all(results) else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
