-- Points that add to small arrays which all of them share: on a GPU each block has copies, where
-- points are many beside the arrays.  Sums of small whole numbers are exact in any order.
-- ==
-- entry: centres both planes streams
-- input { 0i64 } output { true }
-- input { 100i64 } output { true }
-- input { 30000i64 } output { true }
-- ==
-- entry: outside
-- input { 5000i64 4i64 [1f32, 1, 1, 1, 1, 1, 1] } output { 1600 }
-- input { 5000i64 9i64 [1f32, 1, 1, 1, 1, 1, 1] } error: Index \[[0-9]+\] out of bounds for array of shape \[7\]

def digit (i: i64) (step: i64) : f32 = f32.i64 ((i * step) % 7)

def nearest [k] [d] (p: [d]f32) (centres: [k][d]f32) : i64 =
  let distance c = f32.sum (map2 (\a b -> (a - b) * (a - b)) p c)
  let closer (i, x) (j, y) = if x < y || (x == y && i < j) then (i, x) else (j, y)
  in (reduce_comm closer (k, f32.inf) (zip (iota k) (map distance centres))).0

def points (n: i64) : [n][3]f32 = tabulate_2d n 3 (\i k -> digit (i + k) (3 + k))
def start : [5][3]f32 = tabulate_2d 5 3 (\i k -> f32.i64 (i + k))

-- | Only the nearest centre of a point is moved by it, by all of its numbers.
entry centres (n: i64) : bool =
  let cost (centres: [5][3]f32) =
    f32.sum (map (\p ->
                    f32.minimum (map (\c -> f32.sum (map2 (\a b -> (a - b) * (a - b)) p c))
                                     centres))
                 (points n))
  let chosen = map (\p -> nearest p start) (points n)
  let moved = map2 (\p c -> map2 (\a b -> 2 * (b - a)) p start[c]) (points n) chosen
  let expected = reduce_by_index (replicate 5 (replicate 3 0)) (map2 (+)) (replicate 3 0) chosen moved
  in and (map2 (\a b -> and (map2 (==) a b)) (vjp cost start 1) expected)

-- | Two arrays of different types.
entry both (n: i64) : bool =
  let f (xs: [7]f64, ys: [2][4]f32) =
    f64.sum (map (\i -> xs[i * i % 7] * f64.i64 (i % 3) + f64.f32 ys[i % 2, i % 4]) (iota n))
  let (dxs, dys) = vjp f (replicate 7 1, replicate 2 (replicate 4 1)) 1
  let count p = f64.i64 (i64.sum (map (\i -> i64.bool (p i)) (iota n)))
  in and (map (\k -> dxs[k] == f64.sum (map (\i -> f64.i64 (i64.bool (i * i % 7 == k) * (i % 3))) (iota n)))
              (iota 7))
     && and (flatten (tabulate_2d 2 4 (\a b -> f64.f32 dys[a, b] == count (\i -> i % 2 == a && i % 4 == b))))

-- | A space of two dimensions, and loops inside.
entry planes (n: i64) : bool =
  let m = n / 100
  let f (xs: [6]f32) =
    f32.sum (flatten (tabulate_2d m 100 (\i j ->
                                           loop sum = 0 for k < 3 do sum + xs[(i + j * k) % 6])))
  let expected =
    reduce_by_index (replicate 6 0)
                    (+)
                    0
                    (flatten_3d (tabulate_3d m 100 3 (\i j k -> (i + j * k) % 6)))
                    (replicate (m * 100 * 3) 1)
  in and (map2 (==) (vjp f (replicate 6 2) 1) expected)

type~ acc 't = intrinsics.acc t

-- | Other operators, and results beside what is added.
entry streams (n: i64) : bool =
  let greatest =
    intrinsics.hist_stream (replicate 9 i32.lowest)
                           i32.max
                           i32.lowest
                           (\(acc: *acc ([9]i32)) i -> intrinsics.acc_write acc (i % 9) (i32.i64 (i * 37 % 1000)))
                           (iota n)
  let expected =
    reduce_by_index (replicate 9 i32.lowest)
                    i32.max
                    i32.lowest
                    (map (% 9) (iota n))
                    (map (\i -> i32.i64 (i * 37 % 1000)) (iota n))
  in and (map2 (==) greatest expected)

-- | A point that fails among others.
entry outside (n: i64) (stride: i64) (xs: [7]f32) : i32 =
  let f (xs: [7]f32) =
    f32.sum (map (\i -> let x = xs[(i % 50) * stride / 30] in x * x) (iota n))
  in i32.f32 (f32.maximum (vjp f xs 1))

-- | The same where every number that is added is known.
-- ==
-- entry: outside_of_ones
-- input { 5000i64 4i64 } output { 1600 }
-- input { 5000i64 9i64 } error: Index \[[0-9]+\] out of bounds for array of shape \[7\]
entry outside_of_ones (n: i64) (stride: i64) : i32 = outside n stride (replicate 7 1)
