#!/usr/bin/env python3
"""Random edits and questions: the language server must answer, and its memory must stay flat.

usage: fuzz.py DAGAZ PROGRAMS [--edits N] [--seed S]
PROGRAMS is a folder of .fut files to start from.  Prints its seed; exit status 1 after a failure.
"""
import argparse
import os
import pathlib
import random
import sys
import tempfile

from client import Client, RequestFailed

PIECES = ['(', ')', '[', ']', '{', '}', ' ', '\n', '.', ',', '#', '#[', 'let ', ' in ', '= ',
          'def f ', '\\x -> ', 'if ', ' then ', ' else ', 'match ', '\ncase ', 'loop ', '..<', '->',
          ' for i < n do ', 'map ', 'x', 'xs', '1', '0.5f32', '"', "'a", '-- | ', '-- ', '|> ',
          'module m = {', 'open ', 'import "', 'type ', ': ', ':> ', '*', ' with [0] = ', '??? ',
          '\u00e9', '\U0001d538', '.+ ', 'local ', 'entry ', 'vjp ', 'module type ', 'val ',
          'assert ', '`']
PLACED = ['hover', 'definition', 'typeDefinition', 'references', 'documentHighlight',
          'prepareRename', 'completion', 'signatureHelp']
WHOLE = ['documentSymbol', 'semanticTokens/full', 'foldingRange', 'formatting']


def resident_pages(process):
    return int(pathlib.Path(f'/proc/{process.pid}/statm').read_text().split()[1])


def edit(client, name, generator, original):
    text = client.texts[name]
    if generator.random() < 0.02 or len(text) > 4 * len(original) + 1000:
        client.rewrite(name, original)
        return
    begin = generator.randrange(len(text) + 1)
    end = min(len(text), begin + (generator.randrange(12) if generator.random() < 0.5 else 0))
    new = generator.choice(PIECES) if generator.random() < 0.7 else ''
    client.replace(name, begin, end, new)


def ask(client, name, generator):
    place = client.place(name, generator.randrange(len(client.texts[name]) + 1))
    kind = generator.random()
    try:
        if kind < 0.7:
            client.query(generator.choice(PLACED), name, place)
        elif kind < 0.8:
            client.query('rename', name, place, newName='renamed')
        elif kind < 0.9:
            span = {'start': {'line': 0, 'character': 0}, 'end': place}
            client.query('inlayHint', name, range=span)
            client.query('selectionRange', name, positions=[place])
        else:
            client.query(generator.choice(WHOLE), name)
    except RequestFailed:
        pass  # there is no name here, the program has mistakes, …


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('dagaz')
    parser.add_argument('programs')
    parser.add_argument('--edits', type=int, default=300)
    parser.add_argument('--seed', type=int, default=1)
    options = parser.parse_args()
    print(f'seed {options.seed}')
    generator = random.Random(options.seed)
    sources = sorted(pathlib.Path(options.programs).rglob('*.fut'))
    assert sources, f'no programs in {options.programs}'
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, 'XDG_CACHE_HOME': folder}
        client = Client(str(pathlib.Path(options.dagaz).resolve()), folder, environment=environment)
        done, pages = 0, None
        while done < options.edits:
            original = generator.choice(sources).read_text()
            client.open('program.fut', original)
            for _ in range(min(50, options.edits - done)):
                edit(client, 'program.fut', generator, original)
                ask(client, 'program.fut', generator)
                done += 1
            client.close('program.fut')
            if pages is None and done >= options.edits // 2:
                pages = resident_pages(client.process)
        growth = resident_pages(client.process) / pages
        assert client.end() == 0
    print(f'{done} edits; memory grew by a factor of {growth:.2f} in the second half')
    return 0 if growth < 1.5 else 1


if __name__ == '__main__':
    sys.exit(main())
