-- Rotations by any number, also of nothing, and stencils over them with their gradients.
-- ==
-- entry: rotations
-- input { [1, 2, 3] 1i64 } output { [2, 3, 1] }
-- input { [1, 2, 3] -1i64 } output { [3, 1, 2] }
-- input { [1, 2, 3] 3i64 } output { [1, 2, 3] }
-- input { [1, 2, 3] -7i64 } output { [3, 1, 2] }
-- input { [1, 2, 3] 9223372036854775807i64 } output { [2, 3, 1] }
-- input { [1, 2, 3] -9223372036854775808i64 } output { [2, 3, 1] }
-- input { [7] 5i64 } output { [7] }
-- input { empty([0]i32) 5i64 } output { empty([0]i32) }

-- ==
-- entry: ring gradients_agree
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 3i64 } output { true }
-- input { 40i64 } output { true }
-- input { 1000i64 } output { true }

-- ==
-- entry: gradients_agree plane_agrees
-- input { 20000i64 } output { true }

entry rotations [n] (xs: [n]i32) (by: i64) = rotate by xs

-- | The same by remainders.
def turned [n] 'a (by: i64) (xs: [n]a) : [n]a = tabulate n (\i -> xs[(i + by % n) % n])

def noise (i: i64) : f64 = f64.i64 ((i * 7919 + 13) % 101) / 101

entry ring (n: i64) : bool =
  let xs = map noise (iota n)
  in and (map (\by -> and (map2 (==) (rotate by xs) (turned by xs))) [-2000, -1, 0, 1, 5, 999, 1001])

def bend (a: f64) (b: f64) (c: f64) : f64 = let d = a - 2 * b + c in f64.tanh (d * d)

def on_a_ring [n] (xs: [n]f64) : f64 = f64.sum (map3 bend (rotate (-1) xs) xs (rotate 1 xs))

-- | With fixed ends, which are written as one condition, as two, and by their distance.
def between_ends [n] (xs: [n]f64) : f64 =
  f64.sum (tabulate n (\i -> if i == 0 || i == n - 1 then xs[i] else bend xs[i - 1] xs[i] xs[i + 1]))

def inside [n] (xs: [n]f64) : f64 =
  f64.sum (tabulate n (\i -> if i > 1 && i + 2 < n then bend xs[i - 2] xs[i - 1] xs[i + 2] else 0))

def one_sided [n] (xs: [n]f64) : f64 =
  f64.sum (tabulate n (\i -> if i != 0 then xs[i] * xs[i - 1] else 2 * xs[i]))

def agrees [n] (f: [n]f64 -> f64) (xs: [n]f64) : bool =
  let direction = map (\i -> noise (3 * i) - 0.4) (iota n)
  let at h = f (map2 (\x d -> x + h * d) xs direction)
  let slope = f64.sum (map2 (*) (vjp f xs 1) direction)
  let difference = (at 1e-5 - at (-1e-5)) / 2e-5
  in f64.abs (slope - difference) <= 1e-6 * f64.max 1 (f64.abs slope)
     && f64.abs (slope - jvp f xs direction) <= 1e-10 * f64.max 1 (f64.abs slope)

entry gradients_agree (n: i64) : bool =
  let xs = map noise (iota n)
  in agrees on_a_ring xs && agrees between_ends xs && agrees inside xs && agrees one_sided xs

-- | Neighbours in both directions of a plane, of which one is a ring.
def plane [n] [m] (xs: [n][m]f64) : f64 =
  f64.sum (map (\i ->
                  f64.sum (map (\j ->
                                  let left = xs[i, (j + m - 1) % m]
                                  let above = if i == 0 then 1 else xs[i - 1, j]
                                  let below = if i == n - 1 then 0.5 else xs[i + 1, j]
                                  in f64.tanh (left * above - xs[i, j] * below))
                               (iota m)))
               (iota n))

entry plane_agrees (n: i64) : bool =
  let m = 50
  let rows = n / m
  in agrees (\(xs: [rows * m]f64) -> plane (unflatten xs)) (map noise (iota (rows * m)))
     && agrees (\(xs: [rows * m]f64) -> plane (rotate (-2) (unflatten xs))) (map noise (iota (rows * m)))
