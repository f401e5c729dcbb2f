-- Numbers made of their neighbours, and the gradients: between ends, on a ring, and in the stages of
-- a step of Heun's method, of which each reads the last.
-- ==
-- entry: between_ends between_ends_gradient ring ring_gradient heun heun_gradient
-- random input { [1000000]f64 }

def bend (a: f64) (b: f64) (c: f64): f64 = let d = a - 2 * b + c in b + d * d

entry between_ends [n] (xs: [n]f64): [n]f64 =
  tabulate n (\i -> if i == 0 || i == n - 1 then xs[i] else bend xs[i - 1] xs[i] xs[i + 1])

entry ring [n] (xs: [n]f64): [n]f64 = map3 bend (rotate (-1) xs) xs (rotate 1 xs)

-- | dx/dt of each number: it follows its left neighbour, and the first one nothing.
def slope [n] (xs: [n]f64): [n]f64 =
  tabulate n (\i -> xs[i] * ((if i > 0 then xs[i - 1] else 0) - xs[i]))

entry heun [n] (xs: [n]f64): [n]f64 =
  let h = 0.01
  in loop xs for _i < 5 do
       let first = slope xs
       let second = slope (map2 (\x s -> x + h * s) xs first)
       in map3 (\x s t -> x + h / 2 * (s + t)) xs first second

def gradient [n] (f: [n]f64 -> [n]f64) (xs: [n]f64): [n]f64 = vjp f xs (replicate n 1)

entry between_ends_gradient [n] (xs: [n]f64): [n]f64 = gradient between_ends xs
entry ring_gradient [n] (xs: [n]f64): [n]f64 = gradient ring xs
entry heun_gradient [n] (xs: [n]f64): [n]f64 = gradient heun xs
