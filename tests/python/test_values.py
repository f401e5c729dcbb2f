"""Values that are more than numbers and arrays of them; arrays of other libraries; pickles."""
import pickle
import subprocess
import sys
import unittest

import numpy as np

import dagaz

PROGRAM = '''
type~ params = {weights: []f64, bias: f64, steps: i64}
type shape = #circle f64 | #box {width: f64, height: f64} | #line f64 f64 | #empty
type point = {x: f64, y: f64}
entry init (n: i64): params = {weights = replicate n 1, bias = 0.5, steps = 0}
entry train (p: params) (by: f64): params = {weights = map (+ by) p.weights, bias = p.bias, steps = p.steps + 1}
entry area (s: shape): f64 =
  match s case #circle r -> 3 * r * r case #box b -> b.width * b.height
          case #line a b -> b - a case #empty -> 0
entry grow (s: shape): shape =
  match s case #circle r -> #circle (r + 1) case #box b -> #box (b with width = 9)
          case #line a b -> #line (a + 1) (b + 1) case #empty -> #empty
entry points (n: i64): [n]point = map (\\i -> {x = f64.i64 i, y = 1}) (iota n)
entry total (ps: []point): f64 = f64.sum (map (\\p -> p.x * p.y) ps)
entry origin: point = {x = 0, y = 0}
entry pair (p: (f64, []i32)): (f64, []i32) = (p.0 + 1, p.1)
entry grid (n: i64): [n][2]shape = replicate n [#circle 1, #empty]
entry sum_of [n][m] (g: [n][m]shape): f64 = f64.sum (flatten (map (map area) g))
entry consume (p: *params): params =
  let {weights, bias, steps = _} = p in {weights = weights with [0] = 7, bias, steps = 0}
module hidden: {type t val make: f64 -> t val get: t -> f64} = {
  type t = {a: f64, b: [3]f64}
  def make (x: f64): t = {a = x, b = replicate 3 x}
  def get (v: t) = v.a + f64.sum v.b
}
type secret = hidden.t
entry hide (x: f64): secret = hidden.make x
entry show (s: secret): f64 = hidden.get s
entry sum [n] (xs: [n]f64) = f64.sum xs
'''


class Values(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.m = dagaz.compile(PROGRAM, name='values')

    def test_records(self):
        m = self.m
        p = m.train(m.init(2), 0.5)
        self.assertIsInstance(p, m.params)
        self.assertEqual((p.weights.tolist(), p.bias, p.steps), ([1.5, 1.5], 0.5, 1))
        for given in (p, {'weights': [1.5, 1.5], 'bias': 0.5, 'steps': 1},
                      m.params(bias=0.5, steps=1, weights=np.full(2, 1.5))):
            self.assertEqual(m.train(given, 1).weights.tolist(), [2.5, 2.5])
        with self.assertRaisesRegex(TypeError, "argument 'p' of train.*bias"):
            m.train({'weights': [1.0], 'steps': 1}, 1)
        self.assertEqual(m.pair((1, [1, 2]))[0], 2)

    def test_consumed_records(self):
        p = self.m.params(bias=0.5, steps=1, weights=np.ones(2))
        self.assertEqual(self.m.consume(p).weights.tolist(), [7, 1])
        self.assertEqual(p.weights.tolist(), [1, 1])

    def test_sums(self):
        m = self.m
        self.assertEqual(m.area(m.shape.circle(2)), 12)
        grown = m.grow(m.shape.box({'width': 2, 'height': 3}))
        self.assertIsInstance(grown, m.shape.box)
        self.assertEqual(grown.payload[0].width, 9)
        self.assertEqual(m.grow(m.shape.line(1, 2)).payload, (2, 3))
        self.assertEqual(m.grow(m.shape.empty()), m.shape.empty())
        match m.grow(m.shape.circle(1.0)):
            case m.shape.circle(r):
                self.assertEqual(r, 2)
            case _:
                self.fail('no case')
        with self.assertRaises(TypeError):
            m.area(3.0)
        with self.assertRaises(TypeError):
            m.shape.circle()

    def test_arrays_of_records(self):
        m = self.m
        ps = m.points(3)
        self.assertEqual((len(ps), ps[-1].x), (3, 2))
        columns = ps.columns()
        self.assertEqual(columns.x.tolist(), [0, 1, 2])
        self.assertEqual(m.total(ps), 3)
        self.assertEqual(m.total(m.point(x=np.arange(3.0), y=np.ones(3))), 3)
        self.assertEqual(m.total([m.point(1, 2), m.point(3, 4)]), 14)
        self.assertEqual([p.x for p in ps], [0, 1, 2])
        with self.assertRaises(IndexError):
            ps[3]

    def test_arrays_of_sums(self):
        g = self.m.grid(3)
        self.assertEqual(g.shape, (3, 2))
        self.assertIsInstance(g[0, 1], self.m.shape.empty)
        self.assertEqual(self.m.sum_of(g), 9)
        self.assertEqual(self.m.sum_of([[g[0, 0]], [self.m.shape.circle(2)]]), 15)

    def test_opaque_values(self):
        s = self.m.hide(2.0)
        self.assertEqual(self.m.show(s), 8)
        self.assertEqual(self.m.new_context().show(s), 8)

    def test_arrays_that_stay_on_the_device(self):
        m = self.m.new_context(results='device')
        ps = m.points(3).columns()
        self.assertIsInstance(ps.x, dagaz.Array)
        self.assertEqual(m.sum(ps.x), 3)
        self.assertEqual((ps.x.shape, ps.x.dtype, ps.x.ndim), ((3,), np.float64, 1))
        self.assertEqual(ps.x[1], 1)
        self.assertEqual((np.asarray(ps.x) + 1).tolist(), [1, 2, 3])
        self.assertEqual(ps.x.__array_interface__['data'][0], ps.x.pointer)
        self.assertEqual(np.from_dlpack(ps.x).tolist(), [0, 1, 2])
        self.assertFalse(hasattr(ps.x, '__cuda_array_interface__'))

    def test_memory_outlives_its_context(self):
        m = dagaz.compile(PROGRAM, name='values', num_threads=1)
        weights = m.init(1000).weights
        del m
        self.assertEqual(weights.sum(), 1000)


class Pickles(unittest.TestCase):
    CODE = ('import pickle, sys; v = pickle.load(sys.stdin.buffer); '
            'print([v[0].weights.sum(), v[1].v0, v[2](v[3]), v[4].sum()])')

    def test_in_another_process(self):
        m = dagaz.compile(PROGRAM, name='values')
        values = (m.init(3), m.shape.circle(2.0), m.show, m.hide(1.0), m.array(np.ones(2)))
        done = subprocess.run([sys.executable, '-c', self.CODE], input=pickle.dumps(values),
                              stdout=subprocess.PIPE, check=True)
        self.assertEqual(eval(done.stdout), [3.0, 2.0, 4.0, 2.0])


class OtherLibraries(unittest.TestCase):
    def test_dlpack_of_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest('no PyTorch')
        m = dagaz.compile(PROGRAM, name='values', results='device')
        given = torch.arange(4, dtype=torch.float64)
        self.assertEqual(m.sum(given), 6)
        made = torch.from_dlpack(m.points(3).columns().x)
        self.assertEqual(made.tolist(), [0, 1, 2])
