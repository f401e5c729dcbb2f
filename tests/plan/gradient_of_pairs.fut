-- What a point takes from all others, and they from it, are sums in lanes.
def energy [n] (xs: [n][3]f32) =
  f32.sum (tabulate n (\i -> f32.sum (tabulate n (\j ->
    let (x, y, z) = (xs[i, 0] - xs[j, 0], xs[i, 1] - xs[j, 1], xs[i, 2] - xs[j, 2])
    let s = 1 / (x * x + y * y + z * z)
    in if i == j then 0 else s * s * s * (s * s * s - 1)))))
entry main [n] (xs: [n][3]f32) = vjp energy xs 1
-- expect
--| -- main, line 7: segmented_map over [n]
--| sums: [
--|   lane_blocks width 8 when [n >= 8],
--|   pointwise] operations [17, 46 * n] lanes 4
