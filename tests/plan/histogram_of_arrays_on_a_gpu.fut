-- Rows combined as wholes: bins behind locks, or in pieces.
-- target: cuda
entry main [n][k] (is: [n]i64) (xs: [n][3]f32) (bins: *[k][3]f32) =
  reduce_by_index bins (\a b -> if a[0] > b[0] then a else b) (rep (-f32.inf)) is xs
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 4: segmented_histogram over [n]
--| x: [
--|   in_pieces least 16 rounds 3 when [n >= 32, n >= 2 * k, 32 * n >= 2 * k * resident],
--|   locked_bins] least_piece [1, k * 3]
