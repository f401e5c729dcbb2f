-- Points that give small rows make them where they go: a row is not copied onto itself, and one that
-- comes from elsewhere is.
-- ==
-- entry: pairs
-- input { [1.0, 2.0, 3.0] } output { [[1.0, 2.0, 3.0, 4.0], [2.0, 4.0, 6.0, 8.0], [3.0, 6.0, 9.0, 12.0]] }
-- ==
-- entry: turned
-- input { [[1i64, 2i64], [3i64, 4i64], [5i64, 6i64]] } output { [[5i64, 6i64], [3i64, 4i64], [1i64, 2i64]] }

entry pairs [n] (xs: [n]f64) : [n][4]f64 =
  map (\x -> [x, 2 * x, 3 * x, 4 * x]) xs

-- The loop's array may be written over, but by rows of other points.
entry turned [n] (rows: [n][2]i64) : [n][2]i64 =
  loop rows = copy rows for _i < 3 do map (\i -> rows[n - 1 - i]) (iota n)
