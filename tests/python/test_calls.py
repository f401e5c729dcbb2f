"""Calls: arguments and results of every kind, and what goes wrong."""
import inspect
import subprocess
import sys
import threading
import unittest

import numpy as np

import dagaz

PROGRAM = '''
def version = 1i32
-- | The dot product.
entry dot [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)
entry scale [n][m] (a: f32) (xs: [n][m]f32): [n][m]f32 = map (map (a *)) xs
entry both (x: i32) (y: u8): (i32, u8) = (x + 1, y + 1)
entry same (xs: []f64) = xs
entry twice (xs: []f64) = let ys = map (* 2) xs in (ys, ys)
entry first (xs: []f64) (i: i64) = xs[i]
entry overwrite [n] (xs: *[n]f64): *[n]f64 = xs with [0] = 42
entry flip (b: bool) = !b
entry half (x: f16): f16 = x / 2
entry wide (x: u64): u64 = x
entry flags [n] (xs: [n]i8): [n]bool = map (> 0) xs
entry positive [n] (xs: [n]f64) = filter (> 0) xs
entry f' (x: f64) (lambda: f64) = x * lambda
entry slow (n: i64) = loop x = 1.0f64 for i < n do f64.sin x + f64.i64 i
'''


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.m = dagaz.compile(PROGRAM, name='calls')

    def test_arrays_and_scalars(self):
        self.assertEqual(self.m.dot(np.arange(4.0), np.ones(4)), 6.0)
        self.assertEqual(self.m.both(2147483647, 255), (-2147483648, 0))
        self.assertIs(self.m.flip(True), False)
        self.assertIs(self.m.flip(np.bool_(False)), True)
        self.assertEqual(self.m.half(3.0), 1.5)
        self.assertEqual(self.m.wide(2**64 - 1), 2**64 - 1)
        result = self.m.scale(2, np.arange(6, dtype=np.float32).reshape(2, 3))
        self.assertEqual(result.dtype, np.float32)
        self.assertEqual(result.tolist(), [[0, 2, 4], [6, 8, 10]])
        self.assertEqual(self.m.flags(np.array([-1, 1], np.int8)).tolist(), [False, True])

    def test_results_of_unknown_size(self):
        self.assertEqual(self.m.positive([-1.0, 2.0, 3.0]).tolist(), [2, 3])
        self.assertEqual(self.m.positive(np.zeros(0)).shape, (0,))

    def test_what_is_converted_and_what_is_not(self):
        self.assertEqual(self.m.dot([1, 2], (3, 4)), 11)                  # lists
        self.assertEqual(self.m.dot(np.arange(3), np.arange(3)), 5)      # i64 → f64 is safe
        strided = np.arange(8.0)[::2]
        self.assertEqual(self.m.dot(strided, strided), 0 + 4 + 16 + 36)
        with self.assertRaisesRegex(TypeError, "argument 'xs' of scale.*float32.*float64"):
            self.m.scale(1.0, np.zeros((2, 2)))
        with self.assertRaisesRegex(TypeError, 'rank 1.*shape \\(2, 2\\)'):
            self.m.dot(np.zeros((2, 2)), np.zeros(2))
        with self.assertRaisesRegex(OverflowError, "argument 'y' of both.*u8"):
            self.m.both(1, 256)
        with self.assertRaisesRegex(TypeError, "argument 'x' of both"):
            self.m.both(1.5, 1)
        with self.assertRaises(TypeError):
            self.m.flip(1)

    def test_names_of_arguments(self):
        self.assertEqual(self.m.dot(ys=[1.0], xs=[2.0]), 2)
        for wrong in ({}, {'zs': [1.0]}, {'ys': [1.0], 'xs': [1.0]}):
            with self.assertRaises(TypeError):
                self.m.dot([1.0], **wrong)
        with self.assertRaises(TypeError):
            self.m.dot([1.0], [1.0], [1.0])
        self.assertEqual(self.m.f_(3.0, lambda_=2.0), 6)
        self.assertEqual(self.m.entries["f'"](3.0, 2.0), 6)

    def test_documentation(self):
        self.assertEqual(self.m.dot.__doc__,
                         'dot(xs: []f64, ys: []f64) -> f64\n\nThe dot product.')
        self.assertEqual(list(inspect.signature(self.m.dot).parameters), ['xs', 'ys'])
        self.assertIn('dot', dir(self.m))
        with self.assertRaisesRegex(AttributeError, "no entry point or type 'dit'"):
            self.m.dit
        said = subprocess.run([sys.executable, '-c', f'import dagaz\ndagaz.compile({PROGRAM!r}).dit'],
                              stderr=subprocess.PIPE, text=True, check=False).stderr
        self.assertIn("Did you mean: 'dot'?", said)

    def test_no_copy_in_or_out(self):
        big = np.ones(10_000_000)
        report = self.m.new_context(profiling=1)
        self.assertEqual(report.dot(big, big), 1e7)
        result = self.m.twice(np.ones(3))[0]
        self.assertIsInstance(result.base, (memoryview, dagaz.Array))

    def test_results_never_share_memory_with_arguments(self):
        given = np.arange(3.0)
        result = self.m.same(given)
        self.assertFalse(np.shares_memory(given, result))
        result[0] = 7
        self.assertEqual(given[0], 0)

    def test_results_that_share_memory_are_read_only(self):
        one, other = self.m.twice([1.0])
        self.assertTrue(np.shares_memory(one, other))
        self.assertFalse(one.flags.writeable or other.flags.writeable)

    def test_consumed_arguments(self):
        given = np.arange(3.0)
        self.assertEqual(self.m.overwrite(given)[0], 42)
        self.assertEqual(given[0], 0)
        on_device = self.m.array(given)
        self.assertEqual(self.m.overwrite(on_device)[0], 42)
        self.assertTrue(on_device.consumed)
        with self.assertRaisesRegex(ValueError, 'consumed'):
            self.m.overwrite(on_device)
        watched = self.m.array(given)
        view = np.asarray(watched)
        self.assertEqual(self.m.overwrite(watched)[0], 42)
        self.assertEqual(view[0], 0)
        self.assertFalse(watched.consumed)

    def test_errors_of_the_program(self):
        with self.assertRaises(dagaz.ProgramError) as caught:
            self.m.first([1.0], 5)
        self.assertRegex(str(caught.exception), r'Index \[5\] out of bounds.*\n(.|\n)*calls.fut:9')
        self.assertIsInstance(caught.exception, dagaz.Error)
        self.assertEqual(self.m.first([1.0], 0), 1)
        with self.assertRaisesRegex(dagaz.ProgramError, 'invalid sizes'):
            self.m.dot([1.0], [1.0, 2.0])
        small = self.m.new_context(memory_cap=1000)
        with self.assertRaises(dagaz.OutOfMemoryError):
            small.twice(np.ones(100_000))
        with self.assertRaises(MemoryError):
            small.twice(np.ones(100_000))

    def test_threads_run_beside_python(self):
        done = []
        worker = threading.Thread(target=lambda: done.append(self.m.slow(3_000_000)))
        worker.start()
        turns = 0
        while worker.is_alive() and turns < 1000:
            turns += 1
            worker.join(0.001)
        worker.join()
        self.assertGreater(turns, 2)
        self.assertEqual(len(done), 1)

    def test_many_threads_on_one_context(self):
        problems = []

        def work(number):
            for i in range(200):
                try:
                    self.m.first([1.0], number + 1)
                except dagaz.ProgramError as error:
                    if f'Index [{number + 1}]' not in str(error):
                        problems.append(str(error))
                if self.m.dot([float(number)], [2.0]) != 2 * number:
                    problems.append(number)

        workers = [threading.Thread(target=work, args=(n,)) for n in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        self.assertEqual(problems, [])

    def test_contexts_have_their_own_arrays(self):
        other = self.m.new_context(num_threads=1)
        array = other.array(np.arange(3.0))
        self.assertEqual(self.m.dot(array, array), 5)
        self.assertEqual(other.dot(array, array), 5)
        with self.assertRaisesRegex(TypeError, 'no option thredas'):
            self.m.new_context(thredas=1)


class OneEntry(unittest.TestCase):
    def test_jit(self):
        self.assertEqual(dagaz.jit('entry f (x: f64) = x * x')(3), 9)
        with self.assertRaises(ValueError):
            dagaz.jit('entry f (x: f64) = x\nentry g (x: f64) = x')

    def test_simulated_gpu(self):
        m = dagaz.compile(PROGRAM, name='calls', target='sim')
        self.assertEqual(m.dot(np.arange(4.0), np.ones(4)), 6.0)

    def test_unoptimised_and_tuned(self):
        m = dagaz.compile('def n: i64 = #[param(n)] 3\nentry f = n', optimise=False,
                          params={'n': 5})
        self.assertEqual(m.f(), 5)
        with self.assertRaises(ValueError):
            m.new_context(params={'k': 5})
