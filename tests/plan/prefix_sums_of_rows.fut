-- Segments in parallel.
entry main [n][m] (a: [n][m]f32) = map (scan (+) 0) a
-- expect
--| -- main, line 2: segmented_scan over [n][m]
--| x: [
--|   by_segments rolled true when [7 >= m],
--|   by_segments when [31 >= m],
--|   lane_blocks points 1 width 8 remainder serialised] operations [3] strip 256 link 65536
