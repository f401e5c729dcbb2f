-- What comes before each place, combined.

entry sums_i32 [n] (xs: [n]i32) : [n]i32 = scan (+) 0 xs

entry sums_f64 [n] (xs: [n]f64) : [n]f64 = scan (+) 0 xs

entry maxima [n] (xs: [n]f32) : [n]f32 = scan f32.max (-f32.inf) xs

-- | y[i] = a[i] y[i - 1] + b[i]
entry recurrence [n] (a: [n]f64) (b: [n]f64) : [n]f64 =
  let compose (a: f64, b: f64) (c, d) = (a * c, b * c + d)
  in map (.1) (scan compose (1, 0) (zip a b))

entry sums_of_rows [n] [m] (xs: [n][m]f32) : [n][m]f32 = map (scan (+) 0) xs
