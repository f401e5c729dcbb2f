-- Gradients of convolutions over several channels: with respect to what is convolved, whose windows
-- end at edges, and to weights, which are sums over images.
def channels [c] [n] [m] [o] [w] [h] (xs: [c][n][m]f64) (ws: [o][c][w][h]f64) : [o][][]f64 =
  map (\filter ->
         tabulate_2d (n - w + 1) (m - h + 1) (\i j ->
                                                let window (x: [n][m]f64) (f: [w][h]f64) =
                                                  f64.sum (tabulate w (\k ->
                                                                         f64.sum (tabulate h (\l ->
                                                                                                f[k, l]
                                                                                                * x[i + k, j + l]))))
                                                in f64.sum (map2 window xs filter)))
      ws

def numbers (a: i64) (b: i64) (c: i64) (seed: i64) : [a][b][c]f64 =
  tabulate_3d a b c (\i j k -> f64.i64 ((i * 7 + j * 5 + k * 3 + seed) % 11) - 5)

def equal [a] [b] [c] (xs: [a][b][c]f64) (ys: [a][b][c]f64) : bool =
  and (flatten_3d (map2 (map2 (map2 (==))) xs ys))

-- What the definition of the gradient says: whole numbers, so that any order of sums is exact.
def by_definition [c] [n] [m] [o] [w] [h] [p] [q]
                  (xs: [c][n][m]f64)
                  (ws: [o][c][w][h]f64)
                  (seed: [o][p][q]f64) : ([c][n][m]f64, [o][c][w][h]f64) =
  ( tabulate_3d c n m (\a i j ->
                         loop sum = 0
                         for b < o do
                           loop sum = sum
                           for k < w do
                             loop sum = sum
                             for l < h do
                               let (y, x) = (i - k, j - l)
                               in if y >= 0 && y < p && x >= 0 && x < q
                                  then sum + ws[b, a, k, l] * seed[b, y, x]
                                  else sum)
  , tabulate o (\b ->
                  tabulate_3d c w h (\a k l ->
                                       loop sum = 0
                                       for y < p do
                                         loop sum = sum
                                         for x < q do
                                           sum + seed[b, y, x] * xs[a, y + k, x + l]))
  )

entry agree (c: i64) (o: i64) (n: i64) (m: i64) (w: i64) (h: i64) : bool =
  let xs = numbers c n m 1
  let ws = unflatten (numbers (o * c) w h 2)
  let seed = numbers o (n - w + 1) (m - h + 1) 3
  let (dxs, dws) = vjp (\(xs, ws) -> channels xs ws) (xs, ws) seed
  let (exs, ews) = by_definition xs ws seed
  in equal dxs exs && equal (flatten dws) (flatten ews)

-- A weight that is infinite says nothing about what it does not meet.
entry beside_infinity (n: i64) : [n]f64 =
  let xs = [tabulate_2d n n (\i j -> f64.i64 (i + j))]
  let ws = [[[[f64.inf, 1], [1, 1]]]]
  let seed = map (map (map (\_ -> 1))) (channels xs ws)
  in (vjp (\xs -> channels xs ws) xs seed)[0][n - 1]

-- ==
-- entry: agree
-- input { 1i64 1i64 9i64 8i64 3i64 3i64 } output { true }
-- input { 3i64 2i64 40i64 37i64 3i64 3i64 } output { true }
-- input { 8i64 12i64 20i64 33i64 3i64 2i64 } output { true }
-- input { 33i64 34i64 12i64 11i64 3i64 3i64 } output { true }
-- input { 2i64 5i64 7i64 7i64 7i64 7i64 } output { true }
-- input { 0i64 5i64 7i64 7i64 3i64 3i64 } output { true }
-- input { 5i64 0i64 7i64 7i64 3i64 3i64 } output { true }

-- ==
-- entry: beside_infinity
-- input { 5i64 } output { [1.0, 2.0, 2.0, 2.0, 1.0] }
