-- | ADBench's GMM: the Gaussian mixture of GradBench, on made-up data.
-- Published sizes (n, d, k): (1000, 64, 200) (1000, 128, 200) (10000, 32, 200) (10000, 64, 25)
-- (10000, 128, 25) (10000, 128, 200).
-- memory: gradient n=1000 d=32 k=25: gradient <= 2.1 * primal
-- ==
-- entry: check
-- input { 20i64 4i64 3i64 } output { true }

import "../gradbench/gmm"
import "data"

entry generate (n: i64) (d: i64) (k: i64)
  : ([k]f64, [k][d]f64, [k][d]f64, [k][]f64, [n][d]f64) =
  ( noise_1d 1 k, noise_2d 2 k d, noise_2d 3 k d, noise_2d 4 k (d * (d - 1) / 2)
  , noise_2d 5 n d)

entry primal [n][k][d][t] (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64)
                          (x: [n][d]f64): f64 =
  objective alpha mu q l x 1 0

entry gradient [n][k][d][t] (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64)
                            (x: [n][d]f64): ([k]f64, [k][d]f64, [k][d]f64, [k][t]f64) =
  jacobian alpha mu q l x 1 0

-- | Along one direction through all parameters: by the gradient, and by differences.
entry slopes [n][k][d][t] (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64)
                          (x: [n][d]f64): (f64, f64) =
  let size = k + k * d + k * d + k * t
  let joined alpha mu q l = alpha ++ flatten mu ++ flatten q ++ flatten l :> [size]f64
  let value (all: [size]f64) =
    let part from count = take count (drop from all)
    in primal (part 0 k) (unflatten (part k (k * d))) (unflatten (part (k + k * d) (k * d)))
              (unflatten (part (k + 2 * (k * d)) (k * t))) x
  let (alpha', mu', q', l') = gradient alpha mu q l x
  in both_slopes value (joined alpha mu q l) (joined alpha' mu' q' l')

entry check (n: i64) (d: i64) (k: i64): bool =
  let (alpha, mu, q, l, x) = generate n d k
  let (alpha', mu', q', l') = gradient alpha mu q l x
  in is_gradient (\alpha -> primal alpha mu q l x) alpha alpha'
     && is_gradient (\mu -> primal alpha (unflatten mu) q l x) (flatten mu) (flatten mu')
     && is_gradient (\q -> primal alpha mu (unflatten q) l x) (flatten q) (flatten q')
     && is_gradient (\l -> primal alpha mu q (unflatten l) x) (flatten l) (flatten l')
