-- Sums that begin anew at flags, as a scan of pairs in one kernel.
-- target: cuda
entry main [n] (flags: [n]bool) (xs: [n]f32) =
  map (.1) (scan (\(f, x) (g, y) -> (f || g, if g then y else x + y)) (false, 0) (zip flags xs))
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 4: segmented_scan over [n]
--| x: [
--|   look_back stretch 17]
