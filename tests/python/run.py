#!/usr/bin/env python3
"""The Python package, from a build folder.

usage: run.py BUILD [TEST…]

Ends with 77, which ctest shows as skipped, where the package is not built or NumPy is missing.  What
other libraries are missing is printed with the tests that were skipped for it.
"""
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


def skip(reason):
    print(f'[SKIP] python: {reason}')
    sys.exit(77)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    sys.path[:0] = [str(build / 'python'), str(HERE)]
    os.environ['DAGAZ_COMPILER'] = str(build / 'dagaz')
    os.environ['PYTHONPATH'] = os.pathsep.join([str(build / 'python'),
                                                os.environ.get('PYTHONPATH', '')])
    if not list((build / 'python' / 'dagaz').glob('_native*.so')):
        skip('the package was not built: no headers of Python')
    try:
        import numpy  # noqa: F401
    except ImportError:
        skip('no NumPy (apt install python3-numpy)')
    with tempfile.TemporaryDirectory() as cache:
        os.environ['DAGAZ_CACHE'] = cache
        names = sys.argv[2:] or sorted(path.stem for path in HERE.glob('test_*.py'))
        suite = unittest.defaultTestLoader.loadTestsFromNames(names)
        result = unittest.TextTestRunner(verbosity=1).run(suite)
    for test, reason in result.skipped:
        print(f'[SKIP] python: {test}: {reason}')
    return 0 if result.wasSuccessful() else 1


if __name__ == '__main__':
    sys.exit(main())
