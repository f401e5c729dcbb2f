-- Segments of a GPU that lie side by side.
-- target: cuda
entry main [n][m] (a: [n][m]f32) = map f32.sum (transpose a)
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 3: segmented_reduce over [m][n]
--| x: [
--|   by_segments when [31 >= n],
--|   by_segments when [4 * m >= resident],
--|   teams]
