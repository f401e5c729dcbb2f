-- Numbers made each of the numbers at their place.

entry axpy [n] (a: f32) (xs: [n]f32) (ys: [n]f32) : [n]f32 = map2 (\x y -> a * x + y) xs ys

entry powers [n] (xs: [n]f32) : [n]f32 = map (\x -> x ** 5 - 2 * x ** 3 + x ** 2) xs

entry leaky [n] (xs: [n]f32) : [n]f32 = map (\x -> if x > 0 then x else 0.1 * x) xs

entry gelu [n] (xs: [n]f32) : [n]f32 =
  map (\x -> 0.5 * x * (1 + f32.tanh (0.7978846 * (x + 0.044715 * x * x * x)))) xs

entry logistic [n] (xs: [n]f64) : [n]f64 = map (\x -> 1 / (1 + f64.exp (-x))) xs

entry outer [n] [m] (xs: [n]f32) (ys: [m]f32) : [n][m]f32 =
  map (\x -> map (\y -> x * y) ys) xs

-- | Two pictures, one over the other; `w` of 255 parts are of the first.
entry blend [n] (w: u16) (xs: [n]u8) (ys: [n]u8) : [n]u8 =
  map2 (\x y -> u8.u16 ((w * u16.u8 x + (255 - w) * u16.u8 y) >> 8)) xs ys
