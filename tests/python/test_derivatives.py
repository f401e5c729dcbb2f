"""Derivatives of entry points: against differences, with respect to chosen arguments."""
import unittest
from unittest import mock

import numpy as np

import dagaz

PROGRAM = '''
type~ net = {w: [][]f64, b: []f64, name: [4]u8}
type shape = #disc f64 | #box f64 f64
entry loss [n][d] (xs: [n][d]f64) (ys: [n]f64) (w: [d]f64): f64 =
  f64.sum (map2 (\\x y -> (f64.sum (map2 (*) x w) - y) ** 2) xs ys) / f64.i64 n
entry layer [d] (net: net) (x: [d]f64) (k: i64): ([]f64, f64) =
  let n = length net.w
  let y = map2 (\\row b -> f64.tanh (f64.sum (map2 (*) row x) + b)) (net.w :> [n][d]f64) (net.b :> [n]f64)
  in (y, y[k])
entry consuming [n] (xs: *[n]f64): [n]f64 = xs with [0] = xs[0] * xs[n - 1]
entry large (xs: []f64): []f64 = map (\\x -> x * x) (filter (> 1) xs)
entry repeated (n: i64) (x: f64): [n]f64 = map (\\i -> x ** f64.i64 i) (iota n)
entry area (s: shape): f64 = match s case #disc r -> 3 * r * r case #box a b -> a * b
entry count [n] (_: [n]i32): i64 = n
entry chosen (x: f64) (i: i64) (y: f32) = x * f64.f32 y
'''


def differences(f, x, step=1e-6):
    """The gradient of `f` at the array `x`, by central differences."""
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        values = []
        for sign in (1, -1):
            moved = x.copy()
            moved[place] += sign * step
            values.append(f(moved))
        gradient[place] = (values[0] - values[1]) / (2 * step)
    return gradient


class Derivatives(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.m = dagaz.compile(PROGRAM, name='derivatives')
        random = np.random.default_rng(1)
        cls.xs, cls.ys, cls.w = random.normal(size=(5, 3)), random.normal(size=5), np.ones(3)

    def test_value_and_grad(self):
        value, *gradients = self.m.loss.value_and_grad(self.xs, self.ys, self.w)
        given = [self.xs, self.ys, self.w]
        self.assertAlmostEqual(value, self.m.loss(*given))
        for place, gradient in enumerate(gradients):
            def moved(x, place=place):
                return self.m.loss(*(x if i == place else each for i, each in enumerate(given)))
            np.testing.assert_allclose(gradient, differences(moved, given[place]), rtol=1e-6)

    def test_chosen_arguments(self):
        value, gradient = self.m.loss.with_respect_to('w').value_and_grad(self.xs, self.ys, self.w)
        expected = 2 / 5 * self.xs.T @ (self.xs @ self.w - self.ys)
        np.testing.assert_allclose(gradient, expected, rtol=1e-12)
        self.assertEqual(self.m.chosen.vjp(2.0, 3, 5.0, 1.0), (5.0, 2.0))
        self.assertEqual(self.m.chosen.with_respect_to('y').vjp(2.0, 3, 5.0, 1.0), 2.0)
        with self.assertRaisesRegex(ValueError, 'no argument'):
            self.m.loss.with_respect_to('v')
        with self.assertRaisesRegex(dagaz.CompileError, '`i` of `chosen` holds no floats'):
            self.m.chosen.with_respect_to('i').vjp

    def test_jvp_and_vjp_agree(self):
        random = np.random.default_rng(2)
        net = self.m.net(w=random.normal(size=(4, 3)), b=random.normal(size=4),
                         name=np.zeros(4, np.uint8))
        way = self.m.net(w=random.normal(size=(4, 3)), b=random.normal(size=4),
                         name=np.zeros(4, np.uint8))
        x, dx = random.normal(size=3), random.normal(size=3)
        y_seed, k_seed = random.normal(size=4), 0.3
        y_tangent, k_tangent = self.m.layer.jvp(net, x, 2, way, dx)
        net_adjoint, x_adjoint = self.m.layer.vjp(net, x, 2, y_seed, k_seed)
        self.assertIsInstance(net_adjoint, self.m.net)
        forward = y_tangent @ y_seed + k_tangent * k_seed
        reverse = np.sum(net_adjoint.w * way.w) + net_adjoint.b @ way.b + x_adjoint @ dx
        self.assertAlmostEqual(forward, reverse, places=12)

    def test_arguments_that_are_consumed_stay(self):
        given = np.array([2.0, 3.0, 5.0])
        np.testing.assert_array_equal(self.m.consuming.vjp(given, [1.0, 0, 0]), [5, 0, 2])
        self.assertEqual(given.tolist(), [2, 3, 5])

    def test_sizes_that_only_the_value_has(self):
        self.assertEqual(self.m.large.vjp([0.5, 2.0, 3.0], [1.0, 10.0]).tolist(), [0, 4, 60])
        self.assertEqual(self.m.large.jvp([0.5, 2.0, 3.0], [1.0, 1.0, 1.0]).tolist(), [4, 6])
        with self.assertRaises(dagaz.ProgramError):
            self.m.large.vjp([0.5, 2.0, 3.0], [1.0])
        self.assertEqual(self.m.repeated.vjp(3, 2.0, [1.0, 1.0, 1.0]), 5)
        self.assertEqual(self.m.repeated.jvp(3, 2.0, 1.0).tolist(), [0, 1, 4])
        with self.assertRaises(dagaz.ProgramError):
            self.m.repeated.vjp(3, 2.0, [1.0])

    def test_sums(self):
        value, gradient = self.m.area.value_and_grad(self.m.shape.box(2, 3))
        self.assertEqual((value, gradient), (6, self.m.shape.box(3, 2)))

    def test_what_has_no_derivative(self):
        with self.assertRaisesRegex(dagaz.CompileError, 'none of its arguments holds floats'):
            self.m.count.vjp
        with self.assertRaisesRegex(AttributeError, 'not one float'):
            self.m.large.value_and_grad

    def test_all_at_once(self):
        m = dagaz.compile(PROGRAM, name='derivatives', derivatives='all')
        self.assertIs(m.loss.vjp, m.loss_vjp)
        self.assertNotIn('count_vjp', m.entries)
        self.assertIn('Reverse derivative of `loss`', m.loss_vjp.__doc__)
        self.assertEqual(m.loss_vjp.parameters, ('xs', 'ys', 'w', 'adjoint'))
        self.assertEqual(m.loss_jvp.parameters,
                         ('xs', 'ys', 'w', 'xs_tangent', 'ys_tangent', 'w_tangent'))


class Frameworks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.m = dagaz.compile(PROGRAM, name='derivatives')

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest('no PyTorch')
        from dagaz.torch import wrap

        def leaf(*shape):
            return torch.randn(shape, dtype=torch.float64, requires_grad=True)

        torch.manual_seed(1)
        loss = wrap(self.m.loss)
        self.assertTrue(torch.autograd.gradcheck(loss, (leaf(5, 3), leaf(5), leaf(3))))
        w = leaf(3)
        xs, ys = torch.randn(5, 3, dtype=torch.float64), torch.randn(5, dtype=torch.float64)
        (loss(xs, ys, w) * 2).backward()
        np.testing.assert_allclose(w.grad, 4 / 5 * xs.T @ (xs @ w - ys).detach())
        repeated = wrap(self.m.repeated)
        self.assertTrue(torch.autograd.gradcheck(lambda x: repeated(3, x), (leaf(),)))
        self.assertTrue(torch.autograd.gradcheck(wrap(self.m.consuming), (leaf(4),)))
        with self.assertRaisesRegex(TypeError, 'no tensor'):
            wrap(self.m.layer)

    def test_tensors_are_not_copied(self):
        try:
            import torch
        except ImportError:
            self.skipTest('no PyTorch')
        import dagaz.torch as bindings

        arrays = []  # what the program gets and gives, with the tensors of that

        def watch(name, array_of, tensor_of):
            original = getattr(bindings, name)

            def watched(value, *others):
                made = original(value, *others)
                arrays.append((array_of(value, made), tensor_of(value, made)))
                return made
            return mock.patch.object(bindings, name, watched)

        given = torch.full((1000,), 2.0, dtype=torch.float64, requires_grad=True)
        with watch('_given', lambda value, made: made, lambda value, made: value), \
                watch('_tensor', lambda value, made: value, lambda value, made: made):
            bindings.wrap(self.m.large)(given).sum().backward()
        np.testing.assert_array_equal(given.grad, 4)
        # The argument and the result; again the argument, the adjoint (one number, spread by
        # `sum`, that has to be laid out) and the gradient.
        places = [array.__array_interface__['data'][0] == tensor.data_ptr()
                  for array, tensor in arrays]
        self.assertEqual(places, [True, True, True, False, True])

    def test_jax(self):
        try:
            import jax
        except ImportError:
            self.skipTest('no JAX')
        from jax.test_util import check_grads

        from dagaz.jax import wrap

        jax.config.update('jax_enable_x64', True)
        random = np.random.default_rng(1)
        given = (random.normal(size=(5, 3)), random.normal(size=5), random.normal(size=3))
        loss = wrap(self.m.loss)
        check_grads(loss, given, order=1, modes=['rev'])
        expected = self.m.loss.with_respect_to('w').value_and_grad(*given)
        value, gradient = jax.jit(jax.value_and_grad(loss, argnums=2))(*given)
        np.testing.assert_allclose(value, expected[0])
        np.testing.assert_allclose(gradient, expected[1])
        repeated = wrap(self.m.repeated, shapes=lambda n, x: (3,))
        check_grads(lambda x: repeated(3, x), (1.5,), order=1, modes=['rev'])
        consuming = wrap(self.m.consuming)
        check_grads(jax.jit(consuming), (random.normal(size=4),), order=1, modes=['rev'])
