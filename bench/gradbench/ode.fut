-- | The eval `ode`: s Runge–Kutta steps to time 2 of y₀' = x₀, yᵢ' = xᵢ yᵢ₋₁ from y = 0, and the
-- gradient of the last yᵢ.
-- ==
-- entry: primal
-- input { [1.0, 2.0, 3.0] 1i64 } output { [2.0, 4.0, 8.0] }
-- ==
-- entry: gradient
-- input { [1.0, 2.0, 3.0] 1i64 } output { [8.0, 4.0, 2.6666666666666665] }

-- | y' as a function of the index, given y as one; what is not stored is computed where it is used.
def slope [n] (x: [n]f64) (y: i64 -> f64) (i: i64): f64 =
  if i == 0 then x[0] else x[i] * y (i - 1)

def step [n] (x: [n]f64) (h: f64) (y: [n]f64): [n]f64 =
  let start i = y[i]
  let k1 = slope x start
  let k2 = slope x (\i -> start i + h / 2 * k1 i)
  let k3 = slope x (\i -> start i + h / 2 * k2 i)
  let k4 = slope x (\i -> start i + h * k3 i)
  in tabulate n (\i -> start i + h / 6 * (k1 i + 2 * k2 i + 2 * k3 i + k4 i))

entry primal [n] (x: [n]f64) (s: i64): [n]f64 =
  loop y = replicate n 0 for _i < s do step x (2 / f64.i64 s) y

entry gradient [n] (x: [n]f64) (s: i64): [n]f64 =
  vjp (\x -> last (primal x s)) x 1
