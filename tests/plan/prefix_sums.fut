-- Pieces, twice.
entry main [n] (xs: [n]f32) = scan (+) 0 xs
-- expect
--| -- main, line 2: segmented_scan over [n]
--| x: [
--|   lane_blocks width 8 remainder serialised] operations [2] strip 256 link 65536
