-- Scans, histograms, filters and sums into arrays, with few rows and many.
-- ==
-- entry: running products positions squares_of_running
-- random input { [1000]i64 } auto output
-- input { [5i64, -1i64, 7i64] } auto output
-- input { empty([0]i64) } auto output

-- ==
-- entry: row_scans
-- random input { [31][6]i64 } auto output
-- random input { [2][3]i64 } auto output

-- ==
-- entry: counted largest_of
-- random input { [500]i64 } auto output
-- input { [5i64, -1i64] } auto output

-- ==
-- entry: added_rows counted_rows
-- random input { [77][5]i64 } auto output
-- random input { [2][5]i64 } auto output

-- ==
-- entry: gradient
-- random input { [40][3]f64 [3]f64 } auto output

-- ==
-- entry: kept kept_and_changed
-- random input { [333]i64 } auto output
-- input { [2i64] } auto output

entry running [n] (xs: [n]i64) : [n]i64 = scan (+) 0 xs

-- Affine functions do not commute.
entry products [n] (xs: [n]i64) : ([n]i64, [n]i64) =
  unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (x % 7, x)) xs))

-- The sums are needed at other places, too.
entry positions [n] (xs: [n]i64) : [n]i64 =
  let sums = scan (+) 0 (map (\x -> x % 3) xs)
  in map (\i -> sums[n - 1 - i] + sums[i]) (iota n)

entry squares_of_running [n] (xs: [n]i64) : (i64, i64) =
  let ys = map (\x -> x * x) (scan i64.max i64.lowest xs)
  in (i64.sum ys, i64.maximum ys)

entry row_scans [n] [m] (xs: [n][m]i64) : ([n][m]i64, [n][m]i64) =
  (map (scan (+) 0) xs, scan (map2 (+)) (replicate m 0) xs)

entry counted [n] (xs: [n]i64) : [10]i64 =
  hist (+) 0 10 (map (\x -> x %% 10) xs) (replicate n 1)

entry largest_of [n] (xs: [n]i64) : ([10]i64, [10]i64) =
  reduce_by_index (replicate 10 (0, 7))
                  (\(x, i) (y, j) -> if y > x || (y == x && j < i) then (y, j) else (x, i))
                  (i64.lowest, n)
                  (map (\x -> x %% 10) xs)
                  (zip xs (iota n))
  |> unzip

entry added_rows [n] [m] (xs: [n][m]i64) : [4][m]i64 =
  reduce_by_index (replicate 4 (iota m)) (map2 (+)) (replicate m 0) (map (\i -> i % 4) (iota n)) xs

entry counted_rows [n] [m] (xs: [n][m]i64) : [n][3]i64 =
  map (\row -> hist (+) 0 3 (map (\x -> x %% 3) row) (replicate m 1)) xs

entry gradient [n] [m] (xs: [n][m]f64) (w: [m]f64) : [m]f64 =
  vjp (\v -> f64.sum (map (\x -> f64.sin (f64.sum (map2 (*) x v))) xs)) w 1

entry kept [n] (xs: [n]i64) : []i64 = filter (\x -> x % 3 == 0) xs

-- How many there are is a sum that ranks meet for, and then share.
entry kept_and_changed [n] (xs: [n]i64) : ([]i64, i64) =
  let ys = filter (\x -> x % 3 == 0) xs
  let zs = map (\y -> y / 3 + 1) ys
  in (zs, reduce i64.max 0 zs)
