-- A thread for each point.
-- target: cuda
entry main [n] (xs: [n]f64) = map (\x -> f64.exp (-x)) xs
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 3: segmented_map over [n]
--| x: [
--|   pointwise points 4]
