-- A result takes the place of an array that dies with it, not of one that is read elsewhere.
entry normalise [n] (xs: [n]f64) : [n]f64 =
  let ys = map f64.exp xs
  let total = f64.sum ys
  in map (/ total) ys
-- expect
--| -- normalise
--|   xs: [n]f64, an argument
--|   ys: [n]f64, block of 8*n bytes, until x
--|   x: [n]f64, over ys, given on
