-- Two maps run as one loop.
entry main [n] (xs: [n]f64) =
  let a = tabulate n (\i -> if i == 0 then xs[i] else f64.sqrt (xs[i - 1] + xs[i]))
  in tabulate n (\i -> if i == 0 then a[i] else f64.sin (a[i - 1] * a[i]))
-- expect
--| -- main, line 3: segmented_map over [n]
--| a: [
--|   fused_stencil maps 2] operations [21] lanes 4
