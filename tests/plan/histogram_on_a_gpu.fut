-- Bins that fit the shared memory of a block are filled there, by atomic instructions.
-- target: cuda
entry main [n] (k: i64) (is: [n]i64) (xs: [n]i32) = hist (+) 0 k is xs
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 3: segmented_histogram over [n]
--| x: [
--|   block_bins atomic true when [8188 >= k, 1024 * n >= 8 * k * resident],
--|   atomic_bins] least_piece [1, k]
