-- jvp and vjp through scalars, maps, reductions, indexing, branches and loops.
-- ==
-- entry: polynomial
-- input { 3.0 } output { 28.0 28.0 18.0 }

-- ==
-- entry: dot_product
-- input { [1.0, 2.0, 3.0] [4.0, 5.0, 6.0] } output { [4.0, 5.0, 6.0] [1.0, 2.0, 3.0] }

-- ==
-- entry: largest
-- input { [1.0, 5.0, 2.0, 5.0] } output { [0.0, 1.0, 0.0, 0.0] }

-- ==
-- entry: products
-- input { [2.0, 0.0, 3.0] } output { [0.0, 6.0, 0.0] }
-- input { [2.0, 4.0, 3.0] } output { [12.0, 6.0, 8.0] }

-- ==
-- entry: gathered
-- input { [1.0, 2.0, 3.0] [2i64, 0i64, 2i64] } output { [1.0, 0.0, 2.0] }

-- ==
-- entry: newton_step
-- input { 2.0 5i64 } output { 0.35355339059327379 }

-- ==
-- entry: branches
-- input { [-1.0, 2.0] } output { [-1.0, 4.0] }

-- ==
-- entry: matrix_gradient
-- input { [[1.0, 2.0], [3.0, 4.0]] [[5.0, 6.0], [7.0, 8.0]] } output { [[11.0, 15.0], [11.0, 15.0]] [[4.0, 4.0], [6.0, 6.0]] }

-- ==
-- entry: running_sums
-- input { [1.0, 2.0, 3.0] } output { [3.0, 2.0, 1.0] }

-- ==
-- entry: windows_of_rows
-- input { [[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]] } output { [[6.0, 16.0, 10.0], [2.0, 4.0, 2.0]] }

def cubic (x: f64) = x * x * x + x

def matmul [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry polynomial (x: f64) =
  (jvp cubic x 1, vjp cubic x 1, jvp (\y -> vjp cubic y 1) x 1)

entry dot_product [n] (xs: [n]f64) (ys: [n]f64) =
  vjp (\(a, b) -> f64.sum (map2 (*) a b)) (xs, ys) 1

entry largest (xs: []f64) = vjp f64.maximum xs 1
entry products (xs: []f64) = vjp f64.product xs 1
entry gathered [n] [k] (xs: [n]f64) (is: [k]i64) = vjp (\ys -> f64.sum (map (\i -> ys[i]) is)) xs 1

entry newton_step (x: f64) (n: i64) =
  vjp (\a -> loop y = a for _i < n do 0.5 * (y + a / y)) x 1

entry branches (xs: []f64) =
  vjp (\ys -> f64.sum (map (\y -> if y < 0 then -y else y * y) ys)) xs 1

entry matrix_gradient [n] (a: [n][n]f64) (b: [n][n]f64) =
  vjp (\(x, y) -> matmul x y) (a, b) (replicate n (replicate n 1))

entry running_sums (xs: []f64) = vjp (scan (+) 0) xs (map (const 1) xs)

entry windows_of_rows [n] [m] (xs: [n][m]f64) =
  let squares rows i = f64.sum (map (\row -> f64.sum row[i:i + 2] ** 2) rows)
  in vjp (\rows -> f64.sum (map (squares rows) (iota (m - 1)))) xs 1
