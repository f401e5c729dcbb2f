-- A point loops over all others.
entry main [n] (ps: [n][3]f32) = map (\p -> reduce_comm (\a b -> map2 (+) a b) [0, 0, 0] (map (\q -> map2 (\x y -> x - y) p q) ps)) ps
-- expect
--| -- main, line 2: segmented_map over [n]
--| x: [
--|   lane_blocks columns 4 width 8 when [n >= 32],
--|   lane_blocks columns 2 width 8 when [n >= 16],
--|   lane_blocks width 8 when [n >= 8],
--|   pointwise] operations [1, n]
