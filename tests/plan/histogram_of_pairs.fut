-- Tuples fill bins of their own.
entry main [n] (is: [n]i64) (xs: [n]f32) = reduce_by_index (replicate 100 (0, 0)) (\(a, b) (c, d) -> (a + c, f32.max b d)) (0, 0) is (zip xs xs)
-- expect
--| -- main, line 2: segmented_histogram over [n]
--| x: [
--|   in_pieces] operations [7] least_piece [1, 100, 100]
