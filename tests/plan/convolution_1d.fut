-- A window is a sum over a short loop.
entry main [n] (k: [5]f32) (xs: [n]f32) = tabulate (i64.max 0 (n - 4)) (\i -> f32.sum (tabulate 5 (\j -> k[j] * xs[i + j])))
-- expect
--| -- main, line 2: segmented_map over [x]
--| x.2: [
--|   pointwise] operations [26] lanes 4 strip 256
