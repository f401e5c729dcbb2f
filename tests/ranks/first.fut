-- What ranks share, and where they meet: maps, reductions, and operators of every kind.
-- counts: dot: [1000]f64 [1000]f64: agree 1 8, collect 1 8
-- counts: mean_and_variance: [1000]f64: agree 1 8, collect 2 16
-- counts: k_means_step: [1000][3]f64 [5][3]f64: agree 1 8, reduce 1 160
-- counts: product: [100][20]f64 [20][30]f64: agree 1 8
-- ==
-- entry: dot
-- random input { [1000]f64 [1000]f64 } auto output
-- input { [1.0, 2.0, 3.0] [4.0, 5.0, 6.0] } output { 32.0 }
-- input { empty([0]f64) empty([0]f64) } output { 0.0 }

-- ==
-- entry: squares
-- random input { [1001]f64 } auto output
-- input { [3.0] } output { [10.0] }
-- input { empty([0]f64) } output { empty([0]f64) }

-- ==
-- entry: mean_and_variance
-- random input { [513]f64 } auto output

-- ==
-- entry: matrix_vector columns_summed
-- random input { [33][17]f64 [17]f64 } auto output
-- random input { [2][5]f64 [5]f64 } auto output

-- ==
-- entry: product
-- random input { [13][7]f64 [7][5]f64 } auto output

-- ==
-- entry: k_means_step
-- random input { [200][3]f64 [4][3]f64 } auto output

-- ==
-- entry: in_order smallest_at
-- random input { [257]i64 } auto output
-- input { [3i64, 1i64, 2i64] }

-- ==
-- entry: row_sums
-- random input { [65][9]i64 } auto output

-- ==
-- entry: descent
-- random input { [101][4]f64 [101]f64 } auto output

entry dot [n] (x: [n]f64) (y: [n]f64) : f64 = f64.sum (map2 (*) x y)

entry squares [n] (x: [n]f64) : [n]f64 = map (\a -> a * a + 1) x

entry mean_and_variance [n] (x: [n]f64) : (f64, f64) =
  let m = f64.sum x / f64.i64 n
  let v = f64.sum (map (\a -> (a - m) ** 2) x) / f64.i64 n
  in (m, v)

entry matrix_vector [n] [m] (a: [n][m]f64) (x: [m]f64) : [n]f64 =
  map (\r -> f64.sum (map2 (*) r x)) a

entry columns_summed [n] [m] (a: [n][m]f64) (x: [m]f64) : [m]f64 =
  map2 (\c s -> s * f64.sum c) (transpose a) x

entry product [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 =
  map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a

entry k_means_step [n] [k] [d] (xs: [n][d]f64) (cs: [k][d]f64) : [k][d]f64 =
  let distance (a: [d]f64) (b: [d]f64) = f64.sum (map2 (\p q -> (p - q) ** 2) a b)
  let nearest x =
    (reduce (\(i, a) (j, b) -> if b < a || (b == a && j < i) then (j, b) else (i, a))
            (k, f64.inf)
            (zip (iota k) (map (distance x) cs))).0
  let near = map nearest xs
  let counts = hist (+) 0 k near (replicate n 1i64)
  let sums = reduce_by_index (replicate k (replicate d 0f64)) (map2 (+)) (replicate d 0) near xs
  in map2 (\s c -> map (/ f64.i64 (i64.max 1 c)) s) sums counts

-- Matrices do not commute: the order of ranks counts.
entry in_order [n] (xs: [n]i64) : (i64, i64, i64, i64) =
  let times (a, b, c, d) (p, q, r, s) : (i64, i64, i64, i64) =
    (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s)
  in reduce times (1, 0, 0, 1) (map (\x -> (x % 7, 1, x % 5, 2)) xs)

entry smallest_at [n] (xs: [n]i64) : (i64, i64) =
  reduce (\(x, i) (y, j) -> if y < x || (y == x && j < i) then (y, j) else (x, i))
         (i64.highest, n)
         (zip xs (iota n))

entry row_sums [n] [m] (xs: [n][m]i64) : [m]i64 =
  reduce (map2 (+)) (replicate m 0) xs

-- Gradient descent of a linear model: what is split stays so within a step.
entry descent [n] [d] (xs: [n][d]f64) (ys: [n]f64) : [d]f64 =
  loop w = replicate d 0f64
  for _i < 5 do
    let error = map2 (\x y -> f64.sum (map2 (*) x w) - y) xs ys
    let slope = map (\column -> f64.sum (map2 (*) column error)) (transpose xs)
    in map2 (\a g -> a - 0.1 * g / f64.i64 n) w slope
