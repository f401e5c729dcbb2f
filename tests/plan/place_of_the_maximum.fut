-- A reduction of pairs.
entry main [n] (xs: [n]f32) = reduce_comm (\(a, i) (b, j) -> if a > b || (a == b && i < j) then (a, i) else (b, j)) (f32.lowest, -1) (zip xs (iota n))
-- expect
--| -- main, line 2: segmented_reduce over [n]
--| x: [
--|   lane_blocks columns 4 width 4 remainder serialised fetched [x.2] ahead 8192 places [1] when [n >= 256, 68719476736 >= n],
--|   in_pieces] operations [3] lanes 4
