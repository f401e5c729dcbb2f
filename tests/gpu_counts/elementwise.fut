-- Maps are one kernel, whatever their rank; results stay on the device and the call waits once.
-- spills: sm_90 kernels 0
-- counts: saxpy f32=2 [1000000]f32 [1000000]f32: launches 1, waits 1
-- counts: plane [1000][1000]f32: launches 1, waits 1
-- counts: space [100][100][100]f32: launches 1, waits 1
-- counts: turned [1000][2000]f32: launches 1, waits 1
-- counts: turned_each [10][1000][200]f32: launches 1, waits 1
-- counts: turned_bytes [1000][2000]u8: launches 1, waits 1
-- counts: outer_product [1000]f32 [1000]f32: launches 1, waits 1
-- counts: stencil [1000][1000]f64: launches 1, waits 1
-- counts: stencil_loop i64=100 [1000][1000]f64: launches 100, waits 1, graphs 3, parts
--   101
-- moves: saxpy f32=2 [100000]f32 [100000]f32: loads 800000, stores 400000, sectors 100
-- moves: plane [300][300]f32: loads 360000, stores 360000, sectors 100
-- moves: space [40][50][60]f32: loads 480000, stores 480000, sectors 100
-- moves: turned [300][400]f32: loads 480000, stores 480000, sectors 100
-- moves: turned_each [5][100][200]f32: loads 400000, stores 400000, sectors 100
-- moves: turned_bytes [300][400]u8: loads 120000, stores 120000, sectors 100 now 164
-- moves: outer_product [300]f32 [300]f32: loads 2400, stores 360000, sectors 100
-- moves: stencil [200][200]f64: loads 320000, stores 320000, l2 500000, sectors 100
-- moves: stencil_loop i64=4 [200][200]f64: loads 1280000 now 1600000, stores 1280000 now 1600000,
--   sectors 100
entry saxpy [n] (a: f32) (xs: [n]f32) (ys: [n]f32) = map2 (\x y -> a * x + y) xs ys
entry plane (xs: [][]f32) = map (map (\x -> x * x + 1)) xs
entry space (xs: [][][]f32) = map (map (map f32.sqrt)) xs
entry turned [n][m] (xs: [n][m]f32): [m][n]f32 = copy (transpose xs)
entry turned_each [s][n][m] (xs: [s][n][m]f32): [s][m][n]f32 = map (\x -> copy (transpose x)) xs
entry turned_bytes [n][m] (xs: [n][m]u8): [m][n]u8 = copy (transpose xs)
entry outer_product (xs: []f32) (ys: []f32) = map (\x -> map (* x) ys) xs
entry stencil [n][m] (xs: [n][m]f64) =
  tabulate_2d n m (\i j ->
    let at k l = #[unsafe] xs[i64.max 0 (i64.min (n - 1) k), i64.max 0 (i64.min (m - 1) l)]
    in 0.25 * (at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)))
entry stencil_loop [n][m] (steps: i64) (xs: [n][m]f64) =
  loop xs = copy xs for _i < steps do
    tabulate_2d n m (\i j ->
      let at k l = #[unsafe] xs[i64.max 0 (i64.min (n - 1) k), i64.max 0 (i64.min (m - 1) l)]
      in 0.25 * (at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)))
