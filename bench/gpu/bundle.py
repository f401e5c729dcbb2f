#!/usr/bin/env python3
"""Makes a folder with all that a machine with a GPU and its driver needs to try and to time Dagaz.

usage: bundle.py [--dagaz DAGAZ] [--target cuda|sim] [--small] [--tests REGEX] [--gradients REGEX]
                 [--strip] [--gpu-code ARCH,…] [--ptxas COMMAND] [--peer FUTHARK | --no-peers]
                 FOLDER

The folder holds the programs with their PTX, the libraries that they need besides glibc, the tests with the
CPU's results, what others' code is timed with, and `run-all`, which takes Python and its standard
library.  --target sim --small makes one that runs here.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
OWN = ['maths', 'large', 'memory', 'histograms', 'sorting', 'layers']
# Gradients of the literature: sizes for the GPU, and small ones.
GRADIENTS = {
    'gmm': {'full': [1000, 64, 200], 'small': [10, 4, 3]},
    'hmlstm': {'full': [2048, 2048], 'small': [8, 8]},
    'rsbench': {'full': [68, 100, 10, 1020000], 'small': [4, 4, 2, 8]},
    'xsbench': {'full': [68, 1130, 1700000], 'small': [4, 10, 8]},
    'lbm': {'full': [75, 60, 60, 20], 'small': [6, 6, 6, 2]},
    'lstm': {'full': [1024, 20, 300, 192], 'small': [3, 4, 5, 3]},
    'kmeans_dense': {'full': [5, 494019, 35], 'small': [3, 50, 4]},
}
# What machines have everywhere, and what belongs to the driver.
NOT_CARRIED = re.compile(r'lib(c|m|dl|pthread|rt|cuda)\.so|ld-linux|linux-vdso')


def dagaz(options, *arguments, **rest):
    done = subprocess.run([options.dagaz, *map(str, arguments)], capture_output=True, text=True,
                          check=False, **rest)
    if done.returncode != 0:
        sys.exit(f'{" ".join(map(str, done.args))}: {done.stdout}{done.stderr}')


def build(options, source, output, *more):
    """The target's code; CPU code in it must run on any processor."""
    if options.gpu_code:
        more = (*more, f'--gpu-code={options.gpu_code}', f'--ptxas={options.ptxas}')
    dagaz(options, 'build', source, f'--target={options.target}', '--cpu=generic', '-w', *more,
          '-o', output)
    if options.strip:
        subprocess.run(['strip', output], check=True)


def record(options, source, folder):
    """The tests of one program, run on the CPU; the program for the target.  None where it has no tests
    that run it."""
    folder.mkdir(parents=True)
    dagaz(options, 'test', '--target=cpu', '--cpu=generic', '--cache=off', '-j1', '--exclude=no_cuda',
          '--no-terminal', '--seed=1', '--num-tests=5', source,
          env={**os.environ, 'CC': str(HERE / 'record_linker.py'), 'RECORD': str(folder)})
    cases = [json.loads(path.read_text()) for path in sorted(folder.glob('*.json'))]
    for path in folder.glob('*.json'):
        path.unlink()
    if not cases:
        shutil.rmtree(folder)
        return None
    (folder / 'cases.json').write_text(json.dumps(cases))
    build(options, source, folder / 'program')
    return source


def add_tests(options, folder):
    sources = [path for place in ('tests/programs', 'examples', 'bench/ad', 'bench/gradbench')
               for path in sorted((ROOT / place).glob('*.fut'))
               if '-- ==' in path.read_text() and re.search(options.tests, path.stem)]
    with ThreadPoolExecutor(options.jobs) as pool:
        done = pool.map(lambda path: record(options, path,
                                            folder / f'{path.parent.name}-{path.stem}'), sources)
        return sum(1 for one in done if one)


def add_libraries(folder):
    """What the programs are linked with."""
    (folder / 'lib').mkdir()
    for program in [*(folder / 'programs').iterdir(), *(folder / 'peers').glob('with_cub')]:
        said = subprocess.run(['ldd', program], capture_output=True, text=True, check=False).stdout
        for name, path in re.findall(r'(\S+) => (/\S+)', said):
            if not NOT_CARRIED.match(name) and not (folder / 'lib' / name).exists():
                shutil.copy(path, folder / 'lib' / name)


def add_futhark(options, folder, name, cuda):
    """It leaves its C code where it cannot compile it, which it does not know how to with CUDA 13."""
    for source in ('data', name):
        shutil.copy(HERE / 'programs' / f'{source}.fut', folder)
    subprocess.run([options.peer, 'cuda', '--server', '-o', f'futhark_{name}', f'{name}.fut'],
                   check=False, capture_output=True, cwd=folder,
                   env={**os.environ, 'LC_ALL': 'C.UTF-8'})
    if cuda:
        done = subprocess.run(['cc', '-O2', '-std=gnu11', '-w', '-include', folder / 'futhark_cuda.h',
                               f'-I{cuda}/include', folder / f'futhark_{name}.c', '-o',
                               folder / f'futhark_{name}', f'-L{cuda}/lib64/stubs',
                               f'-L{cuda}/lib64', '-lnvrtc', '-lcuda', '-lcudart', '-lm'],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f'futhark {name}: {done.stderr.strip()[:300]}', file=sys.stderr)


def add_peers(options, folder):
    """Others' code, compiled where their compilers are here."""
    shutil.copytree(HERE / 'bundled' / 'peers', folder / 'peers', dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns('__pycache__'))
    nvcc = shutil.which('nvcc')
    for name in ('memory', 'histograms', 'layers') if options.peer else ():
        add_futhark(options, folder / 'peers', name, nvcc and Path(nvcc).resolve().parent.parent)
    if not nvcc:
        return
    for name, more in (('with_cub', []), ('with_cublas', ['-lcublas'])):
        done = subprocess.run(['nvcc', '-O3', '-std=c++17', '-gencode',
                               'arch=compute_80,code=[sm_80,compute_80]', '-gencode',
                               'arch=compute_90,code=sm_90', '-cudart', 'static',
                               folder / 'peers' / f'{name}.cu', '-o', folder / 'peers' / name, *more],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f'{name}: {done.stderr.strip()[:300]}', file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1][7:])
    parser.add_argument('folder', type=Path)
    parser.add_argument('--dagaz', default=str(ROOT / 'build' / 'dagaz'))
    parser.add_argument('--target', default='cuda', choices=['cuda', 'sim'])
    parser.add_argument('--small', action='store_true')
    parser.add_argument('--tests', default='', metavar='REGEX')
    parser.add_argument('--strip', action='store_true')
    parser.add_argument('--gpu-code', default='', metavar='ARCH,…')
    parser.add_argument('--ptxas', default='ptxas', metavar='COMMAND')
    parser.add_argument('--gradients', default='', metavar='REGEX')
    parser.add_argument('--peer', metavar='FUTHARK', default=shutil.which('futhark'))
    parser.add_argument('--no-peers', action='store_true')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    folder = options.folder
    (folder / 'programs').mkdir(parents=True)
    for name in OWN:
        build(options, HERE / 'programs' / f'{name}.fut', folder / 'programs' / name, '--emit=server')
    gradients = {name: sizes for name, sizes in GRADIENTS.items()
                 if re.search(options.gradients, name)}
    for name in gradients:
        build(options, ROOT / 'bench' / 'ad' / f'{name}.fut', folder / 'programs' / name,
              '--emit=server')
    for path in (HERE / 'bundled').iterdir():
        if path.is_file():
            shutil.copy(path, folder / path.name)
    (folder / 'peers').mkdir()
    if not options.no_peers:
        add_peers(options, folder)
    add_libraries(folder)
    count = add_tests(options, folder / 'tests')
    (folder / 'gradients.json').write_text(json.dumps(gradients))
    version = subprocess.run([options.dagaz, '--version'], capture_output=True, text=True, check=True)
    (folder / 'bundle.json').write_text(json.dumps(
        {'target': options.target, 'small': options.small, 'dagaz': version.stdout.split('\n')[0]}))
    size = sum(path.stat().st_size for path in folder.rglob('*') if path.is_file())
    print(f'{folder}: {len(OWN) + len(gradients)} programs, tests of {count}, {size >> 20} MB')


if __name__ == '__main__':
    main()
