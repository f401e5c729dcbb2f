"""Builds a Dagaz program as a shared library and calls its entry points.

What the entry points take and give is read from the manifest that `dagaz build --emit=lib` writes,
so nothing here knows a program.  Arrays go in and come out as nested lists; between, an argument
that was converted once can be passed to any number of calls.
"""
import array
import ctypes
import json
import math
import subprocess
import time
from pathlib import Path

SCALARS = {
    'f64': (ctypes.c_double, 'd'), 'f32': (ctypes.c_float, 'f'),
    'i64': (ctypes.c_int64, 'q'), 'i32': (ctypes.c_int32, 'i'),
    'i16': (ctypes.c_int16, 'h'), 'i8': (ctypes.c_int8, 'b'), 'bool': (ctypes.c_bool, 'b'),
    'u64': (ctypes.c_uint64, 'Q'), 'u32': (ctypes.c_uint32, 'I'),
    'u16': (ctypes.c_uint16, 'H'), 'u8': (ctypes.c_uint8, 'B'),
}
PREFIX = 'program'


class Failure(Exception):
    """A program that could not be built, or a call that failed."""


def build(dagaz, source, folder):
    """The shared library of the program `source`, in `folder`; the manifest lies beside it."""
    name = Path(folder) / Path(source).stem
    shared = f'{name}.so'
    archive = str(name.with_name(f'lib{name.name}.a'))
    for command in (
            [dagaz, 'build', '--emit=lib', f'--prefix={PREFIX}', '-o', str(name), str(source)],
            ['cc', '-shared', '-o', shared, '-Wl,--whole-archive', archive,
             '-Wl,--no-whole-archive', '-lhwy_contrib', '-lstdc++', '-lm', '-ldl', '-lpthread']):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Failure(f'{" ".join(command)}:\n{done.stderr}')
    return shared


def shape_of(value, rank):
    """The dimensions of a nested list.  Below an empty one they are 0."""
    shape = []
    for _ in range(rank):
        shape.append(len(value))
        value = value[0] if len(value) > 0 else []
    return shape


def flat(value, rank):
    for _ in range(rank - 1):
        value = [x for row in value for x in row]
    return value


def nested(values, shape):
    for size in reversed(shape[1:]):
        values = [values[i:i + size] for i in range(0, len(values), size)] if size > 0 else \
            [[] for _ in range(shape[0])]
    return values


class Library:
    """One program, ready to be called."""

    prefix = PREFIX

    def __init__(self, shared, threads):
        self.code = ctypes.CDLL(shared)
        self.clock = time.perf_counter_ns
        with open(Path(shared).with_suffix('.json'), encoding='utf-8') as file:
            manifest = json.load(file)
        self.entries, self.types = manifest['entry_points'], manifest['types']
        config = self.pointer('context_config_new')()
        self.code[f'{self.prefix}_context_config_set_num_threads'](ctypes.c_void_p(config), threads)
        self.context = ctypes.c_void_p(self.pointer('context_new')(ctypes.c_void_p(config)))
        self.error = self.pointer('context_get_error')
        self.check(0)

    def close(self):
        """Gives everything back; nothing of this context may be used after."""
        self.code[f'{self.prefix}_context_free'](self.context)

    def address(self, symbol):
        """The function of that name, which returns an address."""
        function = self.code[symbol]
        function.restype = ctypes.c_void_p
        return function

    def pointer(self, name):
        return self.address(f'{self.prefix}_{name}')

    def check(self, status):
        text = self.error(self.context)
        if status != 0 or text:
            raise Failure(ctypes.string_at(text).decode() if text else f'status {status}')

    def operation(self, kind, name):
        return self.address(self.types[kind]['ops'][name])

    def argument(self, value, kind):
        """`value` as an argument of type `kind`: a scalar, or an array in the program's memory."""
        if kind in SCALARS:
            return SCALARS[kind][0](value)
        rank = self.types[kind]['rank']
        shape = shape_of(value, rank)
        data = array.array(SCALARS[self.types[kind]['elemtype']][1], flat(value, rank))
        address = ctypes.c_void_p(data.buffer_info()[0])
        made = self.operation(kind, 'new')(self.context, address, *map(ctypes.c_int64, shape))
        if not made:
            self.check(1)
        return ctypes.c_void_p(made)

    def copy_from(self, other, value, kind):
        """An argument with the value of one of another context."""
        if kind in SCALARS:
            return value
        data = other.operation(kind, 'values_raw')(other.context, value)
        made = self.operation(kind, 'new')(self.context, ctypes.c_void_p(data),
                                           *map(ctypes.c_int64, other.shape(value, kind)))
        if not made:
            self.check(1)
        return ctypes.c_void_p(made)

    def arguments(self, entry, values):
        """The arguments of `entry`, found in `values` by the names of its parameters."""
        return [self.argument(values[parameter['name']], parameter['type'])
                for parameter in self.entries[entry]['inputs']]

    def shape(self, value, kind):
        sizes = self.operation(kind, 'shape')(self.context, value)
        return ctypes.cast(sizes, ctypes.POINTER(ctypes.c_int64))[:self.types[kind]['rank']]

    def byte_count(self, value, kind):
        """How many bytes of elements an array has; none for a scalar."""
        if kind in SCALARS:
            return 0
        element = SCALARS[self.types[kind]['elemtype']][0]
        return math.prod(self.shape(value, kind)) * ctypes.sizeof(element)

    def result(self, out, kind):
        if kind in SCALARS:
            return out.value
        info = self.types[kind]
        shape = self.shape(out, kind)
        count = 1
        for size in shape:
            count *= size
        data = (SCALARS[info['elemtype']][0] * count)()
        self.check(self.operation(kind, 'values')(self.context, out, data) or 0)
        self.check(self.code[f'{self.prefix}_context_sync'](self.context))
        return nested(list(data), shape)

    def free(self, value, kind):
        if kind not in SCALARS:
            self.operation(kind, 'free')(self.context, value)

    def free_results(self, outs, kinds):
        for out, kind in zip(outs, kinds):
            self.free(out, kind)

    def free_arguments(self, entry, arguments):
        for value, parameter in zip(arguments, self.entries[entry]['inputs']):
            self.free(value, parameter['type'])

    @staticmethod
    def place(kind):
        """Where a value of that type can be put."""
        return SCALARS[kind][0]() if kind in SCALARS else ctypes.c_void_p()

    def fields(self, kind):
        """What a tuple type consists of, or nothing for other types."""
        fields = self.types.get(kind, {}).get('record', {}).get('fields', [])
        return fields if kind.startswith('(') else []

    def output(self, entry):
        return self.entries[entry]['output']['type']

    def outputs(self, entry):
        """The types of the results, of which a tuple has several, and a place for each."""
        kind = self.output(entry)
        kinds = [field['type'] for field in self.fields(kind)] or [kind]
        return kinds, [self.place(each) for each in kinds]

    def components(self, entry, whole):
        """The results of a call; takes over `whole`, what it returned."""
        fields = self.fields(self.output(entry))
        if not fields:
            return [whole]
        _, outs = self.outputs(entry)
        for field, out in zip(fields, outs):
            self.check(self.code[field['project']](self.context, ctypes.byref(out), whole))
        self.free(whole, self.output(entry))
        return outs

    def call(self, entry, arguments):
        """The results of `entry` as arguments of other entry points."""
        whole = self.place(self.output(entry))
        self.check(self.code[self.entries[entry]['cfun']](
            self.context, ctypes.byref(whole), *arguments))
        return self.components(entry, whole)

    def peak_memory(self):
        """The most bytes of arrays that were alive at one time."""
        report = json.loads(ctypes.string_at(self.pointer('context_report')(self.context)))
        return report['memory']['device']

    def run(self, entry, arguments, min_runs, min_seconds):
        """Calls `entry` at least `min_runs` times and for at least `min_seconds`.  Returns the
        results of the last call and the nanoseconds of each."""
        outs, times = self.time(entry, arguments, min_runs, min_seconds)
        kinds, _ = self.outputs(entry)
        results = [self.result(out, kind) for out, kind in zip(outs, kinds)]
        self.free_results(outs, kinds)
        return results, times

    def time(self, entry, arguments, min_runs, min_seconds):
        """The same, with results as arguments of other entry points."""
        kind = self.output(entry)
        whole = self.place(kind)
        function = self.code[self.entries[entry]['cfun']]
        sync = self.code[f'{self.prefix}_context_sync']
        everything = (self.context, ctypes.byref(whole), *arguments)
        times, elapsed = [], 0
        while len(times) < min_runs or elapsed < min_seconds * 1e9:
            if times:
                self.free(whole, kind)
            start = self.clock()
            status = function(*everything) or sync(self.context)
            times.append(self.clock() - start)
            self.check(status)
            elapsed += times[-1]
        return self.components(entry, whole), times
