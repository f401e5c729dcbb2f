-- A scan of pairs.
entry main [n] (a: [n]f32) (b: [n]f32) = map (.1) (scan (\(p, q) (r, s) -> (p * r, q * r + s)) (1, 0) (zip a b))
-- expect
--| -- main, line 2: segmented_scan over [n]
--| x: [
--|   lane_blocks width 16 remainder serialised totals true] operations [3] strip 256 link 32768
