#!/usr/bin/env python3
"""The wheel: made, installed into an empty virtual environment, and used from there alone.

usage: wheel.py ROOT BUILD

Ends with 77, which ctest shows as skipped, where a virtual environment cannot be made.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = 'entry norm [n] (xs: [n]f64): f64 = f64.sum (map (** 2) xs)\nentry f (x: f64) = x * x\n'
CALLS = '''
import dagaz
m = dagaz.load("norm.fut")
assert m.f(3.0) == 9.0 and m.f.value_and_grad(3.0) == (9.0, 6.0)
try:
    import numpy
except ImportError:
    print("no NumPy: calls with numbers only")
else:
    assert m.norm(numpy.ones(4)) == 4.0
'''

OF_THE_SYSTEM = re.compile(r'lib(c|m|dl|pthread|rt|stdc\+\+|gcc_s)\.')
# What is loaded by itself: other libraries are, and find theirs, because of these.
LOADED = ['_native.abi3.so', '_compiler/bin/dagaz', '_compiler/lib/dagaz/libdagaz_codegen.so']


def main():
    root, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    environment = {key: value for key, value in os.environ.items()
                   if not key.startswith(('DAGAZ', 'PYTHON', 'LD_', 'PIP_'))}

    with tempfile.TemporaryDirectory() as holder:
        folder = pathlib.Path(holder)

        def run(*command, given=''):
            return subprocess.run([str(word) for word in command], input=given, cwd=folder,
                                  env={**environment, 'DAGAZ_CACHE': str(folder / 'cache')},
                                  stdout=subprocess.PIPE, text=True, check=True).stdout

        made = subprocess.run([sys.executable, '-m', 'venv', '--system-site-packages',
                               str(folder / 'venv')], env=environment, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode != 0:
            print('[SKIP] wheel: no virtual environments (apt install python3-venv)')
            sys.exit(77)
        run(root / 'python' / 'build_wheel.sh', folder / 'wheels', build)
        wheel, = (folder / 'wheels').glob('*.whl')
        tools = folder / 'venv' / 'bin'
        run(tools / 'python', '-m', 'pip', 'install', '-q', '--no-deps', '--no-index', wheel)
        (folder / 'norm.fut').write_text(PROGRAM)
        dagaz = tools / 'dagaz'
        found = run(dagaz, 'run', 'norm.fut', '-e', 'norm', given='[1.0, 2.0]')
        assert found.strip() == '5.0f64', found
        run(dagaz, 'build', 'norm.fut')
        found = run(folder / 'norm', '-e', 'norm', given='[1.0, 2.0]')
        assert found.strip() == '5.0f64', found
        print(run(tools / 'python', '-c', CALLS), end='')
        # LLVM and what it needs are those of the wheel, and so is all else that is loaded.
        package, = (folder / 'venv').rglob('site-packages/dagaz')
        for file in LOADED:
            for name in re.findall(r'^\s*lib\S+ => (\S+)', run('ldd', package / file), re.M):
                ours = os.path.realpath(name).startswith(os.path.realpath(folder))
                assert ours or OF_THE_SYSTEM.match(os.path.basename(name)), f'{file}: {name}'
        print(f'{wheel.name}: {wheel.stat().st_size >> 20} MiB')


if __name__ == '__main__':
    main()
