-- # Down a valley
--
-- Rosenbrock's function has its least value, 0, at (1, 1), at the end of a
-- narrow curved valley. Finding the valley is easy, following it is not.

def rosenbrock (x: f64, y: f64) : f64 =
  (1 - x) ** 2 + 100 * (y - x * x) ** 2

-- A picture of it: dark is low. Logarithms show what is small.

def landscape (n: i64) : [n][n]f64 =
  let place (i: i64) (low: f64) (high: f64) =
    low + (high - low) * f64.i64 i / f64.i64 n
  in tabulate_2d n n (\i j ->
                        let point = (place j (-1.5) 1.5, place (n - i) (-0.5) 1.5)
                        in f64.log (1 + rosenbrock point) / 7)

-- > :img landscape 256

-- Gradient descent takes steps against the gradient, which `vjp` computes.
-- With momentum it keeps some of its speed from step to step.

type state = {x: f64, y: f64, vx: f64, vy: f64}

def step (rate: f64) (momentum: f64) (s: state) : state =
  let (gx, gy) = vjp rosenbrock (s.x, s.y) 1
  let vx = momentum * s.vx - rate * gx
  let vy = momentum * s.vy - rate * gy
  in {x = s.x + vx, y = s.y + vy, vx, vy}

def start : state = {x = -1.2, y = 1, vx = 0, vy = 0}

def path (n: i64) (momentum: f64) : ([n]f64, [n]f64) =
  let (_, xs, ys) =
    loop (s, xs, ys) = (start, replicate n 0, replicate n 0)
    for i < n do
      (step 0.001 momentum s, xs with [i] = s.x, ys with [i] = s.y)
  in (xs, ys)

-- The ways that both take in 1500 steps:

-- > :plot2d {plain=path 1500 0, momentum=path 1500 0.9}

-- How far they have come, as the logarithm of the function's value:

def progress (n: i64) (momentum: f64) : ([n]f64, [n]f64) =
  let (xs, ys) = path n momentum
  let heights = map2 (\x y -> f64.log10 (rosenbrock (x, y) + 1e-12)) xs ys
  in (map f64.i64 (iota n), heights)

-- > :plot2d {plain=progress 1500 0, momentum=progress 1500 0.9};
-- size: (640,300)

-- Rounded to three digits, momentum ends at

def rounded (digits: i64) (x: f64) : f64 =
  let scale = 10 ** f64.i64 digits
  in f64.round (x * scale) / scale

entry last (n: i64) : {x: f64, y: f64} =
  let (xs, ys) = path n 0.9
  in {x = rounded 3 xs[n - 1], y = rounded 3 ys[n - 1]}

-- > last 1500
