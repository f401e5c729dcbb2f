-- Segments in parallel.
entry main [n][m] (a: [n][m]f32) = map (scan (+) 0) a
-- expect
--| -- main, line 2: segmented_scan over [n][m]
--| x: [
--|   in_pieces] operations [3]
