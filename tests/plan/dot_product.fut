-- The same of products.
entry main [n] (xs: [n]f32) (ys: [n]f32) = f32.sum (map2 (*) xs ys)
-- expect
--| -- main, line 2: segmented_reduce over [n]
--| x: [
--|   in_pieces streams 4 line 16 when [n >= 524288],
--|   in_pieces] operations [4] lanes 4
