-- Scans of a thread whose elements are reduced as they come, and some that cannot be.

-- ==
-- entry: sums_of_sums
-- input { [[1f64, 2f64, 3f64], [4f64, -5f64, 6f64]] } output { [10f64, 8f64] }
-- input { empty([2][0]f64) } output { [0f64, 0f64] }
entry sums_of_sums [n] [m] (xs: [n][m]f64) : [n]f64 = map (\row -> f64.sum (scan (+) 0 row)) xs

-- | The running sums of running maxima, of which the rows add only those that are even.
-- ==
-- entry: chain
-- input { [[1, 5, 2], [3, 1, 7]] } output { [6, 6] }
entry chain [n] [m] (xs: [n][m]i32) : [n]i32 =
  map (\row ->
         let maxima = scan i32.max i32.lowest row
         let sums = scan (+) 0 maxima
         in i32.sum (map (\s -> if s % 2 == 0 then s else 0) sums))
      xs

-- | A sum and a product of the same running sums, which one row computes with the other.
-- ==
-- entry: pairs
-- input { [[1, 2, 3]] [[2, 1, 1]] } output { [20i64] [10i64] }
entry pairs [n] [m] (xs: [n][m]i64) (ys: [n][m]i64) : ([n]i64, [n]i64) =
  unzip (map2 (\x y ->
                 let z = scan (\(a, b) (c, d) -> (a + c, b * d)) (0, 1) (zip x y)
                 in reduce (\(a, b) (c, d) -> (a + c, b + d))
                           (0, 0)
                           (map (\(s, p) -> (s * p, s)) z))
              xs
              ys)

-- | The greatest share of the whole that a row has had: the whole is known behind the first loop.
-- ==
-- entry: shares
-- input { [[1f64, 3f64], [2f64, -1f64]] } output { [1f64, 2f64] }
entry shares [n] [m] (xs: [n][m]f64) : [n]f64 =
  map (\row ->
         let sums = scan (+) 0 row
         let whole = f64.sum row
         in f64.maximum (map (/ whole) sums))
      xs

-- | Rows that are kept.
-- ==
-- entry: kept
-- input { [[1, 2], [3, 4]] } output { [[1, 3], [3, 7]] [4, 10] }
entry kept [n] [m] (xs: [n][m]i32) : ([n][m]i32, [n]i32) =
  unzip (map (\row -> let sums = scan (+) 0 row in (sums, i32.sum sums)) xs)

-- ==
-- entry: gradient
-- input { [[1f64, 2f64, 3f64], [4f64, -5f64, 6f64]] } output { [[3f64, 2f64, 1f64], [3f64, 2f64, 1f64]] }
entry gradient [n] [m] (xs: [n][m]f64) : [n][m]f64 = vjp sums_of_sums xs (replicate n 1)
