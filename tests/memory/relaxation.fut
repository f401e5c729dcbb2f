-- Each iteration reads neighbours: the next state has a block of its own, the last one dies.
entry relax [n] (steps: i64) (xs: [n]f64) : [n]f64 =
  loop xs for _i < steps do
    tabulate n (\i -> 0.25 * xs[i64.max 0 (i - 1)] + 0.5 * xs[i] + 0.25 * xs[i64.min (n - 1) (i + 1)])
-- expect
--| -- relax
--|   xs: [n]f64, an argument
--|   x: [n]i64, nowhere
--|   xs.2: [n]f64, loop renewed, first xs
--|     x.2: [n]f64, block of 8*n bytes, given on
--|   x.3: [n]f64, in xs.2
