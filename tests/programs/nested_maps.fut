-- Nested parallelism: matrix product, maps of reductions of maps, inner arrays of varying use.
-- ==
-- entry: matmul
-- input { [[1.0, 2.0], [3.0, 4.0]] [[5.0, 6.0], [7.0, 8.0]] } output { [[19.0, 22.0], [43.0, 50.0]] }

-- ==
-- entry: pairwise
-- input { [[0.0, 0.0], [3.0, 4.0]] } output { [[0.0, 5.0], [5.0, 0.0]] }

-- ==
-- entry: prefix_maxima
-- input { [[1, 3, 2], [5, 4, 9]] } output { [[1, 3, 3], [5, 5, 9]] 16 }

-- ==
-- entry: triangle
-- input { 4i64 } output { [0i64, 0i64, 1i64, 3i64] }

entry matmul [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry pairwise [n] [d] (points: [n][d]f64) =
  map (\p -> map (\q -> f64.sqrt (f64.sum (map2 (\x y -> (x - y) ** 2) p q))) points) points

entry prefix_maxima [n] [m] (xss: [n][m]i32) =
  let maxima = map (scan i32.max i32.lowest) xss
  in (maxima, i32.sum (map i32.maximum xss) + i32.sum (map (\m -> m[0] - 1) maxima))

entry triangle (n: i64) = map (\i -> i64.sum (map (\j -> if j < i then j else 0) (iota n))) (iota n)
