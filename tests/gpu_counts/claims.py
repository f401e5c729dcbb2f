"""What programs say in comments about calls of their entry points, and data for such calls.

    -- counts: sum [1000000]f32: launches 1, waits 1

says it of `sum` on an array of that type and size, of zeros; `i64=5` is a scalar.  A claim goes on
in lines that begin with `--   `.
"""
import re
import struct
from pathlib import Path
from typing import NamedTuple

ARGUMENT = re.compile(r'((?:\[\d+\])*)([a-z]+\d*)(?:=(\S+))?')
BYTES = {'bool': 1, 'i8': 1, 'u8': 1, 'i16': 2, 'u16': 2, 'f16': 2, 'i32': 4, 'u32': 4, 'f32': 4,
         'i64': 8, 'u64': 8, 'f64': 8}


class Number(NamedTuple):
    """`loads 100`, or `loads 100 now 300` where the least that is possible is not reached."""
    least: int
    now: int | None


class Claim(NamedTuple):
    entry: str
    arguments: str
    numbers: dict[str, Number]

    def data(self):
        return b''.join(binary(one) for one in self.arguments.split())


def binary(text):
    """A value in the binary format: zeros, or the scalar that is given."""
    shape, kind, value = ARGUMENT.fullmatch(text).groups()
    sizes = [int(size) for size in re.findall(r'\d+', shape)]
    header = b'b\x02' + bytes([len(sizes)]) + kind.rjust(4).encode()
    header += b''.join(struct.pack('<q', size) for size in sizes)
    if value is not None and kind[0] == 'f':
        return header + struct.pack('<f' if kind == 'f32' else '<d', float(value))
    if value is not None:
        return header + int(value).to_bytes(BYTES[kind], 'little', signed=True)
    count = 1
    for size in sizes:
        count *= size
    return header + bytes(count * BYTES[kind])


def number(text):
    name, least, *now = text.split()
    return name, Number(int(least), int(now[1]) if now else None)


def claims(path, word):
    """What the program says after `-- word:`; there may be nothing."""
    text = path.read_text().replace('\n--   ', ' ')
    form = re.compile(r'^-- ' + word + r': (\w+)((?: (?:\[\d+\])*[a-z]+\d*(?:=\S+)?)*): (.+)$',
                      re.MULTILINE)
    found = form.findall(text)
    if len(found) != text.count(f'-- {word}:'):
        raise SystemExit(f'{path}: a comment `-- {word}:` that is none')
    return [Claim(entry, arguments.strip(), dict(number(one) for one in numbers.split(', ')))
            for entry, arguments, numbers in found]


def programs(given):
    return [path for one in given
            for path in (sorted(one.glob('*.fut')) if one.is_dir() else [one])]
