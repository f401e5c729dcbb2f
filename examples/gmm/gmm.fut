-- | The log-likelihood of a mixture of Gaussians with a Wishart prior on the precisions, in the
-- parametrisation of ADBench (Šrajer, Kukelova and Fitzgibbon 2018), and its gradient.
--
-- Each of the k components has a weight exp α (before normalisation), a mean, and the inverse
-- Cholesky factor Q of its covariance: a lower triangular matrix, given as its log-diagonal
-- followed by the entries below the diagonal, column by column.
-- ==
-- entry: log_likelihood
-- input { [0.1, -0.2] [[0.5, 0.6], [-0.3, 0.2]] [[0.1, -0.1, 0.3], [0.2, 0.05, -0.4]]
--         [[0.1, 0.2], [0.7, -0.3], [-0.5, 0.9]] 1.0 0i64 }
-- output { -13.97307680946215 }

-- The gradient agrees with central differences along a direction, and ⟨w, J v⟩ = ⟨Jᵀ w, v⟩.
-- ==
-- entry: gradient_is_right
-- input { [0.1, -0.2] [[0.5, 0.6], [-0.3, 0.2]] [[0.1, -0.1, 0.3], [0.2, 0.05, -0.4]]
--         [[0.1, 0.2], [0.7, -0.3], [-0.5, 0.9]] 1.0 0i64 }
-- output { true true }

-- | log Σ exp x, without overflow.
def log_sum_exp [n] (xs: [n]f64) : f64 =
  let top = f64.maximum xs
  in top + f64.log (f64.sum (map (\x -> f64.exp (x - top)) xs))

-- | The lower triangular matrix that a row of `icf` describes.
def triangle [m] (d: i64) (icf: [m]f64) : [d][d]f64 =
  tabulate_2d d d (\row column ->
                     if row == column
                     then f64.exp icf[row]
                     else if row < column
                     then 0
                     else icf[d + column * (2 * d - column - 1) / 2 + row - column - 1])

def square (x: f64) : f64 = x * x

-- | log Γₚ(a), the multivariate gamma function.
def log_gamma_p (p: i64) (a: f64) : f64 =
  0.25 * f64.i64 (p * (p - 1)) * f64.log f64.pi
  + f64.sum (map (\j -> f64.lgamma (a - 0.5 * f64.i64 j)) (iota p))

-- | The log density of the Wishart prior with scale 1/γ² and `extra` degrees of freedom above the
-- dimension, at one component.
def log_prior [m] (d: i64) (gamma: f64) (extra: i64) (icf: [m]f64) : f64 =
  let freedom = f64.i64 (d + extra + 1)
  let constant =
    freedom * f64.i64 d * (f64.log gamma - 0.5 * f64.log 2) - log_gamma_p d (0.5 * freedom)
  let frobenius =
    f64.sum (map (\q -> square (f64.exp q)) (take d icf)) + f64.sum (map square (drop d icf))
  in constant + f64.i64 extra * f64.sum (take d icf) - 0.5 * square gamma * frobenius

-- | The log-likelihood of n points in d dimensions under k components, plus the log prior.
-- `icf` has d + d(d-1)/2 columns.
entry log_likelihood [n] [d] [k] [m] (alphas: [k]f64)
                     (means: [k][d]f64)
                     (icf: [k][m]f64)
                     (points: [n][d]f64)
                     (gamma: f64)
                     (extra: i64) : f64 =
  let factors = map (triangle d) icf
  let log_determinants = map (\row -> f64.sum (take d row)) icf
  let component_term point alpha mean factor log_determinant =
    let centred = map2 (-) point mean
    let distance = f64.sum (map (\row -> square (f64.sum (map2 (*) row centred))) factor)
    in alpha + log_determinant - 0.5 * distance
  let point_terms =
    map (\point ->
           log_sum_exp (map4 (component_term point) alphas means factors log_determinants))
        points
  in f64.sum point_terms
     - f64.i64 n * (log_sum_exp alphas + 0.5 * f64.i64 d * f64.log (2 * f64.pi))
     + f64.sum (map (log_prior d gamma extra) icf)

-- | The gradient of `log_likelihood` in the weights, the means and the factors.
entry gradient [n] [d] [k] [m] (alphas: [k]f64)
               (means: [k][d]f64)
               (icf: [k][m]f64)
               (points: [n][d]f64)
               (gamma: f64)
               (extra: i64) : ([k]f64, [k][d]f64, [k][m]f64) =
  vjp (\(a, u, q) -> log_likelihood a u q points gamma extra) (alphas, means, icf) 1

-- | The parameters after a step, and the log-likelihood before it.
type parameters [k] [d] [m] =
  {weights: [k]f64, means: [k][d]f64, factors: [k][m]f64, value: f64}

-- | One step of gradient ascent.
entry ascend [n] [d] [k] [m] (alphas: [k]f64)
             (means: [k][d]f64)
             (icf: [k][m]f64)
             (points: [n][d]f64)
             (gamma: f64)
             (extra: i64)
             (rate: f64) : parameters [k] [d] [m] =
  let (value, (a, u, q)) =
    vjp2 (\(a, u, q) -> log_likelihood a u q points gamma extra) (alphas, means, icf) 1
  in { weights = alphas .+ rate .* a
     , means = means .+ rate .* u
     , factors = icf .+ rate .* q
     , value
     }

-- | Whether the gradient along a direction is the central difference (relative error at most
-- 1e-6), and whether forward and reverse mode agree (1e-10).
entry gradient_is_right [n] [d] [k] [m] (alphas: [k]f64)
                        (means: [k][d]f64)
                        (icf: [k][m]f64)
                        (points: [n][d]f64)
                        (gamma: f64)
                        (extra: i64) : (bool, bool) =
  let run (a, u, q) = log_likelihood a u q points gamma extra
  let wave (phase: f64) (i: i64) = f64.sin (phase + 0.9 * f64.i64 i)
  let va = tabulate k (wave 0.3)
  let vu = tabulate_2d k d (\i j -> wave 0.1 (i * d + j))
  let vq = tabulate_2d k m (\i j -> wave 0.2 (i * m + j))
  let (ga, gu, gq) = gradient alphas means icf points gamma extra
  let dot [l] (x: [l]f64) (y: [l]f64) = f64.sum (map2 (*) x y)
  let by_reverse = dot ga va + dot (flatten gu) (flatten vu) + dot (flatten gq) (flatten vq)
  let by_forward = jvp run (alphas, means, icf) (va, vu, vq)
  let h = 1e-6
  let step s = run (alphas .+ s .* va, means .+ s .* vu, icf .+ s .* vq)
  let by_difference = (step h - step (-h)) / (2 * h)
  let close tolerance a b = f64.abs (a - b) <= tolerance * f64.max 1 (f64.abs b)
  in (close 1e-6 by_reverse by_difference, close 1e-10 by_reverse by_forward)
