-- Each iteration replaces its state point by point: it stays where it is.
entry decay (n: i64) (steps: i64) (start: f64) : [n]f64 =
  loop xs = replicate n start for _i < steps do map (\x -> x * 0.5 + 1) xs
-- expect
--| -- decay
--|   x: [n]f64, block of 8*n bytes, until x.2
--|   xs: [n]f64, loop renewed, first x, which it is given
--|     x.3: [n]f64, over xs, given on
--|   x.2: [n]f64, in xs
