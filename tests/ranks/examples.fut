-- The programs of examples/ that many processes are good for, as they are.
--
-- A step of gradient ascent for a mixture of two Gaussians: one message, of the gradient and the value.
-- counts: ascend: [2]f64 [2][2]f64 [2][3]f64 [500][2]f64: agree 1 8, reduce 1 120
-- counts on sim: ascend: [2]f64 [2][2]f64 [2][3]f64 [500][2]f64: agree 5 40, collect 1 8, reduce 2 112
-- The network of examples/digits: 2410 weights and the loss in each of two steps; labels may be wrong.
-- counts: train: [60][64]f32 [60]u8: agree 3 24, reduce 2 19288
-- counts on sim: train: [60][64]f32 [60]u8: agree 3 24, collect 2 8, gather 2 1200, reduce 8 19280
-- Ten steps of k-means: k·(d+1) numbers in each.
-- counts: clusters: 10i64 [500][3]f64 [5][3]f64: agree 1 8, reduce 10 1600
-- Ten steps of heat in a plate, and back: a row for each neighbour in a step, and two on the way back.
-- counts: heated: 10i64 [1000][5]f64: agree 1 8, windows 10 400 10
-- counts: misfit: 10i64 [1000][5]f64 [1000][5]f64: add_rows 10 400 10, agree 1 8, collect 1 8, windows 20 800 20
-- counts on sim: misfit: 10i64 [1000][5]f64 [1000][5]f64: agree 2 16
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

-- ==
-- entry: heated
-- random input { 10i64 [23][5]f64 } auto output

-- ==
-- entry: misfit
-- random input { 10i64 [23][5]f64 [23][5]f64 } auto output
-- random input { 10i64 [3][5]f64 [3][5]f64 } auto output

module gmm = import "../../examples/gmm/gmm"
module digits = import "../../examples/digits/digits"
module k_means = import "../../examples/ranks/k_means"
module heat = import "../../examples/ranks/heat"

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

entry heated [n] [m] (steps: i64) (u: [n][m]f64) : [n][m]f64 = heat.heated steps u

entry misfit [n] [m] (steps: i64) (u: [n][m]f64) (measured: [n][m]f64) : (f64, [n][m]f64) =
  heat.misfit steps u measured
