-- Sums that begin anew at flags, in pieces.
entry main [n] (flags: [n]bool) (xs: [n]f32) =
  map (.1) (scan (\(f, x) (g, y) -> (f || g, if g then y else x + y)) (false, 0) (zip flags xs))
-- expect
--| -- main, line 3: segmented_scan over [n]
--| x: [
--|   lane_blocks width 16 remainder serialised totals true] operations [3] strip 256 link 52428
