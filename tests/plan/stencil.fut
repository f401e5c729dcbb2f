-- Inner points are known apart from the edges.
entry main [n] (xs: [n]f32) = tabulate n (\i -> if i == 0 || i == n - 1 then xs[i] else (xs[i - 1] + xs[i] + xs[i + 1]) / 3)
-- expect
--| -- main, line 2: segmented_map over [n]
--| x: [
--|   fused_stencil] operations [15] lanes 4
