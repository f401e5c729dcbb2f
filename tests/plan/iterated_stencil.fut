-- A time step is a map of the host.
entry main [n] (steps: i64) (xs: [n]f32) = loop xs for _i < steps do tabulate n (\i -> if i == 0 || i == n - 1 then xs[i] else (xs[i - 1] + xs[i + 1]) / 2)
-- expect
--| -- main, line 2: segmented_map over [n]
--| x: [
--|   fused_stencil] operations [14] lanes 4
