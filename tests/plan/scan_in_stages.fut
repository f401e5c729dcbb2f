-- What may fail is not scanned in one kernel: other blocks would wait for what it publishes.
-- target: cuda
entry main [n] (is: [n]i64) (xs: [n]f32) = scan (+) 0 (map (\i -> xs[i]) is)
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 3: segmented_scan over [n]
--| x: [
--|   in_stages]
