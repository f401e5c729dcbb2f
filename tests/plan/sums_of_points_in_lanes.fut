-- Points with loops of their own are lanes of a sum.
entry main [n] (xs: [n]f32) = f32.sum (map (\x -> loop y = x for _i < 20 do y * y - x) xs)
-- expect
--| -- main, line 2: segmented_reduce over [n]
--| x: [
--|   lane_blocks columns 4 width 16 remainder serialised] operations [50] lanes 4
