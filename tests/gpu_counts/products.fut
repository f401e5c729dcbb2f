-- Contractions and what surrounds them.
-- spills: sm_90 kernels 244
-- counts: product [512][256]f32 [256][1024]f32: launches 1, waits 1
-- counts: product_f64 [512][256]f64 [256][1024]f64: launches 1, waits 1
-- counts: left_transposed [256][512]f32 [256][1024]f32: launches 1, waits 1
-- counts: right_transposed [512][256]f32 [1024][256]f32: launches 1, waits 1
-- counts: batch [64][128][128]f32 [64][128][128]f32: launches 1, waits 1
-- counts: min_plus [512][256]f32 [256][1024]f32: launches 1, waits 1
-- counts: matrix_vector [4096][1024]f32 [1024]f32: launches 1, waits 1
-- counts: vector_matrix [4096]f32 [4096][1024]f32: launches 1, waits 1
-- counts: product [16][100000]f32 [100000][16]f32: launches 1, waits 1
-- counts: affine [512][256]f32 [256][1024]f32 [1024]f32: launches 1, waits 1
-- counts: k_means_step [100000][2]f32 [10][2]f32: launches 2 now 4, waits 1
-- counts: n_body [1000]f32 [1000]f32: launches 1, waits 1
-- counts: convolution_1d [1000000]f32 [9]f32: launches 1, waits 1
-- counts: convolution_2d [1000][1000]f32 [3][3]f32: launches 1, waits 1
-- counts: channels [32][64][64]f32 [32][32][3][3]f32: launches 1, waits 1
-- counts: attention [1024][64]f32 [1024][64]f32 [1024][64]f32: launches 1, waits 1
-- counts: lu [256][256]f64: launches 255, waits 1, graphs 7, parts 256
-- moves: product [128][128]f32 [128][128]f32: loads 131072, stores 65536, l2 262144, sectors 100
-- moves: product_f64 [128][128]f64 [128][128]f64: loads 262144, stores 131072, l2 524288, sectors
--   100
-- moves: left_transposed [128][128]f32 [128][128]f32: loads 131072, stores 65536, l2 262144,
--   sectors 100
-- moves: right_transposed [128][128]f32 [128][128]f32: loads 131072, stores 65536, l2 262144,
--   sectors 100
-- moves: batch [4][128][128]f32 [4][128][128]f32: loads 524288, stores 262144, l2 1048576, sectors
--   100
-- moves: matrix_vector [512][256]f32 [256]f32: loads 525312, stores 2048, sectors 100
-- moves: vector_matrix [512]f32 [512][256]f32: loads 526336, stores 1024, sectors 100
-- moves: product [16][4096]f32 [4096][16]f32: loads 524288, stores 1024, l2 524288, sectors 100
-- moves: k_means_step [10000][2]f32 [10][2]f32: loads 80080 now 320320, stores 80 now 120280,
--   sectors 100
-- moves: n_body [512]f32 [512]f32: loads 4096, stores 2048 now 34856, l2 18432 now 71680, sectors
--   100
-- moves: convolution_1d [50000]f32 [9]f32: loads 200036, stores 199968, l2 200036, sectors 100
-- moves: convolution_2d [200][200]f32 [3][3]f32: loads 160036, stores 156816, l2 250000, sectors
--   100 now 126
-- moves: channels [8][32][32]f32 [8][8][3][3]f32: loads 35072, stores 28800, l2 112890 now 264192,
--   sectors 100
-- moves: attention [128][64]f32 [128][64]f32 [128][64]f32: loads 98304, stores 32768, l2 557056,
--   sectors 100
-- moves: lu [64][64]f64: loads 2064384, stores 2064384, sectors 100
-- moves: affine [128][128]f32 [128][128]f32 [128]f32: loads 131584, stores 65536, l2 263168,
--   sectors 100
-- moves: min_plus [128][128]f32 [128][128]f32: loads 131072, stores 65536, l2 262144, sectors 100
def dot (xs: []f32) (ys: []f32): f32 = f32.sum (map2 (*) xs ys)
def mul [n][m][k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 =
  map (\r -> map (\c -> dot r c) (transpose b)) a
entry product [n][m][k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 = mul a b
entry product_f64 [n][m][k] (a: [n][k]f64) (b: [k][m]f64): [n][m]f64 =
  map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
entry left_transposed [n][m][k] (a: [k][n]f32) (b: [k][m]f32): [n][m]f32 = mul (transpose a) b
entry right_transposed [n][m][k] (a: [n][k]f32) (b: [m][k]f32): [n][m]f32 = mul a (transpose b)
entry batch [s][n][m][k] (a: [s][n][k]f32) (b: [s][k][m]f32): [s][n][m]f32 = map2 mul a b
entry min_plus [n][m][k] (a: [n][k]f32) (b: [k][m]f32): [n][m]f32 =
  map (\r -> map (\c -> f32.minimum (map2 (+) r c)) (transpose b)) a
entry matrix_vector (a: [][]f32) (x: []f32) = map (\row -> dot row x) a
entry vector_matrix (x: []f32) (a: [][]f32) = map (\column -> dot x column) (transpose a)
entry affine [n][m][k] (a: [n][k]f32) (b: [k][m]f32) (c: [m]f32): [n][m]f32 =
  map (\r -> map2 (\column s -> f32.max 0 (dot r column + s)) (transpose b) c) a
entry k_means_step [n][d][k] (points: [n][d]f32) (centres: [k][d]f32) =
  let distance (p: [d]f32) (c: [d]f32) = f32.sum (map2 (\x y -> (x - y) ** 2) p c)
  let nearest p = (.1) (reduce (\(a, i) (b, j) -> if a <= b then (a, i) else (b, j)) (f32.inf, -1)
                               (zip (map (distance p) centres) (iota k)))
  let owners = map nearest points
  let sizes = reduce_by_index (replicate k 0) (+) 0 owners (replicate n 1f32)
  let sums = reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) owners points
  in map2 (\s size -> map (/ f32.max 1 size) s) sums sizes
entry n_body [n] (x: [n]f32) (mass: [n]f32) =
  map (\here -> f32.sum (map2 (\there m -> m * (there - here)
                                           / (0.01 + f32.abs (there - here)) ** 3) x mass)) x
entry convolution_1d [n][w] (xs: [n]f32) (ws: [w]f32): []f32 =
  tabulate (n - w + 1) (\i -> f32.sum (tabulate w (\j -> #[unsafe] ws[j] * xs[i + j])))
entry convolution_2d [n][m][w][h] (xs: [n][m]f32) (ws: [w][h]f32): [][]f32 =
  tabulate_2d (n - w + 1) (m - h + 1) (\i j ->
    f32.sum (tabulate w (\k -> f32.sum (tabulate h (\l -> #[unsafe] ws[k, l] * xs[i + k, j + l])))))
entry channels [c][n][m][o][w][h] (xs: [c][n][m]f32) (ws: [o][c][w][h]f32): [o][][]f32 =
  map (\filter -> tabulate_2d (n - w + 1) (m - h + 1) (\i j ->
    let window (x: [n][m]f32) (f: [w][h]f32) =
      f32.sum (tabulate w (\k -> f32.sum (tabulate h (\l ->
        #[unsafe] f[k, l] * x[i + k, j + l]))))
    in f32.sum (map2 window xs filter))) ws
def softmax [m] (row: [m]f32) =
  let most = f32.maximum row
  let grown = map (\x -> f32.exp (x - most)) row
  let total = f32.sum grown
  in map (/ total) grown
entry attention [n][d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32): [n][d]f32 =
  mul (map softmax (map (map (/ f32.sqrt (f32.i64 d))) (mul q (transpose k)))) v
entry lu [n] (a: [n][n]f64): [n][n]f64 =
  loop a = copy a for k < n - 1 do
    tabulate_2d n n (\i j -> #[unsafe]
      if i <= k then a[i, j]
      else let f = a[i, k] / a[k, k]
           in if j < k then a[i, j] else if j == k then f else a[i, j] - f * a[k, j])
