-- An operator that takes the first of two equals: each lane walks a stretch.
entry main [n] (xs: [n]f32) = reduce (\(a, i) (b, j) -> if b > a then (b, j) else (a, i)) (f32.lowest, -1) (zip xs (iota n))
-- expect
--| -- main, line 2: segmented_reduce over [n]
--| x: [
--|   lane_blocks rows 0 block_rows 16 columns 2 width 4 remainder serialised fetched [x.2] ahead 256 places [1] when [n >= 128, 34359738368 >= n],
--|   in_pieces] operations [3] lanes 4
