-- | Gradient descent with a step that grows after ten successes and shrinks after a failure, as the
-- evals `particle` and `saddle` want it (Pearlmutter and Siskind 2008).  Derivatives are made by
-- `grad`, so that programs choose the mode.

def reverse_mode [n] (f: [n]f64 -> f64) (x: [n]f64): [n]f64 = vjp f x 1

def forward_mode [n] (f: [n]f64 -> f64) (x: [n]f64): [n]f64 =
  jmp f x (tabulate_2d n n (\i j -> f64.bool (i == j)))

def norm [n] (x: [n]f64): f64 = f64.sqrt (f64.sum (x .* x))

def argmin [n] (grad: ([n]f64 -> f64) -> [n]f64 -> [n]f64) (f: [n]f64 -> f64) (start: [n]f64): [n]f64 =
  let small = 1e-5
  let (x, _, _, _, _, _) =
    loop (x, value, slope, rate, successes, busy) = (start, f start, grad f start, 1e-5, 0i32, true)
    while busy do
      if norm slope <= small
      then (x, value, slope, rate, successes, false)
      else if successes == 10
      then (x, value, slope, 2 * rate, 0, true)
      else let next = x .- rate .* slope
           in if norm (x .- next) <= small
              then (x, value, slope, rate, successes, false)
              else let next_value = f next
                   in if next_value < value
                      then (next, next_value, grad f next, rate, successes + 1, true)
                      else (x, value, slope, rate / 2, 0, true)
  in x

def argmax [n] (grad: ([n]f64 -> f64) -> [n]f64 -> [n]f64) (f: [n]f64 -> f64) (start: [n]f64): [n]f64 =
  argmin grad (\x -> -(f x)) start
