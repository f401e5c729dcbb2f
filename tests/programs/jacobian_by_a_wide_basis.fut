-- The columns of a Jacobian by a map over a basis are the derivatives one by one, whatever is shared.
-- ==
-- entry: columns_are_derivatives
-- input { 0i64 3i64 2i64 } output { true }
-- input { 1i64 1i64 1i64 } output { true }
-- input { 5i64 3i64 7i64 } output { true }
-- input { 100i64 22i64 333i64 } output { true }
-- ==
-- entry: outside_is_an_error
-- input { 20i64 3i64 5i64 } error: out of bounds

type placement = [3][4]f64

-- Placements by a loop over what they hang on, and points that hang on several of them.
def places [b] [v] (weights: [v][b]f64) (positions: [v][4]f64) (x: [16]f64) : [v][3]f64 =
  let turn (j: i64) : placement =
    if j % 3 == 0
    then let (s, c) = (f64.sin x[j % 16], f64.cos x[(j + 1) % 16])
         in [[c, -s, 0, x[2]], [s, c, x[3], 0], [0, 0, 1, x[4] * x[4]]]
    else tabulate_2d 3 4 (\p q -> x[(p * 4 + q + j) % 16])
  let hanging: [b]placement =
    loop all = tabulate b turn
    for j < b - 1 do
      all with [j + 1] = map2 (map2 (\p q -> 0.5 * p * f64.cos q)) (copy all[j]) all[j + 1]
  in map2 (\weight position ->
             map (\i ->
                    f64.sum (map2 (\w place -> w * f64.sum (map2 (*) place[i] position))
                                  weight
                                  hanging)
                    + x[i])
                 (iota 3))
          weights
          positions

def picked [v] [c] (at: [c]i64) (ps: [v][3]f64) : [c * 3]f64 =
  flatten (map (\k -> map2 (\p q -> p * q - 1) ps[k] ps[(k + 1) % v]) at)

def function [c] (v: i64) (b: i64) (at: [c]i64) (x: [16]f64) : [c * 3]f64 =
  let number i j = f64.i64 ((i * 7 + j * 13) % 11) / 11
  in picked at (places (tabulate_2d v b number) (tabulate_2d v 4 (\i j -> number j i)) x)

def start : [16]f64 = tabulate 16 (\i -> 0.1 + f64.i64 i / 17)

entry columns_are_derivatives (v: i64) (b: i64) (c: i64) : bool =
  let at = map (\k -> (k * 5) % v) (iota (if v == 0 then 0 else c))
  let f = function v b at
  let unit j = tabulate 16 (\i -> f64.bool (i == j))
  let all = jmp f start (tabulate 16 unit)
  let mapped = map (\seed -> copy (jvp f start seed)) (tabulate 16 unit)
  let one_by_one = loop columns = replicate 16 (f start) for j < 16 do columns with [j] = copy (jvp f start (unit j))
  let close xs ys = and (map2 (\x y -> f64.abs (x - y) <= 1e-12 * (1 + f64.abs y)) xs ys)
  in and (map2 close all one_by_one)
     && and (map2 close mapped one_by_one)

entry outside_is_an_error (v: i64) (b: i64) (c: i64) : []f64 =
  copy (flatten (jmp (function v b (map (+ v) (iota c))) start (replicate 16 start)))
