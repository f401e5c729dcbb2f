-- The programs of examples/ that many processes are good for, as they are.
--
-- A step of gradient ascent for a mixture of two Gaussians: one message, of the gradient and the value.
-- counts: ascend: [2]f64 [2][2]f64 [2][3]f64 [500][2]f64: agree 1 8, reduce 1 120
-- The network of examples/digits: 2410 weights and the loss in each of two steps; labels may be wrong.
-- counts: train: [60][64]f32 [60]u8: agree 3 24, reduce 2 19288
-- Ten steps of k-means: k·(d+1) numbers in each.
-- counts: clusters: 10i64 [500][3]f64 [5][3]f64: agree 1 8, reduce 10 1600
-- ==
-- entry: ascend
-- random input { [2]f64 [2][2]f64 [2][3]f64 [100][2]f64 } auto output

-- ==
-- entry: train
-- random input { [60][64]f32 [60]u8 } auto output
-- random input { [5][64]f32 [5]u8 } auto output

-- ==
-- entry: clusters
-- random input { 10i64 [500][3]f64 [5][3]f64 } auto output

module gmm = import "../../examples/gmm/gmm"
module digits = import "../../examples/digits/digits"
module k_means = import "../../examples/ranks/k_means"

entry ascend [n] [d] [k] [m] (alphas: [k]f64)
             (means: [k][d]f64)
             (icf: [k][m]f64)
             (points: [n][d]f64) : ([k]f64, [k][d]f64, [k][m]f64, f64) =
  let next = gmm.ascend alphas means icf points 1 0 0.001
  in (next.weights, next.means, next.factors, next.value)

entry train [n] (images: [n][64]f32) (labels: [n]u8) : ([32][64]f32, [10][32]f32, f32) =
  let labels = map (\x -> i32.u8 (x % 10)) labels
  let (s, value) = digits.train 2 0.1 0.9 images labels (digits.initial 1)
  in (s.weights.w1, s.weights.w2, value)

entry clusters [n] [k] [d] (steps: i64) (xs: [n][d]f64) (centres: [k][d]f64) : [k][d]f64 =
  k_means.clusters steps xs centres
