-- Sums over what is split, inside of maps over what is not: as gradients of parameters are.  Each rank
-- sums over its own rows, and all results go in one message.
--
-- The gradient of a network with two layers: as many numbers as it has weights, and the loss.
-- counts: network: [500][8]f64 [500]f64 [5][8]f64 [5]f64: agree 1 8, reduce 1 368
-- In each step of training.
-- counts: trained: 10i64 [500][8]f64 [500]f64 [5][8]f64 [5]f64: agree 1 8, reduce 10 3600
-- counts on sim: trained: 10i64 [500][8]f64 [500]f64 [5][8]f64 [5]f64: agree 1 8, reduce 20 3600
-- Three sums of four rows: a number, a vector and a matrix each.
-- counts: moments: [500][3]f64 [500][4]f64: agree 1 8, reduce 1 416
-- ==
-- entry: network
-- random input { [100][4]f64 [100]f64 [3][4]f64 [3]f64 } auto output
-- random input { [2][4]f64 [2]f64 [3][4]f64 [3]f64 } auto output

-- ==
-- entry: trained
-- random input { 3i64 [50][4]f64 [50]f64 [3][4]f64 [3]f64 } auto output

-- ==
-- entry: moments
-- random input { [100][3]f64 [100][4]f64 } auto output
-- random input { [1][3]f64 [1][4]f64 } auto output

-- ==
-- entry: largest_of_columns in_order of_columns
-- random input { [61][4]i64 } auto output
-- random input { [2][4]i64 } auto output
-- random input { [0][4]i64 } auto output

-- ==
-- entry: checked
-- random input { [61][4]i64 [4]i64 } auto output
-- input { [[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]] [1i64, 9i64] } error: Assertion

-- ==
-- entry: columns_and_rows
-- random input { [35][6]i64 } auto output
-- random input { [6][6]i64 } auto output

-- ==
-- entry: written_later
-- random input { [40][3]i64 [3]i64 } auto output

def predicted [d] [h] (w: [h][d]f64) (v: [h]f64) (x: [d]f64) : f64 =
  f64.sum (map2 (*) v (map (\row -> f64.tanh (f64.sum (map2 (*) row x))) w))

entry network [n] [d] [h] (xs: [n][d]f64) (ys: [n]f64) (w: [h][d]f64) (v: [h]f64) : (f64, [h][d]f64, [h]f64) =
  let loss (w, v) = f64.sum (map2 (\x y -> (predicted w v x - y) ** 2) xs ys)
  let (value, (dw, dv)) = vjp2 loss (w, v) 1
  in (value, dw, dv)

entry trained [n] [d] [h] (steps: i64) (xs: [n][d]f64) (ys: [n]f64) (w: [h][d]f64) (v: [h]f64) : ([h][d]f64, [h]f64) =
  loop (w, v) for _i < steps do
    let loss (w, v) = f64.sum (map2 (\x y -> (predicted w v x - y) ** 2) xs ys) / f64.i64 n
    let (dw, dv) = vjp loss (w, v) 1
    in (map2 (map2 (\a g -> a - 0.1 * g)) w dw, map2 (\a g -> a - 0.1 * g) v dv)

-- Of the softmax of each row, which is split.
entry moments [n] (xs: [n][3]f64) (ys: [n][4]f64) : ([4]f64, [4][3]f64, [4][3][3]f64) =
  let softmax (y: [4]f64) =
    let es = map f64.exp y
    let sum = f64.sum es
    in map (/ sum) es
  let ps = transpose (map softmax ys)
  let weights = map f64.sum ps
  let means = map (\p -> map (\x -> f64.sum (map2 (*) p x)) (transpose xs)) ps
  let squares =
    map (\p ->
           map (\x -> map (\y -> f64.sum (map3 (\p x y -> p * x * y) p x y)) (transpose xs))
               (transpose xs))
        ps
  in (weights, means, squares)

entry largest_of_columns [n] [m] (xs: [n][m]i64) : [m](i64, i64) =
  map (\column ->
         reduce (\(x, i) (y, j) -> if y > x || (y == x && j < i) then (y, j) else (x, i))
                (i64.lowest, n)
                (zip column (iota n)))
      (transpose xs)

-- Affine functions do not commute.
entry in_order [n] [m] (xs: [n][m]i64) : ([m]i64, [m]i64) =
  map (\column ->
         reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (x % 7, x)) column))
      (transpose xs)
  |> unzip

-- Sums of what is made of a sum, and what is made of both.
entry of_columns [n] [m] (xs: [n][m]i64) : ([m]i64, i64) =
  let spread column =
    let mean = i64.sum column / i64.max 1 n
    in i64.sum (map (\x -> (x - mean) * (x - mean)) column) + mean
  let all = map spread (transpose xs)
  in (all, i64.sum (map (\x -> x * x) all))

entry checked [n] [m] (xs: [n][m]i64) (limits: [m]i64) : [m]i64 =
  let ys = map (map (\x -> x % 1000)) xs
  in map2 (\column limit ->
             let sum = i64.sum column
             in assert (limit != 9 || sum < 10) (sum * limit))
          (transpose ys)
          limits

-- The same array by its rows, and by columns that a rank has parts of.
entry columns_and_rows [n] [m] (xs: [n][m]i64) : ([m]i64, [n]i64, [m][n]i64) =
  let ys = map (\row -> scan (+) 0 row) xs
  let zs = transpose ys
  in (map i64.sum zs, map i64.sum ys, map (map (+ 1)) zs)

-- What waits for a sum has read the array before it is written.
entry written_later [n] [m] (xs: [n][m]i64) (start: *[m]i64) : ([m]i64, [m]i64) =
  let sums = map2 (\column s -> s + i64.sum column) (transpose (map (map (% 100)) xs)) start
  let start[0] = 7
  in (sums, start)
