-- Matrices that a loop multiplies by in each of its iterations: their adjoints are sums over these,
-- after the loop or within it.
-- ==
-- entry: steps turned elements with_places in_branches in_loops by_turns growing matrices
-- input { 2i64 [1.2, 0.6, 0.9, 1.7] } output { true true true true }
-- input { 3i64 [0.2, 1.6, 0.4, -0.7] } output { true true true true }

-- ==
-- entry: no_steps
-- input { 2i64 [1.2, 0.6, 0.9, 1.7] } output { [0.0, 0.0, 0.0, 0.0] }

import "shared/derivative_properties"

def square (n: i64) (x: [4]f64) : [n][n]f64 = tabulate_2d n n (\i j -> x[(i * n + j) % 4])
def first (n: i64) (x: [4]f64) : [n]f64 = map (\i -> 0.1 + 0.5 * x[i % 4]) (iota n)
def dot [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)
def step [n] (m: [n][n]f64) (v: [n]f64) : [n]f64 = map (\row -> f64.sin (dot row v)) m
def alternating [n] (v: [n]f64) : f64 = f64.sum (map2 (\a i -> a * f64.i64 (i + 1)) v (iota n))

entry steps n =
  properties (\x ->
                let m = square n x
                in alternating (loop v = first n x for _i < 3 do step m v))

-- Rows and columns, as of a matrix that is scaled to sums of both.
entry turned n =
  properties (\x ->
                let m = square n x
                let (u, v) =
                  loop (u, v) = (first n x, first n x)
                  for _i < 3 do
                    let u = map (\row -> 1 / (2 + dot row v)) m
                    in (u, map (\column -> 1 / (2 + dot column u)) (transpose m))
                in alternating u + dot u v)

-- What each element gives depends on it.
entry elements n =
  properties (\x ->
                let m = square n x
                in alternating (loop v = first n x
                                for i < 3 do
                                  map (\row -> f64.sum (map2 (\a b -> f64.sin (a * b + f64.i64 i)) row v)) m))

entry with_places n =
  properties (\x ->
                let m = square n x
                in alternating (loop v = first n x
                                for i < 3 do
                                  map (* m[i % n, 0]) (step m v)))

entry in_branches n =
  properties (\x ->
                let m = square n x
                in alternating (loop v = first n x
                                for i < 3 do
                                  if i % 2 == 0 then step m v else map (* 0.5) v))

entry in_loops n =
  properties (\x ->
                let m = square n x
                in alternating (loop v = first n x
                                for i < 2 do
                                  loop v = step m v for j < i + 1 do map (+ f64.i64 j) (step m v)))

-- Each iteration has a matrix of its own, besides the one of all.
entry by_turns n =
  properties (\x ->
                let m = square n x
                let ms = tabulate_3d 3 n n (\t i j -> x[(t + i * j) % 4] * 0.5)
                in alternating (loop v = first n x for o in ms do map2 (+) (step m v) (step o v)))

-- The vector grows.
entry growing n =
  properties (\x ->
                let m = square n x
                in f64.sum (loop v = first n x
                            for _i < 2 do
                              v ++ map (\row -> f64.sin (f64.sum row * f64.sum v)) m))

-- What an iteration adds is made of matrices.
entry matrices n =
  properties (\x ->
                let m = square n x
                let product [a] [b] (p: [a][b]f64) (q: [b][a]f64) =
                  map (\row -> map (\column -> f64.sin (dot row column)) (transpose q)) p
                in f64.sum (map alternating (loop v = square n x for _i < 2 do product m v)))

entry no_steps n (x: [4]f64) =
  vjp (\x -> let m = square n x in f64.sum (loop v = replicate n 1 for _i < 0 do step m v)) x 1
