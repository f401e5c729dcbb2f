-- What replaces the part of an array that it is computed of is written over it.
entry add [m] (n: i64) (ys: [m]f64) : []f64 =
  let xs = replicate (n + m) 1f64
  in xs with [n:n + m] = map2 (+) (xs[n:n + m] :> [m]f64) ys
-- expect
--| -- add
--|   ys: [m]f64, an argument
--|   xs: [xs.2]f64, block of 8*xs.2 bytes, given on
--|   x: [m]f64, in xs
--|   x.2: [m]f64, over x
--|   x.3: [xs.2]f64, in xs
