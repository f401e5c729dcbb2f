#!/usr/bin/env python3
"""Dagaz beside Futhark's multicore code on Futhark's own benchmark programs.

usage: peer_benchmarks.py FOLDER --peer-build COMMAND [--dagaz build/dagaz] [--threads 1]
                          [--rounds 3] [--seconds 0.3] [--only PATTERN] [--keep FOLDER]
                          [--markdown FILE] [--json FILE]

FOLDER is a copy of github.com/diku-dk/futhark-benchmarks; `COMMAND BACKEND FILE OUT` must build
FILE with Futhark's BACKEND.  Each program with test blocks (but for those of libraries) is built by
both compilers, and run on the inputs that its blocks state: values, files that are there, random
values of stated types, and scripts.  Results are compared first.  Then both executables run by
turns, each time as often as fits into the seconds; a ratio is that of the least times.  Who begins
changes from round to round.  What cannot take part is told below the table, with the reason.

What was built is kept in the folder `--keep`, and Futhark's part of it used again.  Results go to
the JSON file after each case; cases that it already has are not measured again.
"""
import argparse
import gzip
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import machine

HERE = Path(__file__).resolve().parent
LEFT_OUT = {'nobench', 'no_multicore', 'disable'}  # tags of cases and of programs


@dataclass(frozen=True)
class Case:
    """An input of a test block, for one of its entry points."""
    program: Path
    entry: str
    name: str
    kind: str  # literal, file, random, script
    text: str  # values, the name of a file, types, or an expression


class NotComparable(Exception):
    """Why a program or a case takes no part."""


# ---------------------------------------------------------------- test blocks

CLAUSE = re.compile(r'(?P<words>(?:"[^"]*"\s+)?(?:[\w-]+\s+)*)\b(?P<what>input|output)\b'
                    r'(?:\s*@\s*(?P<file>\S+)|(?P<brace>\s*\{))?')


def blocks(text):
    """The test blocks of a program, without the marks of their comments."""
    lines = None
    for line in [*text.splitlines(), '']:
        if re.match(r'--\s*==', line):
            lines = []
        elif lines is not None and line.startswith('--'):
            lines.append(line[2:])
        elif lines is not None:
            yield '\n'.join(lines)
            lines = None


def closing(text, at):
    """Where the brace that was opened before `at` is closed."""
    depth = 1
    while depth:
        at += 1
        depth += {'{': 1, '}': -1}.get(text[at - 1], 0)
    return at


def clauses(block):
    """(words before it, what it is, the file it names, the text in its braces), in order."""
    at = 0
    while found := CLAUSE.search(block, at):
        at = found.end()
        inside = None
        if found['brace']:
            at = closing(block, found.end())
            inside = block[found.end():at - 1]
        yield found['words'], found['what'], found['file'], inside


def cases(program):
    """The cases of a program that are meant to be measured."""
    for block in blocks(program.read_text(encoding='utf-8')):
        stated = re.search(r'\btags\s*\{([^}]*)\}', block)
        if stated and LEFT_OUT & set(stated[1].split()):
            continue
        named = re.search(r'\bentry:(.*)', block)
        entries = named[1].split() if named else ['main']
        inputs = [each for each in clauses(re.sub(r'\bentry:.*', '', block)) if each[1] == 'input']
        for words, _, file, inside in inputs:
            title = re.match(r'"([^"]*)"', words)
            tags = set(re.sub(r'"[^"]*"', '', words).split())
            if tags & LEFT_OUT:
                continue
            kind = 'file' if file else next((tag for tag in ('random', 'script') if tag in tags),
                                            'literal')
            text = file or ' '.join(inside.split())
            for entry in entries:
                yield Case(program, entry, title[1] if title else text[:60], kind, text)


# ---------------------------------------------------------------- inputs

BYTES = {'8': 1, '16': 2, '32': 4, '64': 8, 'l': 1}


def size(spec):
    """Bytes of a random value."""
    count = math.prod(int(extent.replace('_', '')) for extent in re.findall(r'\[([\d_]+)\]', spec))
    return count * BYTES[re.search(r'(8|16|32|64|l)$', spec)[1]] if ']' in spec else 8


def told(command, **rest):
    """What a command prints."""
    done = subprocess.run(command, capture_output=True, check=False, **rest)
    if done.returncode != 0:
        lines = done.stderr.decode(errors='replace').strip().splitlines()
        raise NotComparable(lines[0] if lines else f'status {done.returncode}')
    return done.stdout


def data_of(case, options):
    """What both executables read from standard input."""
    if case.kind == 'literal':
        return case.text.encode()
    if case.kind == 'random':
        specs = re.findall(r'\S+', re.sub(r'\]\s+', ']', case.text))
        if sum(map(size, specs)) > options.most_bytes:
            raise NotComparable('its input is larger than --most-bytes')
        generated = [part for spec in specs for part in ('-g', spec)]
        return told([options.dagaz, 'data', '-b', *generated])
    if case.kind == 'script':
        missing = [name for name in re.findall(r'\$load\w+ "([^"]*)"', case.text)
                   if not (case.program.parent / name).exists()]
        if missing:
            raise NotComparable(f'{missing[0]} is not there')
        return told([options.dagaz, 'script', '-b', case.program.name, case.text],
                    cwd=case.program.parent)
    path = case.program.parent / case.text
    if not path.exists():
        raise NotComparable(f'{case.text} is not there')
    return gzip.decompress(path.read_bytes()) if path.suffix == '.gz' else path.read_bytes()


# ---------------------------------------------------------------- measuring

class Executable:
    """A program that one of the compilers made."""

    def __init__(self, path, threads):
        self.path, self.threads = path, threads

    def call(self, entry, data, *options):
        with data.open('rb') as source:
            return told([self.path, '-e', entry, '--num-threads', str(self.threads), *options],
                        stdin=source, timeout=600)

    def times(self, entry, data, runs):
        """Microseconds of so many runs, each after another one."""
        with tempfile.NamedTemporaryFile('r') as file:
            self.call(entry, data, '-n', '-t', file.name, '-r', str(runs))
            return [float(line) for line in file.read().split()]


def built(options, program):
    """The executables of both compilers."""
    name = str(program.relative_to(options.folder)).replace('/', '+').removesuffix('.fut')
    ours, theirs = (options.keep / f'{name}.{who}' for who in ('dagaz', 'peer'))
    told([options.dagaz, 'build', program, '-o', ours, '-w'])
    if not theirs.exists():
        told([options.peer_build, 'multicore', program, theirs])
    return Executable(ours, options.threads), Executable(theirs, options.threads)


def difference(options, results, folder):
    """The first place where two results are not alike, or nothing."""
    files = [folder / name for name in ('ours', 'theirs')]
    for file, result in zip(files, results):
        file.write_bytes(result)
    done = subprocess.run([options.dagaz, 'datacmp', *files], capture_output=True, text=True,
                          errors='replace', check=False)
    return None if done.returncode == 0 else (done.stdout + done.stderr).strip().splitlines()[0]


def compare(options, case, both, folder):
    """The least times of both, and where their results differ."""
    data = folder / 'data'
    data.write_bytes(data_of(case, options))
    different = difference(options, [each.call(case.entry, data, '-b') for each in both], folder)
    runs, least = [], []
    for each in both:
        first = min(each.times(case.entry, data, 1))
        runs.append(max(1, min(500, int(1e6 * options.seconds / max(first, 1)))))
        least.append(first)
    for round_ in range(options.rounds):
        for i in (0, 1) if round_ % 2 == 0 else (1, 0):
            least[i] = min(least[i], *both[i].times(case.entry, data, runs[i]))
    # Programs tell whole microseconds.
    return {'dagaz': max(least[0], 1), 'peer': max(least[1], 1), 'differs': different}


class Record:
    """What was measured so far, and the file that has it."""

    def __init__(self, options):
        self.file = options.json
        self.document = {'machine': machine.headline(), 'threads': options.threads,
                         'load': os.getloadavg()[0], 'cases': [], 'left_out': []}
        if self.file and self.file.exists():
            self.document = json.loads(self.file.read_text(encoding='utf-8'))
            self.document['left_out'] = []

    def has(self, name, entry, case):
        return any((each['program'], each['entry'], each['input']) == (name, entry, case)
                   for each in self.document['cases'])

    def add(self, kind, **what):
        self.document[kind].append(what)
        if self.file:
            self.file.write_text(json.dumps(self.document, indent=1, ensure_ascii=False) + '\n',
                                 encoding='utf-8')


def measure(options, program, record):
    """All cases of a program."""
    name = str(program.relative_to(options.folder)).removesuffix('.fut')
    both = None
    for case in cases(program):
        if record.has(name, case.entry, case.name):
            continue
        place = {'program': name, 'entry': case.entry, 'input': case.name}
        try:
            both = both or built(options, program)
            with tempfile.TemporaryDirectory() as folder:
                found = compare(options, case, both, Path(folder))
        except (NotComparable, subprocess.TimeoutExpired) as reason:
            record.add('left_out', **place, reason=str(reason))
            if both is None:
                return
            continue
        record.add('cases', **place, **found)
        print(f'{found["peer"] / found["dagaz"]:8.2f}  {name} {case.entry} {case.name}'
              f'{"  DIFFERS" if found["differs"] else ""}', file=sys.stderr, flush=True)


# ---------------------------------------------------------------- the table

def tables(document, least):
    """What was measured, as Markdown; `least` is in microseconds of the peer's time."""
    cases_ = sorted((each for each in document['cases'] if each['peer'] >= least),
                    key=lambda each: each['peer'] / each['dagaz'])
    ratios = [each['peer'] / each['dagaz'] for each in cases_]
    mean = math.exp(sum(map(math.log, ratios)) / max(1, len(ratios)))
    behind = sum(ratio < 0.95 for ratio in ratios)
    yield (f'{document["machine"]}; {document["threads"]} thread(s); load at the beginning '
           f'{document["load"]:.1f}.\n')
    yield (f'{len(ratios)} cases in which the peer takes {least / 1e3:g} ms or more: geometric '
           f'mean {mean:.2f}, {behind} below 0.95.\n')
    yield '| program | entry point | input | Dagaz ms | peer ms | ratio |'
    yield '|---|---|---|---:|---:|---:|'
    for each, ratio in zip(cases_, ratios):
        place = f'{each["program"]} | {each["entry"]} | {each["input"]}'
        yield (f'| {place} | {each["dagaz"] / 1e3:.3g} | {each["peer"] / 1e3:.3g} '
               f'| {ratio:.2f} |')
    yield ''
    for each in document['cases']:
        if each['differs']:
            yield (f'- results differ: {each["program"]} {each["entry"]} {each["input"]}: '
                   f'{each["differs"]}')
    for each in document['left_out']:
        yield f'- left out: {each["program"]} {each["entry"]} {each["input"]}: {each["reason"]}'


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1])
    parser.add_argument('folder', type=Path)
    parser.add_argument('--peer-build', required=True)
    parser.add_argument('--dagaz', default='build/dagaz')
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=0.3, help='of each in a round')
    parser.add_argument('--only', default='', help='programs with this regular expression')
    parser.add_argument('--most-bytes', type=int, default=1 << 30, help='of a random input')
    parser.add_argument('--least-ms', type=float, default=0.2, help='of the peer, for the table')
    parser.add_argument('--keep', type=Path, help='where executables are kept')
    parser.add_argument('--json', type=Path)
    parser.add_argument('--markdown', type=Path)
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.dagaz = str(Path(options.dagaz).resolve())
    return options


def main():
    options = arguments()
    record = Record(options)
    with tempfile.TemporaryDirectory() as root:
        options.keep = (options.keep or Path(root)).resolve()
        options.keep.mkdir(parents=True, exist_ok=True)
        programs = [path for path in sorted(options.folder.rglob('*.fut'))
                    if 'lib' not in path.relative_to(options.folder).parts
                    and re.search(options.only, str(path.relative_to(options.folder)))]
        for program in programs:
            measure(options, program, record)
    text = '\n'.join(tables(record.document, 1e3 * options.least_ms)) + '\n'
    if options.markdown:
        options.markdown.write_text(text, encoding='utf-8')
    else:
        print(text)


if __name__ == '__main__':
    main()
