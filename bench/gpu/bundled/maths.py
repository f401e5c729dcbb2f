"""The mathematics sweep: every function at special and at many ordinary points, in units of the last
place away from what the C library computes with f64."""
import ctypes
import math
import random
import struct

from server import Server, row_of

UNARY = ['sqrt', 'cbrt', 'exp', 'log', 'log2', 'log10', 'log1p', 'sin', 'cos', 'tan', 'asin',
         'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'gamma', 'lgamma',
         'erf', 'erfc']
BINARY = ['power', 'atan2', 'hypot', 'remainder', 'quotient']
# How far off they may be.  The reference is itself off by one unit of f64.
ALLOWED = {'f32': 4, 'f64': 4}
ALLOWED_OF = {('gamma', 'f32'): 16, ('gamma', 'f64'): 32, ('lgamma', 'f32'): 16,
              ('lgamma', 'f64'): 32}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 10.0, 100.0, -100.0, 1e-30, -1e-30, 1e30,
           math.inf, -math.inf, math.nan, math.pi, math.pi / 2, math.e, 171.5, -180.5, 709.5, 88.5]
FORM = {'f32': ('<f', '<I', 23, 127), 'f64': ('<d', '<Q', 52, 1023)}


def rounded(x, kind):
    """To the type, as a float of Python."""
    if kind == 'f64' or x != x:
        return x
    try:
        return struct.unpack('<f', struct.pack('<f', x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def unit(x, kind):
    """Of the last place of a number of the type."""
    digits, least = (23, -149) if kind == 'f32' else (52, -1074)
    if x == 0:
        return 2.0 ** least
    return 2.0 ** max(math.frexp(x)[1] - 1 - digits, least)


def points(kind, count, seed):
    """Special ones, some of any size, and most of ordinary size."""
    generator = random.Random(seed)
    found = [rounded(x, kind) for x in SPECIAL]
    bits = 32 if kind == 'f32' else 64
    for _ in range(count // 4):
        pattern = generator.getrandbits(bits)
        found.append(struct.unpack(FORM[kind][0], pattern.to_bytes(bits // 8, 'little'))[0])
    while len(found) < count:
        found.append(rounded(generator.choice([1, 8, 64]) * (2 * generator.random() - 1), kind))
    return found


def library():
    """The C library's functions by our names, and division as hardware has it."""
    libm = ctypes.CDLL('libm.so.6')
    theirs = {'power': 'pow', 'remainder': 'fmod', 'gamma': 'tgamma'}
    functions = {}
    for name in UNARY + BINARY[:-1]:
        functions[name] = getattr(libm, theirs.get(name, name))
        functions[name].argtypes = [ctypes.c_double] * (2 if name in BINARY else 1)
        functions[name].restype = ctypes.c_double
    functions['quotient'] = quotient
    return functions


def quotient(x, y):
    if y != 0:
        return x / y
    return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1, y)


def error(got, wanted, kind):
    """In units of the last place; infinite where one of them is special and the other not."""
    if got == wanted or (got != got and wanted != wanted):
        return 0.0
    if got != got or wanted != wanted:
        return math.inf
    nearest = rounded(wanted, kind)
    if got == nearest:
        return 0.0
    if abs(nearest) == math.inf or abs(got) == math.inf:
        # The greatest finite number is one unit away from what overflows.
        finite = got if abs(nearest) == math.inf else nearest
        limit = 3.4028234e38 if kind == 'f32' else 1.797693e308
        return 1.0 if abs(finite) >= limit and (got > 0) == (nearest > 0) else math.inf
    return abs(got - wanted) / unit(wanted, kind)


def check(server, name, kind, count):
    arity = 2 if name in BINARY else 1
    arguments = [points(kind, count, 11 + k) for k in range(arity)]
    names = [server.put('i64', (BINARY if arity == 2 else UNARY).index(name))]
    names += [server.put(kind, one) for one in arguments]
    result, _ = server.call(f'{"unary" if arity == 1 else "binary"}_{kind}', *names)
    _, _, found = server.get(result)
    server.free(result, *names)
    worst, at = -1.0, None
    reference = library()[name]
    for got, *where in zip(found, *arguments):
        off = error(got, reference(*where), kind)
        if off > worst:
            worst, at = off, where
    return worst, at


def rows(bundle, save):
    count = 2000 if bundle['small'] else 200000
    for kind in ('f32', 'f64'):
        for name in UNARY + BINARY:
            with row_of(f'{name} {kind}', save) as row:
                with Server('maths', 600) as server:
                    worst, at = check(server, name, kind, count)
                allowed = ALLOWED_OF.get((name, kind), ALLOWED[kind])
                row |= {'units': worst if worst < math.inf else 'infinite', 'at': repr(at),
                        'good': worst <= allowed}


def page(found):
    yield 'Units in the last place between the GPU and the C library (f64), at the worst point.\n'
    yield '| function | units | at | |\n|---|---|---|---|'
    for row in found:
        units = row.get('units', row.get('problem'))
        shown = f'{units:.2f}' if isinstance(units, float) else units
        yield f'| {row["name"]} | {shown} | {row.get("at", "")} | {"" if row["good"] else "**bad**"} |'
