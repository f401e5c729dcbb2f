-- A GPU reduces by warps and blocks.
-- target: cuda
entry main [n][m] (a: [n][m]f32) = map f32.sum a
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 3: segmented_reduce over [n][m]
--| x: [
--|   staged_tiles staged [a] when [23 >= m, n >= 128],
--|   by_segments when [31 >= m],
--|   teams]
