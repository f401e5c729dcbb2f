-- Its operator is not said to commute, and is no single operation.
entry main [n] (xs: [n]f32) (ys: [n]f32) = reduce (\(a, b) (c, d) -> (a * c - b * d, a * d + b * c)) (1, 0) (zip xs ys)
-- expect
--| -- main, line 2: segmented_reduce over [n]
--| x: [
--|   lane_blocks rows 0 block_rows 16 columns 2 width 8 remainder serialised fetched [x.2, x.3] ahead 256 when [n >= 256],
--|   in_pieces] operations [3] lanes 4 link 7936
