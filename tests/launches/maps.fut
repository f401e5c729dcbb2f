-- Maps are one kernel, whatever their rank; results stay on the device and the call waits once.
-- counts: saxpy f32=2 [1000000]f32 [1000000]f32: launches 1, waits 1
-- counts: plane [1000][1000]f32: launches 1, waits 1
-- counts: space [100][100][100]f32: launches 1, waits 1
-- counts: turned [1000][2000]f32: launches 1, waits 1
-- counts: outer_product [1000]f32 [1000]f32: launches 1, waits 1
-- counts: stencil [1000][1000]f64: launches 1, waits 1
entry saxpy [n] (a: f32) (xs: [n]f32) (ys: [n]f32) = map2 (\x y -> a * x + y) xs ys
entry plane (xs: [][]f32) = map (map (\x -> x * x + 1)) xs
entry space (xs: [][][]f32) = map (map (map f32.sqrt)) xs
entry turned [n][m] (xs: [n][m]f32): [m][n]f32 = copy (transpose xs)
entry outer_product (xs: []f32) (ys: []f32) = map (\x -> map (* x) ys) xs
entry stencil [n][m] (xs: [n][m]f64) =
  tabulate_2d n m (\i j ->
    let at k l = #[unsafe] xs[i64.max 0 (i64.min (n - 1) k), i64.max 0 (i64.min (m - 1) l)]
    in 0.25 * (at (i - 1) j + at (i + 1) j + at i (j - 1) + at i (j + 1)))
