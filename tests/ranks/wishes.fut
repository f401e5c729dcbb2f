-- What a program says itself of its arrays counts more than what messages cost.
-- counts: by_rows: [1000][40]f64: agree 1 8
-- counts: by_columns: [1000][40]f64: agree 1 8, reduce 1 8000
-- counts: by_nobody: [1000][40]f64: agree 1 8
-- ==
-- entry: by_rows by_columns by_nobody
-- random input { [30][20]f64 } auto output
-- random input { [2][1]f64 } auto output
-- random input { [0][3]f64 } auto output

entry by_rows [n] [m] (#[split(0)] xs: [n][m]f64) : [n]f64 = map f64.sum xs

entry by_columns [n] [m] (#[split(1)] xs: [n][m]f64) : [n]f64 = map f64.sum xs

entry by_nobody [n] [m] (#[replicated] xs: [n][m]f64) : [n]f64 =
  map (\row -> f64.sum (map f64.sqrt row)) xs
