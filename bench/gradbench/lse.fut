-- | The eval `lse`: log Σ exp x without overflow, and its gradient.
-- ==
-- entry: primal
-- input { [1000.0, 1000.0] } output { 1000.6931471805599 }
-- ==
-- entry: gradient
-- input { [1000.0, 1000.0] } output { [0.5, 0.5] }

entry primal [n] (x: [n]f64): f64 =
  let top = f64.maximum x
  in top + f64.log (f64.sum (f64.exp.(x .- top)))

entry gradient [n] (x: [n]f64): [n]f64 =
  vjp primal x 1
