-- The pieces of a concatenation are made in it.
entry join (n: i64) (m: i64) : []f32 =
  map f32.i64 (iota n) ++ map (\i -> f32.i64 i * 2) (iota m)
-- expect
--| -- join
--|   x: [n]i64, nowhere
--|   x.2: [n]f32, piece of x.3
--|   x.4: [m]i64, nowhere
--|   x.5: [m]f32, piece of x.3
--|   x.3: [t]f32, block of 4*t bytes, given on
