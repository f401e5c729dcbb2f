-- | The eval `llsq`: half the squared distance between sign(t) and the polynomial with coefficients
-- `x`, over n points t from -1 to 1; and its gradient.
-- ==
-- entry: primal
-- input { [1.0, 2.0] 3i64 } output { 2.5 }
-- ==
-- entry: gradient
-- input { [1.0, 2.0] 3i64 } output { [3.0, 2.0] }

-- | sign(t) - Σⱼ xⱼ tʲ
def residual [m] (x: [m]f64) (t: f64): f64 =
  let (rest, _) =
    loop (rest, power) = (f64.sgn t, 1)
    for c in x do
      (rest - c * power, power * t)
  in rest

entry primal [m] (x: [m]f64) (n: i64): f64 =
  let point i = -1 + f64.i64 i * 2 / (f64.i64 n - 1)
  let residuals = map (\i -> residual x (point i)) (iota n)
  in f64.sum (residuals .* residuals) / 2

entry gradient [m] (x: [m]f64) (n: i64): [m]f64 =
  vjp (\x -> primal x n) x 1
