#!/usr/bin/env python3
"""The files for editors know the language of the lexer, and the extension for VS Code works.

usage: check_editors.py DAGAZ REPOSITORY
Each grammar has to know every keyword of compiler/syntax/lexer.re.  The .vsix is built and what it
holds is read back; the extension is run in Node against a stand-in for the editor.  Vim highlights
a program.  Where Node or Vim is not installed, a line says so.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom
import zipfile

KEYWORD = re.compile(r'^ *"([a-z]+)" \{ return', re.MULTILINE)
# What Vim takes the characters at these places of PROGRAM for: line, column, group.
PROGRAM = """-- | doc
#[inline]
def f 't [n] (x: [n]f32) = if true then 0x1Fu8 else #none "a" -- def
"""
VIM_GROUPS = [(1, 1, 'Documentation'), (2, 1, 'Attribute'), (3, 1, 'Keyword'),
              (3, 7, 'TypeParameter'), (3, 21, 'Type'), (3, 28, 'Conditional'),
              (3, 31, 'Boolean'), (3, 41, 'Number'), (3, 53, 'Constructor'), (3, 60, 'String'),
              (3, 67, 'Comment')]


def check_keywords(root):
    keywords = set(KEYWORD.findall((root / 'compiler/syntax/lexer.re').read_text()))
    assert len(keywords) > 20, keywords
    problems = []
    for name in ('vscode/syntaxes/futhark.tmLanguage.json', 'vim/syntax/futhark.vim',
                 'emacs/dagaz-mode.el'):
        words = set(re.findall(r'[a-z]+', (root / 'editors' / name).read_text()))
        problems += [f'editors/{name}: `{word}` is missing' for word in sorted(keywords - words)]
    return problems


def check_vsix(root, folder):
    output = folder / 'dagaz.vsix'
    subprocess.run([sys.executable, root / 'editors/vscode/build_vsix.py', output], check=True,
                   stdout=subprocess.DEVNULL)
    with zipfile.ZipFile(output) as archive:
        names = set(archive.namelist())
        for name in ('extension.vsixmanifest', '[Content_Types].xml'):
            xml.dom.minidom.parseString(archive.read(name))
        package = json.loads(archive.read('extension/package.json'))
        used = [package['main']]
        used += [item['configuration'] for item in package['contributes']['languages']]
        used += [item['path'] for item in package['contributes']['grammars']]
        archive.extractall(folder / 'unpacked')
        for name in names:
            if name.endswith('.json'):
                json.loads(archive.read(name))
    return [f'the .vsix lacks {name}' for name in used
            if 'extension/' + name.removeprefix('./') not in names]


def check_extension(dagaz, folder):
    if shutil.which('node') is None:
        print('[SKIP] node is not installed: the extension is not run')
        return []
    test = pathlib.Path(__file__).resolve().parent / 'extension_test.js'
    done = subprocess.run(['node', test, folder / 'unpacked/extension/extension.js', dagaz, folder],
                          capture_output=True, text=True, timeout=60)
    return [] if done.returncode == 0 else ['the extension: ' + done.stderr]


def check_vim(root, folder):
    # A small Vim comes without highlighting.
    version = shutil.which('vim') and subprocess.run(['vim', '--version'], capture_output=True,
                                                     text=True).stdout
    if not version or '+syntax' not in version:
        print('[SKIP] no Vim with highlighting is installed')
        return []
    program = folder / 'program.fut'
    program.write_text(PROGRAM)
    places = ' '.join(f"add(g:found, synIDattr(synID({line}, {column}, 1), 'name'))"
                      for line, column, _ in VIM_GROUPS).replace(') add', ') | call add')
    result = folder / 'groups'
    subprocess.run(['vim', '-es', '-u', 'NONE', '-i', 'NONE',
                    '--cmd', f'set runtimepath^={root}/editors/vim',
                    '-c', 'filetype plugin on', '-c', 'syntax on', '-c', f'edit {program}',
                    '-c', f'let g:found = [] | call {places}',
                    '-c', f"call writefile(g:found, '{result}')", '-c', 'qa!'],
                   stdin=subprocess.DEVNULL, timeout=60)
    found = result.read_text().split('\n') if result.exists() else []
    expected = ['futhark' + group for _, _, group in VIM_GROUPS]
    return [] if found[:-1] == expected else [f'Vim: {expected} expected, {found} found']


def main(dagaz, repository):
    dagaz, root = pathlib.Path(dagaz).resolve(), pathlib.Path(repository).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        problems = check_keywords(root) + check_vsix(root, folder)
        problems += check_extension(dagaz, folder) + check_vim(root, folder)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
