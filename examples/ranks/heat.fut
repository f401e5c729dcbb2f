-- | Heat in a plate whose rows many processes share (docs/ranks.md), and the gradient of what became of it
-- with respect to how it began, through all steps.  Nothing here says so.  In each step a process is
-- sent the row above and the row below its own, by its two neighbours; on the way back it is sent
-- these once more, and sends its neighbours what it adds to their rows.  The plate conducts less where
-- it is hot, so that the way back needs the states of all steps: each process keeps its rows of them.
-- ==
-- entry: heated
-- input { 1i64 [[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 0.0]] }
-- output { [[0.0, 0.8, 0.0], [0.8, 6.4, 0.8], [0.0, 0.8, 0.0]] }
-- random input { 10i64 [20][30]f64 } auto output

-- ==
-- entry: misfit
-- random input { 5i64 [20][10]f64 [20][10]f64 } auto output
-- random input { 5i64 [2][3]f64 [2][3]f64 } auto output

-- | One step; nothing goes out at the rim.
def step [n] [m] (u: [n][m]f64) : [n][m]f64 =
  tabulate_2d n m (\i j ->
                     let above = u[i64.max 0 (i - 1), j]
                     let below = u[i64.min (n - 1) (i + 1), j]
                     let left = u[i, i64.max 0 (j - 1)]
                     let right = u[i, i64.min (m - 1) (j + 1)]
                     let conducts = 0.1 / (1 + f64.abs u[i, j] / 8)
                     in u[i, j] + conducts * (above + below + left + right - 4 * u[i, j]))

-- | The plate after some steps.
entry heated [n] [m] (steps: i64) (u: [n][m]f64) : [n][m]f64 =
  loop u for _i < steps do step u

-- | How far the plate is from what was measured in the end, and the gradient of that with respect to
-- the plate in the beginning.
entry misfit [n] [m] (steps: i64) (u: [n][m]f64) (measured: [n][m]f64) : (f64, [n][m]f64) =
  let distance a b = f64.sum (map2 (\x y -> f64.sum (map2 (\p q -> (p - q) ** 2) x y)) a b)
  in vjp2 (\u -> distance (heated steps u) measured) u 1
