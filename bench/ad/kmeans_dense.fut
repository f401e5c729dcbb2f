-- | Ten steps of Newton's method for the centres of k clusters: the gradient of the cost over the
-- diagonal of its Hessian, which is the derivative of the gradient along a vector of ones.  In f32.
-- Published sizes (k, n, d): (5, 494019, 35) (1024, 10000, 256) (1024, 2000000, 10).
-- memory: gradient k=5 n=10000 d=35: gradient <= 2.1 * primal
-- memory: newton over primal k=5 n=10000 d=35: gradient <= 2.1 * primal
-- ==
-- entry: check
-- input { 3i64 40i64 2i64 } output { true }

import "data"

module kmeans_over (R: real) = {
  def distance [d] (p: [d]R.t) (q: [d]R.t): R.t =
    R.sum (map2 (\a b -> R.((a - b) * (a - b))) p q)

  def cost [n][k][d] (points: [n][d]R.t) (centres: [k][d]R.t): R.t =
    R.sum (map (\p -> R.minimum (map (distance p) centres)) points)

  def step [n][k][d] (points: [n][d]R.t) (centres: [k][d]R.t): [k][d]R.t =
    let gradient c = vjp (cost points) c (R.i64 1)
    let (slope, curvature) =
      jvp2 gradient centres (replicate k (replicate d (R.i64 1)))
    let newton c s h = if R.(h == i64 0) then c else R.(c - s / h)
    in map3 (map3 newton) centres slope curvature
}

module single = kmeans_over f32
module double = kmeans_over f64

entry generate (k: i64) (n: i64) (d: i64): ([n][d]f32, [k][d]f32) =
  (map (map f32.f64) (noise_2d 1 n d), map (map f32.f64) (noise_2d 2 k d))

entry primal [n][k][d] (points: [n][d]f32) (centres: [k][d]f32): f32 =
  single.cost points centres

entry gradient [n][k][d] (points: [n][d]f32) (centres: [k][d]f32): [k][d]f32 =
  vjp (single.cost points) centres 1

-- | What the literature measures.
entry newton [n][k][d] (points: [n][d]f32) (centres: [k][d]f32): [k][d]f32 =
  iterate 10 (single.step points) centres

-- | The same step by hand: each centre moves to the mean of the points nearest to it.
def means [n][k][d] (points: [n][d]f64) (centres: [k][d]f64): [k][d]f64 =
  let nearest p =
    let closer (a, i) (b, j) = if a < b || (a == b && i < j) then (a, i) else (b, j)
    in (reduce closer (f64.inf, i64.highest) (zip (map (double.distance p) centres) (iota k))).1
  let owners = map nearest points
  let sums =
    reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) owners points
  let sizes = reduce_by_index (replicate k 0) (+) 0 owners (replicate n 1)
  in map3 (\centre sum size -> if size == 0 then centre else map (/ size) sum) centres sums sizes

-- | Along one direction: by the gradient, and by differences in f64.
entry slopes [n][k][d] (points: [n][d]f32) (centres: [k][d]f32): (f64, f64) =
  let wide [a][b] (xs: [a][b]f32) = map (map f64.f32) xs
  in both_slopes (\c -> double.cost (wide points) (unflatten c)) (flatten (wide centres))
            (flatten (wide (gradient points centres)))

entry check (k: i64) (n: i64) (d: i64): bool =
  let points = noise_2d 1 n d
  let centres = noise_2d 2 k d
  let close a b = f64.abs (a - b) < 1e-9
  in and (flatten (map2 (map2 close) (iterate 3 (double.step points) centres)
                        (iterate 3 (means points) centres)))
     && is_gradient (\c -> double.cost points (unflatten c)) (flatten centres)
                    (flatten (vjp (double.cost points) centres 1))
