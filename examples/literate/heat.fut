-- # Heat in a rod, and where it came from
--
-- A rod was hot in two places. Some time later somebody measures its
-- temperatures: where was it hot, and how much?

def n : i64 = 100

-- One step of the heat equation: each point moves towards the mean of its
-- neighbours. The ends are kept cold.

def step [n] (u: [n]f64) : [n]f64 =
  let at (i: i64) = if i < 0 || i >= n then 0 else u[i]
  in tabulate n (\i -> at i + 0.4 * (at (i - 1) - 2 * at i + at (i + 1)))

def after [n] (steps: i64) (u: [n]f64) : [n]f64 =
  loop u for _i < steps do
    step u

-- What was there, and what is measured:

def before : [n]f64 =
  let bump (centre: f64) (width: f64) (x: f64) = f64.exp (0 - ((x - centre) / width) ** 2)
  in tabulate n (\i -> bump 30 6 (f64.i64 i) + 0.6 * bump 70 4 (f64.i64 i))

def places : [n]f64 = map f64.i64 (iota n)

def later : [n]f64 = after 200 before

-- > :plot2d {before=(places, before), later=(places, later)}

-- Time goes down in this picture, a step a row:

def history (steps: i64) : [steps][n]f64 =
  let (_, rows) =
    loop (u, rows) = (before, replicate steps (replicate n 0))
    for i < steps do
      (step u, rows with [i] = u)
  in rows

-- > :img history 200

-- To go back, look for temperatures from which 200 steps lead to what was
-- seen: let the gradient of the squared difference lower it. The reverse of
-- 200 steps is what `vjp` makes of the loop.

def difference [n] (seen: [n]f64) (guess: [n]f64) : f64 =
  f64.sum (map2 (\a b -> (a - b) ** 2) (after 200 guess) seen)

def recovered (rounds: i64) : [n]f64 =
  loop guess = replicate n 0
  for _i < rounds do
    map2 (\g d -> g - 0.45 * d) guess (vjp (difference later) guess 1)

-- > :plot2d {before=(places, before), recovered=(places, recovered 2000)}

-- The two places are found again; their sharp edges are what heat forgets
-- first.
