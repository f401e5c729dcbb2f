"""Those who take part: each prepares a case, runs it, and tells its result as arrays of NumPy.

A run is the call alone: arguments were converted before, results are given back after.
"""
import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np

from case import jax

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / 'gradbench'))
import library  # noqa: E402

PROGRAMS = HERE / 'programs'
DTYPES = {'f64': 'f8', 'f32': 'f4', 'i64': 'i8', 'i32': 'i4', 'i16': 'i2', 'i8': 'i1', 'bool': '?',
          'u64': 'u8', 'u32': 'u4', 'u16': 'u2', 'u8': 'u1'}


class ArrayLibrary(library.Library):
    """A program in C that takes and gives arrays of NumPy."""

    def argument(self, value, kind):
        if kind in library.SCALARS:
            return library.SCALARS[kind][0](np.asarray(value).item())
        array = np.ascontiguousarray(value, DTYPES[self.types[kind]['elemtype']])
        made = self.operation(kind, 'new')(self.context, ctypes.c_void_p(array.ctypes.data),
                                           *map(ctypes.c_int64, array.shape))
        if not made:
            self.check(1)
        return ctypes.c_void_p(made)

    def result(self, out, kind):
        if kind in library.SCALARS:
            return np.asarray(out.value)
        array = np.empty(self.shape(out, kind), DTYPES[self.types[kind]['elemtype']])
        self.check(self.operation(kind, 'values')(self.context, out,
                                                  ctypes.c_void_p(array.ctypes.data)) or 0)
        self.check(self.code[f'{self.prefix}_context_sync'](self.context))
        return array

    def places(self, entry):
        """The types of what the function of an entry point writes, and places for it: one value,
        or before version 0.26 of the interface the components of a tuple."""
        info = self.entries[entry]
        kinds = [each['type'] for each in info.get('outputs', [info.get('output')])]
        return kinds, [self.place(kind) for kind in kinds]


class ProgramInC:
    """A case as a call of a library with the interface that Dagaz and its peer share."""

    def __init__(self, program, case, inputs):
        self.program, self.case = program, case
        kinds = [parameter['type'] for parameter in program.entries[case.entry]['inputs']]
        self.arguments = [program.argument(value, kind) for value, kind in zip(inputs, kinds)]
        self.kinds, self.outs = program.places(case.entry)
        self.function = program.code[program.entries[case.entry]['cfun']]
        self.sync = program.code[f'{program.prefix}_context_sync']
        self.everything = (program.context, *map(ctypes.byref, self.outs), *self.arguments)

    def run(self):
        status = self.function(*self.everything) or self.sync(self.program.context)
        if status:
            self.program.check(status)

    def discard(self):
        self.program.free_results(self.outs, self.kinds)

    def value(self):
        """The result of one run."""
        self.run()
        kinds, outs = self.kinds, self.outs
        if len(outs) == 1:
            fields = self.program.fields(kinds[0])
            outs = self.program.components(self.case.entry, outs[0]) if fields else outs
            kinds = [field['type'] for field in fields] or kinds
        result = [self.program.result(out, kind) for out, kind in zip(outs, kinds)]
        self.program.free_results(outs, kinds)
        return result

    def close(self):
        self.program.free_arguments(self.case.entry, self.arguments)


class Dagaz:
    name = 'Dagaz'

    def __init__(self, command, threads, folder):
        self.command, self.threads = command, threads
        self.folder = Path(folder) / self.name
        self.folder.mkdir(exist_ok=True)
        self.libraries = {}

    def build(self, source):
        return library.build(self.command, source, self.folder)

    def prepare(self, case, inputs):
        if case.program not in self.libraries:
            built = self.folder / f'{case.program}.so'
            source = PROGRAMS / f'{case.program}.fut'
            shared = str(built) if built.exists() else self.build(source)
            self.libraries[case.program] = self.kind(shared, self.threads)
        return ProgramInC(self.libraries[case.program], case, inputs)

    kind = ArrayLibrary

    def version(self):
        said = subprocess.run([self.command, '--version'], capture_output=True, text=True,
                              check=True)
        return said.stdout.split('\n', maxsplit=1)[0].rstrip('.')


class PeerLibrary(ArrayLibrary):
    prefix = 'futhark'


class Peer(Dagaz):
    """Futhark's multicore code of the same program."""
    name = 'Futhark'
    kind = PeerLibrary

    def build(self, source):
        name = source.stem
        (self.folder / source.name).write_text(source.read_text())
        for command in ([self.command, 'multicore', '--library', '-o', name, source.name],
                        ['cc', '-O3', '-march=native', '-shared', '-fPIC', '-pthread', '-std=gnu11',
                         f'{name}.c', '-o', f'{name}.so', '-lm']):
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                raise library.Failure(done.stderr.strip()[:200])
        return str(self.folder / f'{name}.so')


class Function:
    """A case as a function of Python."""

    def __init__(self, function, inputs):
        self.function, self.inputs = function, inputs
        self.kept = None

    def run(self):
        self.kept = self.function(*self.inputs)

    def discard(self):
        self.kept = None

    def value(self):
        results = self.function(*self.inputs)
        if not isinstance(results, (tuple, list)):
            results = [results]
        return [np.asarray(each) for each in results]

    def close(self):
        self.inputs = self.kept = None


class NumPy:
    name = 'NumPy'

    def prepare(self, case, inputs):
        return Function(case.numpy, inputs) if case.numpy else None

    def version(self):
        return f'NumPy {np.__version__}, OpenBLAS with kernel {openblas_kernel() or "unknown"}'


class Jax:
    name = 'JAX'

    def prepare(self, case, inputs):
        if not case.jax:
            return None
        compiled = jax.jit(case.jax)
        return Function(lambda *inputs: jax.block_until_ready(compiled(*inputs)),
                        [jax.numpy.asarray(value) for value in inputs])

    def version(self):
        return f'JAX {jax.__version__}'


def openblas_kernel():
    """The processor whose kernels the OpenBLAS takes that NumPy uses."""
    with open('/proc/self/maps', encoding='utf-8') as maps:
        paths = {line.split()[-1] for line in maps if 'openblas' in line}
    for path in paths:
        for symbol in ('scipy_openblas_get_corename64_', 'openblas_get_corename'):
            function = getattr(ctypes.CDLL(path), symbol, None)
            if function is not None:
                function.restype = ctypes.c_char_p
                return function().decode()
    return None


def everybody(options, folder):
    """All who are here, and why others are not."""
    present, absent = [Dagaz(options.dagaz, options.threads, folder)], []
    if options.peer:
        present.append(Peer(options.peer, options.threads, folder))
    else:
        absent.append('Futhark (no --peer)')
    present.append(NumPy())
    if options.jax and jax is not None:
        present.append(Jax())
    else:
        absent.append('JAX (not installed)' if options.jax else 'JAX (--no-jax)')
    return present, absent
