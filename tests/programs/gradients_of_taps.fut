-- Gradients of the weights of windows with a known number of taps, beside forward mode: in one to three
-- dimensions, with steps of two, of sums of products; and sums at few points that are written so.
-- ==
-- entry: plane
-- input { 3i64 2i64 5i64 7i64 } output { true }
-- input { 1i64 1i64 3i64 3i64 } output { true }
-- input { 2i64 3i64 40i64 35i64 } output { true }
-- input { 5i64 6i64 9i64 41i64 } output { true }
-- input { 2i64 2i64 2i64 2i64 } output { true }
-- ==
-- entry: in_steps
-- input { 3i64 9i64 11i64 } output { true }
-- input { 1i64 70i64 3i64 } output { true }
-- ==
-- entry: solid
-- input { 2i64 4i64 5i64 6i64 } output { true }
-- input { 1i64 2i64 2i64 2i64 } output { true }
-- ==
-- entry: squares
-- input { 50i64 } output { true }
-- input { 3i64 } output { true }
-- ==
-- entry: correlations
-- input { 100i64 } output { true }
-- input { 4i64 } output { true }
-- input { 0i64 } output { true }

def made (n: i64) (k: i64) : f64 = f64.i64 ((n * 37 + k * 11) % 19 - 9) / 8

-- Whether the adjoint of a direction is what forward mode says of it.
def agrees [a] [d] (f: [a]f64 -> [d]f64) (xs: [a]f64) : bool =
  let weights = tabulate d (made 5)
  let ways = tabulate a (made 3)
  let forward = f64.sum (map2 (*) weights (jvp f xs ways))
  let reverse = f64.sum (map2 (*) (vjp f xs weights) ways)
  in f64.abs (forward - reverse) <= 1e-9 * f64.max 1 (f64.abs forward)

entry plane (o: i64) (c: i64) (h: i64) (w: i64) : bool =
  let picture = tabulate_3d c h w (\i y x -> made (i + y) x)
  let at y x filter =
    f64.sum (map2 (\(plane: [h][w]f64) window ->
                     f64.sum (tabulate 3 (\i ->
                                            f64.sum (tabulate 3 (\j -> plane[y + i, x + j] * window[i, j])))))
                  picture
                  filter)
  let layer (weights: [o * c * 3 * 3]f64) =
    flatten_3d (map (\filter ->
                       tabulate_2d (i64.max 0 (h - 2)) (i64.max 0 (w - 2)) (\y x -> at y x filter))
                    (unflatten_4d weights))
  in agrees layer (tabulate (o * c * 3 * 3) (made 2))

entry in_steps (o: i64) (h: i64) (w: i64) : bool =
  let picture = tabulate_2d h w made
  let at y x (filter: [2][3]f64) =
    f64.sum (tabulate 2 (\i ->
                           f64.sum (tabulate 3 (\j -> picture[2 * y + i, 2 * x + j] * filter[i, j]))))
  let layer (weights: [o * 2 * 3]f64) =
    flatten_3d (map (\filter -> tabulate_2d (h / 2) ((w - 1) / 2) (\y x -> at y x filter))
                    (unflatten_3d weights))
  in agrees layer (tabulate (o * 2 * 3) (made 2))

entry solid (o: i64) (d: i64) (h: i64) (w: i64) : bool =
  let picture = tabulate_3d d h w (\z y x -> made (z + y) x)
  let at z y x (filter: [2][2][2]f64) =
    let tap k i j = picture[z + k, y + i, x + j] * filter[k, i, j]
    in f64.sum (tabulate 2 (\k -> f64.sum (tabulate 2 (\i -> f64.sum (tabulate 2 (tap k i))))))
  let layer (weights: [o * 2 * 2 * 2]f64) =
    flatten (map (\filter -> flatten_3d (tabulate_3d (d - 1) (h - 1) (w - 1) (\z y x -> at z y x filter)))
                 (unflatten_4d weights))
  in agrees layer (tabulate (o * 2 * 2 * 2) (made 2))

-- What is summed depends on the weights twice.
entry squares (n: i64) : bool =
  let xs = tabulate n (made 4)
  let loss (weights: [3]f64) =
    [ f64.sum (tabulate (n - 2) (\i ->
                                   let y = f64.sum (tabulate 3 (\k -> xs[i + k] * weights[k]))
                                   in y * y))
    ]
  in agrees loss [0.5, -1, 2]

-- Sums at few points, of two numbers each, in an order that matters.
entry correlations (n: i64) : bool =
  let xs = tabulate n (\i -> i32.i64 (i * 13 % 7 - 3))
  let ys = tabulate n (\i -> i32.i64 (i * 5 % 11 - 4))
  let compose (a: i32, b: i32) (c, d) = (a * c, b * c + d)
  let found =
    map (\t ->
           reduce compose (1, 0) (map2 (\x i -> (x, if i < t then 0 else ys[i - t])) xs (iota n)))
        (iota 4)
  let wanted =
    map (\t ->
           loop (a, b) = (1, 0)
           for i < n do
             compose (a, b) (xs[i], if i < t then 0 else ys[i - t]))
        (iota 4)
  in and (map2 (==) found wanted)
