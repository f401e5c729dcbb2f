-- Log-likelihood of a Gaussian mixture (as examples/gmm, without the prior) and its gradient.
-- ==
-- entry: primal gradient
-- random input { [25]f64 [25][20]f64 [25][210]f64 [1000][20]f64 }

def log_sum_exp [n] (xs: [n]f64): f64 =
  let top = f64.maximum xs
  in top + f64.log (f64.sum (map (\x -> f64.exp (x - top)) xs))

def triangle [m] (d: i64) (icf: [m]f64): [d][d]f64 =
  tabulate_2d d d (\row column ->
                     if row == column then f64.exp icf[row]
                     else if row < column then 0
                     else icf[d + column * (2 * d - column - 1) / 2 + row - column - 1])

def likelihood [n][d][k][m] (alphas: [k]f64) (means: [k][d]f64) (icf: [k][m]f64) (points: [n][d]f64): f64 =
  let factors = map (triangle d) icf
  let logs = map (\row -> f64.sum (take d row)) icf
  let term point alpha mean factor log_determinant =
    let centred = map2 (-) point mean
    let distance = f64.sum (map (\row -> let y = f64.sum (map2 (*) row centred) in y * y) factor)
    in alpha + log_determinant - 0.5 * distance
  in f64.sum (map (\point -> log_sum_exp (map4 (term point) alphas means factors logs)) points)
     - f64.i64 n * log_sum_exp alphas

entry primal [n][d][k][m] (alphas: [k]f64) (means: [k][d]f64) (icf: [k][m]f64) (points: [n][d]f64): f64 =
  likelihood alphas means icf points
entry gradient [n][d][k][m] (alphas: [k]f64) (means: [k][d]f64) (icf: [k][m]f64) (points: [n][d]f64)
  : ([k]f64, [k][d]f64, [k][m]f64) =
  vjp (\(a, u, q) -> likelihood a u q points) (alphas, means, icf) 1
