-- Numbers that choose rows of a product: asserted before it, for all points, and what they choose is
-- right where they are.
def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

entry chosen [v] [e] [h] [b] (rows: [v][e]f64) (w: [h][e]f64) (ids: [b]i64) : [b][h]f64 =
  map (\i -> map (\r -> 2 * dot r rows[i]) w) ids

entry behind [v] [e] [h] [b] (rows: [v][e]f64) (w: [h][e]f64) (ids: [b]i64) : [b]f64 =
  map (\i -> let ys = map (\r -> dot r rows[i]) w in ys[i64.f64 ys[0] % 2]) ids

-- ==
-- entry: chosen
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] [[1f64, 0f64], [0f64, 1f64], [1f64, 1f64]] [2i64, 0i64, 2i64] }
-- output { [[10f64, 12f64, 22f64], [2f64, 4f64, 6f64], [10f64, 12f64, 22f64]] }
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] [[1f64, 0f64]] [2i64, 3i64] }
-- error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] [[1f64, 0f64]] [2i64, -1i64] }
-- error: Index \[-1\] out of bounds for array of shape \[3\]

-- ==
-- entry: behind
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] [[1f64, 0f64], [0f64, 1f64], [1f64, 1f64]] [2i64, 0i64, 2i64] }
-- output { [6f64, 2f64, 6f64] }
-- input { [[1f64, 2f64], [3f64, 4f64], [5f64, 6f64]] [[1f64, 0f64], [0f64, 1f64], [1f64, 1f64]] [2i64, 0i64, 7i64] }
-- error: Index \[7\] out of bounds for array of shape \[3\]
