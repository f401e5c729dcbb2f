#!/usr/bin/env python3
"""What NumPy writes is read, and what is written NumPy reads.

usage: run.py DAGAZ
"""
import io
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print('[SKIP] data: no NumPy')
    sys.exit(77)

TYPES = ['bool', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8', 'f2', 'f4', 'f8']
SHAPES = [(), (3,), (2, 3), (2, 3, 4), (0, 2)]


def dagaz(path, *arguments, given=b''):
    done = subprocess.run([path, *arguments], input=given, capture_output=True, timeout=120)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def some(kind, shape, random):
    if kind == 'bool':
        return random.integers(0, 2, shape).astype(bool)
    if kind.startswith('f'):
        return np.asarray(random.normal(size=shape), kind)
    facts = np.iinfo(kind)
    return np.asarray(random.integers(facts.min, facts.max, shape, kind, endpoint=True))


def layouts(array):
    yield array
    yield np.asfortranarray(array)
    yield array.astype(array.dtype.newbyteorder('>'))
    yield np.asfortranarray(array).astype(array.dtype.newbyteorder('>'), order='K')


def same(got, wanted):
    return got.dtype == wanted.dtype and got.shape == wanted.shape and np.array_equal(got, wanted)


def check_arrays(path):
    random = np.random.default_rng(1)
    count = 0
    for kind in TYPES:
        for shape in SHAPES:
            array = some(kind, shape, random)
            for written in layouts(array):
                file = io.BytesIO()
                np.save(file, written)
                got = np.load(io.BytesIO(dagaz(path, 'data', '--npy', given=file.getvalue())))
                assert same(got, array.reshape(written.shape)), (kind, shape, written.flags, got, array)
                count += 1
    return count


def check_archives(path):
    random = np.random.default_rng(2)
    arrays = [some(kind, shape, random) for kind in TYPES for shape in SHAPES]
    arrays.append(np.zeros((300, 300)))
    for save in (np.savez, np.savez_compressed):
        file = io.BytesIO()
        save(file, *arrays)
        with np.load(io.BytesIO(dagaz(path, 'data', '--npz', given=file.getvalue()))) as got:
            for index, array in enumerate(arrays):
                assert same(got[f'arr_{index}'], array), (index, array)
        # Damage is an error, or does no harm.
        bytes_ = bytearray(file.getvalue())
        for _ in range(40):
            damaged = bytearray(bytes_)
            for at in random.integers(0, len(bytes_), 3):
                damaged[at] ^= 1 << random.integers(0, 8)
            done = subprocess.run([path, 'data', '-t'], input=bytes(damaged), capture_output=True,
                                  timeout=120)
            assert done.returncode in (0, 1), (done.returncode, done.stderr)
    return 2 * len(arrays)


def check_programs(path, folder):
    """Executables read arrays by themselves."""
    (folder / 'p.fut').write_text(
        'entry main [n][m] (xs: [n][m]f64) (k: i32): [m][n]f64 = transpose (map (map (* f64.i32 k)) xs)\n')
    array = np.arange(12.0).reshape(3, 4)
    file = io.BytesIO()
    np.save(file, np.asfortranarray(array))
    np.save(file, np.int32(2))
    dagaz(path, 'build', str(folder / 'p.fut'), '-o', str(folder / 'p'))
    out = dagaz(str(folder / 'p'), '--output-format=npy', given=file.getvalue())
    assert same(np.load(io.BytesIO(out)), 2 * array.T.copy())
    archive = io.BytesIO()
    np.savez_compressed(archive, array, np.int32(2))
    out = dagaz(path, 'run', str(folder / 'p.fut'), '--output-format=npy', given=archive.getvalue())
    assert same(np.load(io.BytesIO(out)), 2 * array.T.copy())


def check_stored(path, folder):
    """What a server stores of a type of the program's own is compared by its parts."""
    parts = dagaz(path, 'data', '-b', given=b'[1i32, 2i32] true')
    header = b'dagazv01' + len(parts).to_bytes(8, 'little')
    (folder / 'stored').write_bytes(header + parts + parts)
    (folder / 'parts').write_bytes(parts + parts)
    dagaz(path, 'datacmp', str(folder / 'stored'), str(folder / 'parts'))


def main(path):
    path = str(pathlib.Path(path).resolve())
    arrays = check_arrays(path)
    members = check_archives(path)
    with tempfile.TemporaryDirectory() as folder:
        check_programs(path, pathlib.Path(folder))
        check_stored(path, pathlib.Path(folder))
    print(f'{arrays} arrays and {members} members of archives are right')


if __name__ == '__main__':
    main(*sys.argv[1:])
