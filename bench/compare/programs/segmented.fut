-- The same for each of many pieces.

entry sums [n] [m] (xs: [n][m]f32) : [n]f32 = map (reduce (+) 0) xs

-- | Sums that begin anew at flags.
entry flagged [n] (flags: [n]bool) (xs: [n]f64) : [n]f64 =
  let join (f, x: f64) (g, y) = (f || g, if g then y else x + y)
  in map (.1) (scan join (false, 0) (zip flags xs))
