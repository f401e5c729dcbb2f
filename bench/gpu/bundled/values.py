"""Values in the binary format, without NumPy."""
import array
import struct

# Element type: bytes, and the code of Python's arrays.
ELEMENTS = {'bool': (1, 'B'), 'i8': (1, 'b'), 'u8': (1, 'B'), 'i16': (2, 'h'), 'u16': (2, 'H'),
            'f16': (2, 'e'), 'i32': (4, 'i'), 'u32': (4, 'I'), 'f32': (4, 'f'), 'i64': (8, 'q'),
            'u64': (8, 'Q'), 'f64': (8, 'd')}


def binary(kind, numbers, shape=None):
    """A value; without a shape, a scalar for one number or else a list."""
    scalar = shape is None and isinstance(numbers, (int, float))
    numbers = [numbers] if scalar else numbers
    shape = [] if scalar else [len(numbers)] if shape is None else shape
    header = b'b\x02' + bytes([len(shape)]) + kind.rjust(4).encode()
    header += b''.join(struct.pack('<q', size) for size in shape)
    return header + array.array(ELEMENTS[kind][1], numbers).tobytes()


def all_in(data):
    """The values in the data: lists of type, shape, numbers."""
    values, at = [], 0
    while at < len(data):
        if data[at:at + 1].isspace():
            at += 1
            continue
        rank = data[at + 2]
        kind = data[at + 3:at + 7].decode().strip()
        shape = struct.unpack_from(f'<{rank}q', data, at + 7)
        at += 7 + 8 * rank
        count = 1
        for size in shape:
            count *= size
        size, code = ELEMENTS[kind]
        numbers = (list(struct.unpack_from(f'<{count}e', data, at)) if code == 'e' else
                   array.array(code, data[at:at + count * size]).tolist())
        values.append((kind, shape, numbers))
        at += count * size
    return values


def differs(found, expected, tolerance=0.002):
    """What differs first between two lists of values, or nothing.  Reals may differ by a share of
    the greatest of the expected value, as in `dagaz test`."""
    if [one[:2] for one in found] != [one[:2] for one in expected]:
        return f'{[one[:2] for one in found]} for {[one[:2] for one in expected]}'
    for (kind, _, got), (_, _, wanted) in zip(found, expected):
        if got == wanted:
            continue
        allowed = 0
        if kind[0] == 'f':
            finite = [abs(x) for x in wanted if abs(x) < float('inf')]
            allowed = tolerance * max([1, *finite])
        for place, (a, b) in enumerate(zip(got, wanted)):
            same = a == b or (a != a and b != b) or abs(a - b) <= allowed
            if not same:
                return f'element {place} is {a}, expected {b}'
    return None
