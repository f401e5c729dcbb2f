#!/usr/bin/env python3
"""The dependency rule: which folder may include which (DESIGN.md §3, compiler/README.md); that
emission compares nothing with numbers that decide; and that a pass has one name.

usage: check_layering.py REPOSITORY
Prints what is forbidden with its place; exit status 1 if there is something.
"""
import pathlib
import re
import sys

ALLOWED = {
    'support': set(),
    'syntax': {'support'},
    'check': {'support', 'syntax'},
    'ir': {'support'},
    'elaborate': {'support', 'syntax', 'check', 'ir'},
    'passes': {'support', 'ir'},
    'plan': {'support', 'ir'},
    'memory': {'support', 'ir', 'plan'},
    'tree': {'support', 'ir'},
    'emit': {'support', 'ir', 'plan', 'memory', 'tree'},
    'codegen': {'support', 'ir', 'tree'},
    'data': set(),
    'script': {'support', 'ir', 'data'},
    'query': {'support', 'syntax', 'check'},
    'tools': {'support', 'syntax', 'check', 'query', 'data', 'script'},
    'driver': {'support', 'syntax', 'check', 'elaborate', 'ir', 'passes', 'plan', 'memory',
               'tree', 'emit', 'codegen', 'data', 'script', 'query', 'tools'},
}
# Folders of which no subfolder includes another.
ROOMS = {'passes', 'tools'}
# Rooms of emit/ that know only these rooms: what the others stand on.
EMISSION_ROOMS = {'code': {'code'}, 'context': {'code', 'context'}}
# What emit/ may not see, even by way of others: costs, tunables and targets, and what chooses by them.
HIDDEN_FROM_EMISSION = {'ir/cost.h', 'plan/cost.h', 'plan/plan.h', 'plan/settings.h',
                        'plan/surroundings.h', 'plan/target.h', 'plan/tunables.def',
                        'plan/tunables.h', 'plan/work.h'}
# Numbers that code of emission may compare with: of things that there are or are not, or are
# alone.  Others are thresholds, which plan/ knows.
SMALLEST_THRESHOLD = 3
COMPARED_NUMBER = re.compile(r'(?<![-<>])(?:[<>]=?|[=!]=)\s*(\d+)\b(?!\s*>)')
# Settings are thresholds as well: what they mean is asked of plan/.
COMPARED_SETTING = re.compile(r'settings\.\w+\s*(?:[<>]=?|[=!]=)(?!\s*ir::)|'
                              r'(?:[<>]=?|[=!]=)\s*(?:c_?\.|context\.)?settings\.')
PASS_ROW = re.compile(r'^    \{"([a-z-]+)", ', re.MULTILINE)
# Headers of the outside world that only some folders may include.
RESTRICTED = [
    (re.compile(r'^llvm[-/]'), {'codegen'}),
    (re.compile(r'^CLI/'), {'driver'}),
]
# codegen shares the runtime's contract and runs programs in memory; others read and write values
# in the runtime's formats.
RUNTIME_HEADERS = {'codegen': {'abi.h', 'abi_functions.def', 'api.h', 'cpu/sort_run.h', 'processor_features.def',
                               'program_main.h'},
                   'data': {'abi.h', 'values.h', 'half.h'},
                   'script': {'abi.h', 'values.h'},
                   'tools': {'abi.h', 'values.h'},
                   'driver': {'abi.h', 'cache_folder.h', 'values.h', 'half.h', 'statistics.h', 'traces.h'}}
# Headers of the compiler that the runtime compiles in: they need nothing else of it.
SHARED_WITH_RUNTIME = {'support/spelling.h'}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def includes(path):
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found.group(1)


def ways_to_hidden(compiler, path):
    """For each hidden header that `path` includes, also by way of others, how it does so."""
    ways, seen, found = [[path]], {path}, []
    while ways:
        way = ways.pop()
        for _, target in includes(compiler / way[-1]):
            if target in seen or not (compiler / target).is_file():
                continue
            seen.add(target)
            ways.append(way + [target])
            if target in HIDDEN_FROM_EMISSION:
                found.append(ways[-1])
    return found


def comparisons(path):
    """The lines of a file of emission that compare with a threshold."""
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        code = re.sub(r'"(?:[^"\\]|\\.)*"', '""', line.split('//')[0])
        if COMPARED_SETTING.search(code) or \
                any(int(one) >= SMALLEST_THRESHOLD for one in COMPARED_NUMBER.findall(code)):
            yield number, line.strip()


def misnamed_passes(root):
    """A pass, its function, its file and its folder of tests are called the same."""
    passes = root / 'compiler' / 'passes'
    headers = ''.join(one.read_text(encoding='utf-8') for one in passes.rglob('*.h'))
    names = PASS_ROW.findall((passes / 'registry.cpp').read_text(encoding='utf-8'))
    if not names:
        yield 'no passes found in passes/registry.cpp'
    for name in names:
        word = name.replace('-', '_')
        if not list(passes.rglob(f'{word}.cpp')):
            yield f'pass {name} has no file {word}.cpp'
        if not re.search(rf'\b{word}\(', headers):
            yield f'pass {name} has no function {word}'
        if not (root / 'tests' / 'passes' / word).is_dir():
            yield f'pass {name} has no tests in tests/passes/{word}'


def main():
    root = pathlib.Path(sys.argv[1])
    compiler = root / 'compiler'
    problems = []
    seen = 0
    folders = {p.name for p in compiler.iterdir() if p.is_dir()}
    for extra in sorted(folders - set(ALLOWED)):
        problems.append(f'compiler/{extra}: a folder the table does not know')
    for path in sorted(compiler.rglob('*')):
        if path.suffix not in {'.h', '.cpp', '.re', '.yy', '.def'}:
            continue
        parts = path.relative_to(compiler).parts
        folder = parts[0] if len(parts) > 1 else 'driver'  # main.cpp
        seen += 1
        for number, target in includes(path):
            place = f'{path.relative_to(root)}:{number}'
            first = target.split('/')[0]
            if first in ALLOWED and '/' in target:
                if first != folder and first not in ALLOWED[folder]:
                    problems.append(f'{place}: {folder} may not include {first}')
                if folder == 'emit' and first == folder and parts[1] in EMISSION_ROOMS:
                    if target.split('/')[1] not in EMISSION_ROOMS[parts[1]]:
                        problems.append(f'{place}: {folder}/{parts[1]} may not include {target}')
                if folder in ROOMS and first == folder and len(parts) > 2:
                    other = target.split('/')
                    if len(other) > 2 and other[1] != parts[1]:
                        problems.append(f'{place}: {folder}/{parts[1]} includes {other[1]}')
            for pattern, allowed in RESTRICTED:
                if pattern.match(target) and folder not in allowed:
                    problems.append(f'{place}: only {", ".join(sorted(allowed))} may include {target}')
            if (root / 'runtime' / target).exists() and not (compiler / target).exists() \
                    and not (path.parent / target).exists():
                if target not in RUNTIME_HEADERS.get(folder, set()):
                    problems.append(f'{place}: {folder} may not include the runtime\'s {target}')
    for path in sorted((compiler / 'emit').rglob('*')):
        if path.suffix in {'.h', '.cpp'}:
            for way in ways_to_hidden(compiler, str(path.relative_to(compiler))):
                problems.append('emission may not see how it is chosen: ' + ' includes '.join(way))
            for number, line in comparisons(path):
                problems.append(f'{path.relative_to(root)}:{number}: emission decides: {line}')
    problems.extend(misnamed_passes(root))
    for path in sorted((root / 'runtime').rglob('*')):
        if path.suffix not in {'.h', '.cpp'}:
            continue
        seen += 1
        inside_cuda = 'cuda' in path.relative_to(root).parts
        for number, target in includes(path):
            place = f'{path.relative_to(root)}:{number}'
            if target.split('/')[0] in ALLOWED and '/' in target \
                    and target not in SHARED_WITH_RUNTIME:
                problems.append(f'{place}: the runtime includes the compiler\'s {target}')
            if target == 'dlfcn.h' and not inside_cuda:
                problems.append(f'{place}: only runtime/cuda may include dlfcn.h')
    for problem in problems:
        print(problem)
    print(f'{seen} files, {len(problems)} forbidden')
    return 1 if problems or seen == 0 else 0


if __name__ == '__main__':
    sys.exit(main())
