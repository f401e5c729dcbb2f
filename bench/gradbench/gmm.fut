-- | The eval `gmm`: the logarithm of the posterior probability of a mixture of k Gaussians in d
-- dimensions, given n points and a Wishart prior on the precisions; and its gradient.
--
-- The precision of a component is QᵀQ, where Q is lower triangular: the exponentials of `q` on the
-- diagonal, and below it `l`, column by column.

def square (x: f64): f64 = x * x

-- | log Σ exp x, without overflow.
def log_sum_exp [n] (x: [n]f64): f64 =
  let top = f64.maximum x
  in top + f64.log (f64.sum (f64.exp.(x .- top)))

-- | log Γₚ(a), the multivariate gamma function.
def log_gamma (p: i64) (a: f64): f64 =
  0.25 * f64.i64 (p * (p - 1)) * f64.log f64.pi
  + f64.sum (map (\j -> f64.lgamma (a - 0.5 * f64.i64 j)) (iota p))

def factor [d][t] (q: [d]f64) (l: [t]f64): [d][d]f64 =
  tabulate_2d d d (\i j ->
                     if i < j then 0
                     else if i == j then f64.exp q[i]
                     else l[j * (2 * d - j - 1) / 2 + i - j - 1])

def log_likelihood [n][k][d] (alpha: [k]f64) (mu: [k][d]f64) (factors: [k][d][d]f64)
                             (log_determinants: [k]f64) (x: [n][d]f64): f64 =
  let distance point mean rows =
    let centred = point .- mean
    in f64.sum (map (\row -> square (f64.sum (row .* centred))) rows)
  let log_density point =
    log_sum_exp (alpha .+ log_determinants .- 0.5 .* map2 (distance point) mu factors)
  let constant = f64.i64 n * (0.5 * f64.i64 d * f64.log (2 * f64.pi) + log_sum_exp alpha)
  in f64.sum (map log_density x) - constant

def log_prior [k][d] (factors: [k][d][d]f64) (log_determinants: [k]f64)
                     (gamma: f64) (m: i64): f64 =
  let freedom = f64.i64 (d + m + 1)
  let constant =
    freedom * f64.i64 d * (f64.log gamma - 0.5 * f64.log 2) - log_gamma d (0.5 * freedom)
  let frobenius = f64.sum (map (\rows -> f64.sum (map square (flatten rows))) factors)
  in f64.i64 k * constant + f64.i64 m * f64.sum log_determinants - 0.5 * square gamma * frobenius

entry objective [n][k][d][t] (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64)
                             (x: [n][d]f64) (gamma: f64) (m: i64): f64 =
  let factors = map2 factor q l
  let log_determinants = map f64.sum q
  in log_likelihood alpha mu factors log_determinants x
     + log_prior factors log_determinants gamma m

entry jacobian [n][k][d][t] (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64)
                            (x: [n][d]f64) (gamma: f64) (m: i64)
  : ([k]f64, [k][d]f64, [k][d]f64, [k][t]f64) =
  vjp (\(alpha, mu, q, l) -> objective alpha mu q l x gamma m) (alpha, mu, q, l) 1
