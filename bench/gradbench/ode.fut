-- | The eval `ode`: s Runge–Kutta steps to time 2 of y₀' = x₀, yᵢ' = xᵢ yᵢ₋₁ from y = 0, and the
-- gradient of the last yᵢ.
-- ==
-- entry: primal
-- input { [1.0, 2.0, 3.0] 1i64 } output { [2.0, 4.0, 8.0] }
-- ==
-- entry: gradient
-- input { [1.0, 2.0, 3.0] 1i64 } output { [8.0, 4.0, 2.6666666666666665] }

-- | y' at y: each element times its predecessor, of which the first is 1.
def slope [n] (x: [n]f64) (y: [n]f64): [n]f64 =
  x .* ([1] ++ init y :> [n]f64)

def step [n] (x: [n]f64) (h: f64) (y: [n]f64): [n]f64 =
  let k1 = slope x y
  let k2 = slope x (y .+ h / 2 .* k1)
  let k3 = slope x (y .+ h / 2 .* k2)
  let k4 = slope x (y .+ h .* k3)
  in y .+ h / 6 .* (k1 .+ 2 .* k2 .+ 2 .* k3 .+ k4)

entry primal [n] (x: [n]f64) (s: i64): [n]f64 =
  loop y = replicate n 0 for _i < s do step x (2 / f64.i64 s) y

entry gradient [n] (x: [n]f64) (s: i64): [n]f64 =
  vjp (\x -> last (primal x s)) x 1
