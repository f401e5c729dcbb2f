-- Gradients of loops whose arrays change size, `for` and `while`.
-- ==
-- entry: for_growing for_shrinking while_growing while_shrinking rows_added strip_mined
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true }

def close (e: f64) (a: f64) (b: f64) : bool = f64.abs (a - b) <= e * (1 + f64.abs a + f64.abs b)

def agrees (f: [4]f64 -> f64) (x: [4]f64) : bool =
  let unit i = tabulate 4 (\j -> f64.bool (i == j))
  let along (change: [4]f64 -> f64) = loop ds = replicate 4 0 for i < 4 do ds with [i] = change (unit i)
  let forward = along (jvp f x)
  let difference u = (f (map2 (\a b -> a + 1e-5 * b) x u) - f (map2 (\a b -> a - 1e-5 * b) x u)) / 2e-5
  in and (map2 (close 1e-10) (vjp f x 1) forward) && and (map2 (close 1e-6) forward (along difference))

-- The first and the second order.
def both (f: [4]f64 -> f64) (x: [4]f64) : (bool, bool) =
  (agrees f x, agrees (\y -> f64.sum (map2 (*) y (vjp f y 1))) x)

def weighted [n] (ys: [n]f64) : f64 = f64.sum (map2 (\i y -> f64.i64 (i + 1) * y * y) (iota n) ys)

entry for_growing = both (\x -> weighted (loop y = [x[0]] for i < 3 do y ++ [y[i] * x[i + 1]]))
entry for_shrinking = both (\x -> weighted (loop y = map f64.sin x for _i < 2 do map2 (*) (tail y) (init y)))

entry while_growing =
  both (\x -> weighted (loop y = [x[0]] while length y < 4 do y ++ [y[length y - 1] * x[length y]]))

entry while_shrinking =
  both (\x -> weighted (loop y = x while length y > 2 do map2 (*) (tail y) (init y)))

entry rows_added =
  both (\x -> weighted (flatten (loop y = [[x[0], x[1]]] for i < 3 do y ++ [[x[i] * y[i, 0], y[i, 1] + x[i]]])))

entry strip_mined =
  both (\x -> weighted (#[stripmine(2)] loop y = [x[0]] for i < 3 do y ++ [y[i] * x[i + 1]]))
