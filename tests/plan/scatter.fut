-- Straight to the destination.
entry main [n][k] (d: *[k]f32) (is: [n]i64) (xs: [n]f32) = scatter d is xs
-- expect
--| -- main, line 2: segmented_scatter over [n]
--| x: [
--|   pointwise] operations [5]
