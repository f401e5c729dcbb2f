-- Histograms of few bins are filled block by block on a GPU, with atomic instructions where there
-- are some and without where there are none; of elements without a bin nothing is seen.
-- ==
-- entry: counts
-- input { 16i64 20000i64 } output { true }
-- input { 1i64 3000i64 } output { true }
-- input { 700i64 90000i64 } output { true }
-- input { 16i64 0i64 } output { true }

-- ==
-- entry: largest_products
-- input { 5i64 7000i64 } output { true }

-- ==
-- entry: positions_of_largest
-- input { 16i64 20000i64 } output { true }
-- input { 300i64 9000i64 } output { true }
-- input { 3i64 255i64 } output { true }

-- ==
-- entry: two_at_once
-- input { 12i64 30000i64 } output { true }

-- ==
-- entry: of_pairs_of_bins
-- input { 4i64 25000i64 } output { true }

-- ==
-- entry: products_of_matrices
-- input { 7i64 5000i64 } output { true }

def bin (k: i64) (i: i64) : i64 = (i * 7919 + i / 13) % (k + 1)

-- k has no bin

def by_loop 'a [k] [n] (f: a -> a -> a) (start: [k]a) (is: [n]i64) (xs: [n]a) : [k]a =
  loop bins = copy start
  for i < n do
    if is[i] < k then bins with [is[i]] = copy (f bins[is[i]] xs[i]) else bins

entry counts (k: i64) (n: i64) =
  let is = tabulate n (bin k)
  let start = tabulate k i32.i64
  let ones = replicate n 1i32
  in and (map2 (==) (reduce_by_index (copy start) (+) 0 is ones) (by_loop (+) start is ones))

entry largest_products (k: i64) (n: i64) =
  let is = tabulate n (bin k)
  let xs = tabulate n (\i -> f32.i64 (i * 31 % 1009))
  let start = replicate k (-1f32)
  in and (map2 (==)
               (reduce_by_index (copy start) f32.max (-f32.inf) is xs)
               (by_loop f32.max start is xs))

def further (a: f32, i: i64) (b: f32, j: i64) : (f32, i64) =
  if a > b || (a == b && i < j) then (a, i) else (b, j)

entry positions_of_largest (k: i64) (n: i64) =
  let is = tabulate n (bin k)
  let xs = tabulate n (\i -> (f32.i64 (i * 31 % 1009), i))
  let start = replicate k (-f32.inf, i64.highest)
  let found = reduce_by_index (copy start) further (-f32.inf, i64.highest) is xs
  in and (map2 (==) found (by_loop further start is xs))

entry two_at_once (k: i64) (n: i64) =
  let is = tabulate n (bin k)
  let xs = tabulate n (\i -> (f32.i64 (i * 31 % 1009), i))
  let best =
    reduce_by_index (replicate k (-f32.inf, i64.highest))
                    further
                    (-f32.inf, i64.highest)
                    is
                    xs
  let count = reduce_by_index (replicate k 0i64) (+) 0 is (replicate n 1)
  in and (map2 (==) best (by_loop further (replicate k (-f32.inf, i64.highest)) is xs))
     && and (map2 (==) count (by_loop (+) (replicate k 0) is (replicate n 1)))

entry of_pairs_of_bins (k: i64) (n: i64) =
  let is = tabulate n (\i -> (bin k i, i % 3))
  let xs = tabulate n (\i -> (i32.i64 (i % 5), 1i32))
  let both (a, b) (c, d) : (i32, i32) = (a + c, b + d)
  let found = reduce_by_index_2d (replicate k (replicate 3 (0, 0))) both (0, 0) is xs
  let flat =
    by_loop both
            (replicate (k * 3) (0, 0))
            (map (\(i, j) -> if i < k then i * 3 + j else k * 3) is)
            xs
  in and (map2 (==) (flatten found) (flat :> [k * 3](i32, i32)))

-- An operator that does not commute with itself but for what it is given: rotations by right angles.
entry products_of_matrices (k: i64) (n: i64) =
  let times (a, b) (c, d) : (i32, i32) = (a * c - b * d, a * d + b * c)
  let is = tabulate n (bin k)
  let xs = tabulate n (\i -> [(1i32, 0i32), (0, 1), (-1, 0), (0, -1)][i % 4])
  in and (map2 (==)
               (reduce_by_index (replicate k (1, 0)) times (1, 0) is xs)
               (by_loop times (replicate k (1, 0)) is xs))
