"""Compiling: files and their imports, the cache, errors, the time that importing takes."""
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import dagaz
from dagaz import _build


class Files(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.main = self.folder / 'main.fut'
        (self.folder / 'lib').mkdir()
        self.imported = self.folder / 'lib' / 'other.fut'
        self.main.write_text('-- comment\nimport "lib/other"\nentry f (x: f64) = g x')
        self.imported.write_text('def g (x: f64) = x + 1')

    def runs(self):
        """How often the compiler runs in the block."""
        return mock.patch.object(_build, '_run', side_effect=_build._run, autospec=True)

    def test_imports_are_part_of_the_key(self):
        self.assertEqual(dagaz.load(self.main).f(1), 2)
        with self.runs() as run:
            self.assertEqual(dagaz.load(str(self.main)).f(1), 2)
            self.assertEqual(run.call_count, 0)
            self.imported.write_text('def g (x: f64) = x + 2')
            self.assertEqual(dagaz.load(self.main).f(1), 3)
            dagaz.load(self.main, safe=True)
            dagaz.load(self.main, cache=False)
            self.assertEqual(run.call_count, 3)

    def test_errors_have_places(self):
        self.main.write_text('entry f (x: f64) = x +\n  true')
        with self.assertRaises(dagaz.CompileError) as caught:
            dagaz.load(self.main)
        error = caught.exception
        self.assertIn('main.fut:2:3', error.rendered)
        self.assertIn('^^^^', str(error))
        first = error.diagnostics[0]
        self.assertEqual((first.severity, first.line, first.column), ('error', 2, 3))
        self.assertTrue(first.file.endswith('main.fut'))
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual(again.rendered, error.rendered)
        with self.assertRaisesRegex(dagaz.CompileError, 'missing.fut'):
            dagaz.load(self.folder / 'missing.fut')
        self.assertEqual(list(_build.cache_folder().glob('building-*')), [])

    def test_two_processes_at_once(self):
        code = f'import dagaz; print(dagaz.load({str(self.main)!r}).f(2.0))'
        both = [subprocess.Popen([sys.executable, '-c', code], stdout=subprocess.PIPE)
                for _ in range(2)]
        self.assertEqual([each.communicate()[0] for each in both], [b'3.0\n'] * 2)

    def test_folders_of_others_are_refused(self):
        self.folder.chmod(0o777)
        with mock.patch.dict(os.environ, {'DAGAZ_CACHE': str(self.folder)}):
            with self.assertRaisesRegex(dagaz.Error, 'written by others'):
                dagaz.load(self.main)

    def test_no_compiler(self):
        with mock.patch.dict(os.environ, {'DAGAZ_COMPILER': '', 'PATH': ''}):
            with self.assertRaisesRegex(dagaz.Error, 'DAGAZ_COMPILER'):
                dagaz.load(self.main)


class Import(unittest.TestCase):
    def test_it_is_quick_and_needs_no_numpy(self):
        # The processor's time: other programs are none of its business.
        code = ('import time; a = time.process_time(); import dagaz; '
                'print(time.process_time() - a); import sys; assert "numpy" not in sys.modules')
        times = []
        for _ in range(5):
            times.append(float(subprocess.run([sys.executable, '-c', code], check=True,
                                              stdout=subprocess.PIPE).stdout))
        self.assertLess(min(times), 0.05)


class Notebook(unittest.TestCase):
    def test_cell(self):
        from dagaz.notebook import run_cell

        names = {}
        module = run_cell('m --derivatives=f', 'entry f (x: f64) = x * x', names)
        self.assertEqual(names['f'](3.0), 9)
        self.assertIs(names['m'], module)
        self.assertEqual(names['f_value_and_grad'](3.0), (9, 6))
        with self.assertRaises(ValueError):
            run_cell('--nonsense', '', {})

    def test_in_ipython(self):
        try:
            from IPython.core.interactiveshell import InteractiveShell
        except ImportError:
            self.skipTest('no IPython')
        shell = InteractiveShell.instance()
        shell.run_line_magic('load_ext', 'dagaz')
        shell.run_cell('%%dagaz\nentry f (x: f64) = x + 1')
        shell.run_cell('y = f(1.0)')
        self.assertEqual(shell.user_ns['y'], 2)


class Overhead(unittest.TestCase):
    def test_a_small_call_takes_microseconds(self):
        import numpy as np

        m = dagaz.compile('entry f [n] (x: f64) (xs: [n]f64) = x + xs[0]')
        xs = np.ones(4)
        times = []
        for _ in range(20):
            start = time.perf_counter()
            for _ in range(500):
                m.f(1.0, xs)
            times.append((time.perf_counter() - start) / 500)
        # The aim is 5 µs over the call in C; a busy machine gets some room.
        self.assertLess(min(times), 20e-6)
