-- Gradients, in reverse mode.
-- counts: product_gradient [512][256]f32 [256][1024]f32 [512][1024]f32: launches 2, waits 1
-- counts: convolution_gradient [1000][1000]f32 [3][3]f32: launches 1 now 2, waits 1
-- counts: softmax_gradient [4096][1024]f32 [4096][1024]f32: launches 1, waits 1
-- counts: attention_gradient [1024][64]f32 [1024][64]f32 [1024][64]f32 [1024][64]f32: launches 4,
--   waits 1
-- counts: heads_gradient [8][512][64]f32 [8][512][64]f32 [8][512][64]f32 [8][512][64]f32: launches
--   3, waits 1
-- counts: hmlstm_gradient [1024]f32 [1024]f32 [1024][1024]f32 [1024][1024]f32 [1024][1024]f32
--   [1024][1024]f32: launches 1, waits 1
-- counts: lstm_gradient [4][192][300]f32 [4][192][192]f32 [4][192]f32 [20][1024][300]f32: launches
--   100 now 120, waits 1, copies 0 now 16, clears 0 now 59, graphs 4
-- counts: gmm_gradient [200]f64 [200][64]f64 [200][64]f64 [200][2016]f64 [1000][64]f64: launches 20,
--   waits 1
-- counts: n_body_gradient [1000]f32 [1000]f32: launches 1, waits 1
-- counts: k_means_gradient [10000][32]f32 [100][32]f32: launches 1 now 2, waits 1
-- counts: filter_gradient [1000][1000]f32 [3][3]f32 [998][998]f32: launches 1, waits 1
-- counts: channels_gradient [32][64][64]f32 [64][32][3][3]f32 [64][62][62]f32: launches 2,
--   waits 1
-- moves: product_gradient [128][128]f32 [128][128]f32 [128][128]f32: loads 196608 now 262144,
--   stores 131072, l2 524288, sectors 100
-- moves: convolution_gradient [200][200]f32 [3][3]f32: loads 160036, stores 160036, l2 160036 now
--   1432000, sectors 100
-- moves: filter_gradient [200][200]f32 [3][3]f32 [198][198]f32: loads 156852, stores 160000, l2
--   250000, sectors 100
-- moves: channels_gradient [16][32][32]f32 [32][16][3][3]f32 [32][30][30]f32: loads 199168 now
--   314368, stores 83968, l2 314368 now 2105344, sectors 100 now 229
-- moves: softmax_gradient [40][1000]f32 [40][1000]f32: loads 320000, stores 160000, sectors 100
-- moves: attention_gradient [64][32]f32 [64][32]f32 [64][32]f32 [64][32]f32: loads 32768 now
--   106496, stores 24576 now 81920, sectors 100
-- moves: heads_gradient [4][64][32]f32 [4][64][32]f32 [4][64][32]f32 [4][64][32]f32: loads 131072
--   now 327680, stores 98304 now 229376, sectors 100
-- moves: hmlstm_gradient [200]f32 [200]f32 [200][200]f32 [200][200]f32 [200][200]f32 [200][200]f32:
--   loads 641600, stores 640000, sectors 100
-- moves: lstm_gradient [4][16][8]f32 [4][16][16]f32 [4][16]f32 [2][16][8]f32: loads 7424 now 95488,
--   stores 6400 now 66816, sectors 100 now 227
-- moves: gmm_gradient [10]f64 [10][16]f64 [10][16]f64 [10][120]f64 [64][16]f64: loads 20432 now
--   593280, stores 12240 now 442256, sectors 100 now 382
-- moves: n_body_gradient [512]f32 [512]f32: loads 4096, stores 2048 now 67624, l2 18432 now 135168,
--   sectors 100
-- moves: k_means_gradient [1000][32]f32 [10][32]f32: loads 129280 now 265536, stores 1280 now
--   13408, sectors 100
module of_products = import "products"
module of_rows = import "rows"
module hmlstm = import "../../bench/ad/hmlstm"
module lstm = import "../../bench/ad/lstm"
module gmm = import "../../bench/ad/gmm"

entry product_gradient [n][m][k] (a: [n][k]f32) (b: [k][m]f32) (seed: [n][m]f32) =
  vjp (\(a, b) -> of_products.product a b) (a, b) seed
entry convolution_gradient [n][m][w][h] (xs: [n][m]f32) (ws: [w][h]f32) =
  vjp (\(xs, ws) -> f32.sum (map f32.sum (of_products.convolution_2d xs ws))) (xs, ws) 1
entry filter_gradient [n][m][w][h] (xs: [n][m]f32) (ws: [w][h]f32) (seed: [][]f32) =
  vjp (\xs -> of_products.convolution_2d xs ws) xs seed
entry channels_gradient [c][n][m][o][w][h] (xs: [c][n][m]f32) (ws: [o][c][w][h]f32)
                                           (seed: [o][][]f32) =
  vjp (\(xs, ws) -> of_products.channels xs ws) (xs, ws) seed
entry softmax_gradient [n][m] (a: [n][m]f32) (seed: [n][m]f32) = vjp of_rows.softmax a seed
entry attention_gradient [n][d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32) (seed: [n][d]f32) =
  vjp (\(q, k, v) -> of_products.attention q k v) (q, k, v) seed
entry heads_gradient [h][n][d] (q: [h][n][d]f32) (k: [h][n][d]f32) (v: [h][n][d]f32)
                               (seed: [h][n][d]f32) =
  vjp (\(q, k, v) -> map3 of_products.attention q k v) (q, k, v) seed
entry hmlstm_gradient [n][m] (z: [m]f32) (zb: [m]f32) (c: [n][m]f32) (f: [n][m]f32) (i: [n][m]f32)
                             (g: [n][m]f32) = hmlstm.gradient z zb c f i g
entry lstm_gradient [bs][n][d][h] (wi: [4][h][d]f32) (wh: [4][h][h]f32) (b: [4][h]f32)
                                  (x: [n][bs][d]f32) = lstm.gradient wi wh b x
entry gmm_gradient [n][k][d][t] (alpha: [k]f64) (mu: [k][d]f64) (q: [k][d]f64) (l: [k][t]f64)
                                (x: [n][d]f64) = gmm.gradient alpha mu q l x
entry n_body_gradient [n] (x: [n]f32) (mass: [n]f32) =
  vjp (\x -> f32.sum (of_products.n_body x mass)) x 1
entry k_means_gradient [n][d][k] (points: [n][d]f32) (centres: [k][d]f32) =
  let distance (p: [d]f32) (c: [d]f32) = f32.sum (map2 (\x y -> (x - y) ** 2) p c)
  let nearest centres = map (\p -> f32.minimum (map (distance p) centres)) points
  in vjp (\centres -> f32.sum (nearest centres)) centres 1
