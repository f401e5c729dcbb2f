-- A thread a point: too much for one to take several.
-- target: cuda
entry main [n] (xs: [n]f32) = tabulate n (\i -> if i == 0 || i == n - 1 then xs[i] else (xs[i - 1] + xs[i] + xs[i + 1]) / 3)
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 3: segmented_map over [n]
--| x: [
--|   staged_tiles points 1024 staged [xs] when [n >= 128, 4 * n >= 4 * resident],
--|   staged_tiles staged [xs] when [n >= 128],
--|   pointwise]
