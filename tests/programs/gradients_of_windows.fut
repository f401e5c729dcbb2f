-- Gradients of windows of two dimensions beside forward mode: with channels, edges, windows that are
-- larger than the picture, and weights that are infinite.
-- ==
-- entry: correlation
-- input { 3i64 2i64 5i64 6i64 2i64 3i64 } output { true }
-- input { 1i64 1i64 3i64 3i64 3i64 3i64 } output { true }
-- input { 2i64 2i64 2i64 3i64 3i64 4i64 } output { true }
-- input { 0i64 2i64 4i64 4i64 2i64 2i64 } output { true }
-- input { 2i64 1i64 0i64 4i64 1i64 2i64 } output { true }
-- ==
-- entry: edges
-- input { 5i64 6i64 } output { true }
-- input { 1i64 4i64 } output { true }
-- input { 2i64 1i64 } output { true }
-- ==
-- entry: infinite
-- input { [[1f64, 2f64, 3f64], [4f64, 5f64, 6f64]] [f64.inf, 2f64] }
-- output { [[f64.inf, f64.inf, 2f64], [f64.inf, f64.inf, 2f64]] }
-- ==
-- entry: in_steps
-- input { 5i64 7i64 } output { true }
-- input { 8i64 2i64 } output { true }
-- input { 2i64 1i64 } output { true }
-- ==
-- entry: solid
-- input { 3i64 4i64 5i64 } output { true }
-- input { 2i64 2i64 2i64 } output { true }
-- input { 1i64 3i64 3i64 } output { true }
-- ==
-- entry: squares
-- input { 4i64 6i64 } output { true }
-- input { 2i64 2i64 } output { true }

def made (n: i64) (k: i64) : f64 = f64.i64 ((n * 37 + k * 11) % 19 - 9) / 8

def correlate [c] [o] [h] [w] [k] [l] (p: i64)
              (q: i64)
              (picture: [c][h][w]f64)
              (weights: [o][c][k][l]f64) : [o][p][q]f64 =
  let at filter y x =
    f64.sum (map2 (\(plane: [h][w]f64) (window: [k][l]f64) ->
                     f64.sum (tabulate k (\i ->
                                            f64.sum (tabulate l (\j -> plane[y + i, x + j] * window[i, j])))))
                  picture
                  filter)
  in map (\filter -> tabulate_2d p q (at filter)) weights

-- Whether the adjoint of a random direction is what forward mode says of it.
def agrees [a] [b] [c] [d] (f: [a][b][c]f64 -> [d]f64) (xs: [a][b][c]f64) : bool =
  let weights = tabulate d (made 5)
  let adjoint = vjp f xs weights
  let ways = tabulate_3d a b c (\i j k -> made (i + j) (k * 7 + j))
  let forward = f64.sum (map2 (*) weights (jvp f xs ways))
  let reverse = f64.sum (map2 (*) (flatten_3d adjoint) (flatten_3d ways))
  in f64.abs (forward - reverse) <= 1e-9 * f64.max 1 (f64.abs forward)

entry correlation (o: i64) (c: i64) (h: i64) (w: i64) (k: i64) (l: i64) : bool =
  let p = i64.max 0 (h - k + 1)
  let q = i64.max 0 (w - l + 1)
  let picture = tabulate_3d c h w (\i y x -> made (i + y) x)
  let weights = tabulate_3d o c k (\i j y -> tabulate l (\x -> made (i + j) (y * 3 + x)))
  in agrees (\picture -> flatten_3d (correlate p q picture weights)) picture

-- A point and its neighbours, of which there are fewer at edges.
entry edges (n: i64) (m: i64) : bool =
  let step (xs: [n][m]f64) =
    let at i j = if i >= 0 && i < n && j >= 0 && j < m then xs[i, j] else 0
    in tabulate_2d n m (\i j ->
                          xs[i, j] * xs[i, j] + at (i - 1) j * 2 - at (i + 1) j * xs[i, j]
                          + at i (j - 2)
                          + at (i - 1) (j + 1))
  in agrees (\xs -> flatten (step (step (head xs)))) [tabulate_2d n m made]

entry infinite [n] [m] (picture: [n][m]f64) (taps: [2]f64) : [n][m]f64 =
  let rows (picture: [n][m]f64) =
    map (\row -> tabulate (m - 1) (\x -> f64.sum (tabulate 2 (\i -> row[x + i] * taps[i])))) picture
  in vjp rows picture (map (const (replicate (m - 1) 1)) picture)

-- Windows two elements apart, which overlap by one.
entry in_steps (h: i64) (w: i64) : bool =
  let weights = tabulate_2d 3 2 made
  let layer (picture: [h][w]f64) =
    let at y x =
      f64.sum (tabulate 3 (\i ->
                             f64.sum (tabulate 2 (\j -> picture[2 * y + i, 2 * x + j] * weights[i, j]))))
    in flatten (tabulate_2d ((h - 1) / 2) (w / 2) at)
  in agrees (\xs -> layer (head xs)) [tabulate_2d h w made]

-- Three dimensions.
entry solid (d: i64) (h: i64) (w: i64) : bool =
  let weights = tabulate_3d 2 2 2 (\k i j -> made (k * 2 + i) j)
  let layer (body: [d][h][w]f64) =
    let at z y x =
      let tap k i j = body[z + k, y + i, x + j] * weights[k, i, j]
      in f64.sum (tabulate 2 (\k -> f64.sum (tabulate 2 (\i -> f64.sum (tabulate 2 (tap k i))))))
    in flatten_3d (tabulate_3d (d - 1) (h - 1) (w - 1) at)
  in agrees layer (tabulate_3d d h w (\z y x -> made (z * 5 + y) x))

-- What a window sums are products of its elements.
entry squares (h: i64) (w: i64) : bool =
  let layer (picture: [h][w]f64) =
    let at y x =
      f64.sum (tabulate 2 (\i ->
                             f64.sum (tabulate 2 (\j -> picture[y + i, x + j] * picture[y + 1 - i, x + j]))))
    in flatten (tabulate_2d (h - 1) (w - 1) at)
  in agrees (\xs -> layer (head xs)) [tabulate_2d h w made]
