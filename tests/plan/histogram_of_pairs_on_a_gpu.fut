-- No atomic instruction combines pairs: bins of blocks, pieces with bins of their own, or locks.
-- target: cuda
entry main [n] (k: i64) (is: [n]i64) (xs: [n]i32) =
  hist (\(a, i) (b, j) -> if a < b then (b, j) else (a, i)) (i32.lowest, -1) k is (zip xs is)
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 4: segmented_histogram over [n]
--| x: [
--|   block_bins rounds 1 when [2728 >= k, n >= 8 * k],
--|   in_pieces least 16 rounds 3 when [n >= 32, n >= 4 * k, 32 * n >= 4 * k * resident],
--|   locked_bins] least_piece [1, k, k]
