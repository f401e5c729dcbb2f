-- Pieces, twice.
entry main [n] (xs: [n]f32) = scan (+) 0 xs
-- expect
--| -- main, line 2: segmented_scan over [n]
--| x: [
--|   in_pieces] operations [2]
