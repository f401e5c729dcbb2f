-- Elements that go elsewhere.

entry transposed [n] [m] (xs: [n][m]f32) : [m][n]f32 = map (map id) (transpose xs)

-- | Pictures whose pixels hold their channels, as a picture of each channel.
entry channels_first [n] [p] [c] (xs: [n][p][c]f32) : [n][c][p]f32 =
  map (\picture -> map (map id) (transpose picture)) xs

entry positive [n] (xs: [n]f32) : []f32 = filter (> 0) xs

entry gathered [n] [m] (xs: [n]f32) (places: [m]i64) : [m]f32 = map (\i -> xs[i]) places

entry scattered [n] (xs: [n]f32) (places: [n]i64) : [n]f32 =
  scatter (replicate n 0) places xs
