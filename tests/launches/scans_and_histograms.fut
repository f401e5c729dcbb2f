-- Scans look back in one kernel; histograms of numbers are one kernel after their bins are set.
-- counts: prefix_sums [1000000]i64: launches 1, waits 1
-- counts: recurrence [1000000]f64 [1000000]f64: launches 1, waits 1
-- counts: row_scans [10000][100]f32: launches 1, waits 1
-- counts: few_bins [1000000]i64: launches 1, waits 1
-- counts: many_bins [1000000]i64 [1000000]f32: launches 1, waits 1
-- counts: greatest [1000000]i64 [1000000]f32: launches 2, waits 1
entry prefix_sums (xs: []i64) = scan (+) 0 xs
entry recurrence [n] (a: [n]f64) (b: [n]f64) =
  (unzip (scan (\(a0, b0) (a1, b1) -> (a0 * a1, a1 * b0 + b1)) (1, 0) (zip a b))).1
entry row_scans (xs: [][]f32) = map (scan (+) 0) xs
entry few_bins [n] (is: [n]i64) = reduce_by_index (replicate 16 0i32) (+) 0 is (replicate n 1)
entry many_bins [n] (is: [n]i64) (xs: [n]f32) =
  reduce_by_index (replicate 1000 0) (+) 0 is xs
entry greatest [n] (is: [n]i64) (xs: [n]f32) =
  reduce_by_index (replicate 1000 (-f32.inf)) f32.max (-f32.inf) is xs
