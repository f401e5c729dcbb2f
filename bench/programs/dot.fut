-- Inner product and its gradient.
-- ==
-- entry: primal gradient
-- random input { [10000000]f64 [10000000]f64 }

entry primal [n] (xs: [n]f64) (ys: [n]f64): f64 = f64.sum (map2 (*) xs ys)
entry gradient [n] (xs: [n]f64) (ys: [n]f64): ([n]f64, [n]f64) =
  vjp (\(a, b) -> primal a b) (xs, ys) 1
