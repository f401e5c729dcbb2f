-- Contractions and what surrounds them.
-- counts: product [512][256]f32 [256][1024]f32: launches 1, waits 1
-- counts: matrix_vector [4096][1024]f32 [1024]f32: launches 1, waits 1
-- counts: k_means_step [100000][2]f32 [10][2]f32: launches 4, waits 1
-- counts: n_body [1000]f32 [1000]f32: launches 1, waits 1
entry product [n][m][k] (a: [n][m]f32) (b: [m][k]f32) =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a
entry matrix_vector (a: [][]f32) (x: []f32) = map (\row -> f32.sum (map2 (*) row x)) a
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
