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

-- A layer of a network: several images, what is added, and zero for what is negative.
def layer [b] [c] [n] [m] [o] [w] [h]
          (images: [b][c][n][m]f64)
          (ws: [o][c][w][h]f64)
          (offsets: [o]f64) : [b][o][][]f64 =
  map (\image ->
         map2 (\filter offset ->
                 tabulate_2d (n - w + 1) (m - h + 1) (\i j ->
                                                        let sum =
                                                          f64.sum (tabulate c (\a ->
                                                                                 f64.sum (tabulate w (\k ->
                                                                                                        f64.sum (tabulate h (\l -> filter[a, k, l] * image[a, i + k, j + l]))))))
                                                        in f64.max 0 (offset + sum)))
              ws
              offsets)
      images

entry layers_agree (b: i64) (c: i64) (o: i64) (n: i64) (m: i64) (w: i64) (h: i64) : bool =
  let images = unflatten (numbers (b * c) n m 1)
  let ws = unflatten (numbers (o * c) w h 2)
  let offsets = flatten_3d (numbers o 1 1 3) :> [o]f64
  let seeds = map (\i -> numbers o (n - w + 1) (m - h + 1) (i + 3)) (iota b)
  let (dimages, dws, doffsets) =
    vjp (\(images, ws, offsets) -> layer images ws offsets) (images, ws, offsets) seeds
  let active = map2 (map2 (map2 (map2 (\y s -> if y > 0 then s else 0)))) (layer images ws offsets) seeds
  let (eimages, ews) = unzip (map2 (\image seed -> by_definition image ws seed) images active)
  let ews = tabulate o (\b' -> tabulate_3d c w h (\a k l -> f64.sum (map (\e -> e[b', a, k, l]) ews)))
  let eoffsets = tabulate o (\b' -> f64.sum (map (\image -> f64.sum (flatten image[b'])) active))
  in equal (flatten dimages) (flatten eimages)
     && equal (flatten dws) (flatten ews)
     && and (map2 (==) doffsets eoffsets)

-- What becomes of a sum is not kept for anything else.
entry squares_agree (n: i64) : bool =
  let ks = [3.0, -1.0, 2.0, 5.0, -4.0]
  let xs = flatten_3d (numbers 1 1 n 1) :> [n]f64
  let sums xs = tabulate (i64.max 0 (n - 4)) (\i -> f64.sum (tabulate 5 (\k -> ks[k] * xs[i + k])))
  let dxs = vjp (\xs -> f64.sum (map (\s -> s * s) (sums xs))) xs 1
  let y = sums xs
  let exs =
    tabulate n (\j ->
                  f64.sum (tabulate 5 (\k -> if j >= k && j - k < n - 4 then 2 * y[j - k] * ks[k] else 0)))
  in and (map2 (==) dxs exs)

-- Windows that leave out points: two or three apart.
def apart [c] [n] [m] [o] [w] [h] (step: i64) (p: i64) (q: i64) (xs: [c][n][m]f64) (ws: [o][c][w][h]f64) : [o][p][q]f64 =
  map (\filter ->
         tabulate_2d p q (\i j ->
                            f64.sum (map2 (\x f -> f64.sum (tabulate w (\k -> f64.sum (tabulate h (\l -> f[k, l] * x[step * i + k, step * j + l])))))
                                          xs
                                          filter)))
      ws

def apart_by_definition [c] [n] [m] [o] [w] [h] [p] [q]
                        (step: i64)
                        (xs: [c][n][m]f64)
                        (ws: [o][c][w][h]f64)
                        (seed: [o][p][q]f64) : ([c][n][m]f64, [o][c][w][h]f64) =
  let dxs =
    loop dxs = replicate c (replicate n (replicate m 0))
    for b < o do
      loop dxs for a < c do
        loop dxs for i < p do
          loop dxs for j < q do
            loop dxs for k < w do
              loop dxs for l < h do
                let (y, x) = (step * i + k, step * j + l)
                in dxs with [a, y, x] = dxs[a, y, x] + ws[b, a, k, l] * seed[b, i, j]
  let dws =
    tabulate o (\b ->
                  tabulate_3d c w h (\a k l ->
                                       loop sum = 0
                                       for i < p do
                                         loop sum for j < q do sum + seed[b, i, j] * xs[a, step * i + k, step * j + l]))
  in (dxs, dws)

def apart_agree (step: i64) (c: i64) (o: i64) (p: i64) (q: i64) : bool =
  let xs = numbers c (step * p + 3) (step * q + 3) 1
  let ws = unflatten (numbers (o * c) 3 3 2)
  let seed = numbers o p q 3
  let (dxs, dws) =
    match step
    case 2 -> vjp (\(xs, ws) -> apart 2 p q xs ws) (xs, ws) seed
    case _ -> vjp (\(xs, ws) -> apart 3 p q xs ws) (xs, ws) seed
  let (exs, ews) = apart_by_definition step xs ws seed
  in equal dxs exs && equal (flatten dws) (flatten ews)

entry two_apart (c: i64) (o: i64) (p: i64) (q: i64) : bool = apart_agree 2 c o p q
entry three_apart (c: i64) (o: i64) (p: i64) (q: i64) : bool = apart_agree 3 c o p q

-- A weight that is infinite says nothing about what it does not meet.
entry beside_infinity (n: i64) : [n]f64 =
  let xs = [tabulate_2d n n (\i j -> f64.i64 (i + j))]
  let ws = [[[[f64.inf, 1], [1, 1]]]]
  let seed = map (map (map (\_ -> 1))) (channels xs ws)
  in (vjp (\xs -> channels xs ws) xs seed)[0][n - 1]

-- Taps that lie apart, by a number that is known when the program runs, forwards or backwards.
def dilated [c] [t] [o] [k] (n: i64) (d: i64) (x: [c][t]f64) (ws: [o][c][k]f64) : [o][n]f64 =
  let first = (k - 1) * i64.max 0 (-d)
  in map (\f ->
            tabulate n (\i ->
                          f64.sum (map2 (\x w ->
                                           f64.sum (tabulate k (\j ->
                                                                  #[unsafe]
                                                                  w[j]
                                                                  * x[i + first + j * d])))
                                        x
                                        f)))
         ws

entry dilated_agree (c: i64) (o: i64) (t: i64) (k: i64) (d: i64) : bool =
  let n = t - (k - 1) * i64.abs d
  let first = (k - 1) * i64.max 0 (-d)
  let x = (numbers 1 c t 1)[0]
  let ws = numbers o c k 2
  let seed = (numbers 1 o n 3)[0]
  let (dx, dws) = vjp (\(x, ws) -> dilated n d x ws) (x, ws) seed
  let ex =
    tabulate_2d c t (\a i ->
                       loop sum = 0
                       for b < o do
                         loop sum = sum
                         for j < k do
                           let y = i - first - j * d
                           in if y >= 0 && y < n then sum + ws[b, a, j] * seed[b, y] else sum)
  let ews =
    tabulate_3d o c k (\b a j ->
                         loop sum = 0
                         for y < n do
                           sum + seed[b, y] * x[a, y + first + j * d])
  in equal [dx] [ex] && equal dws ews

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
-- entry: layers_agree
-- input { 2i64 3i64 4i64 9i64 8i64 3i64 3i64 } output { true }
-- input { 5i64 8i64 9i64 20i64 37i64 3i64 2i64 } output { true }
-- input { 3i64 1i64 1i64 6i64 40i64 1i64 5i64 } output { true }
-- input { 0i64 2i64 3i64 6i64 5i64 3i64 3i64 } output { true }

-- ==
-- entry: squares_agree
-- input { 3i64 } output { true }
-- input { 9i64 } output { true }
-- input { 1000i64 } output { true }

-- ==
-- entry: two_apart three_apart
-- input { 1i64 1i64 1i64 1i64 } output { true }
-- input { 3i64 2i64 7i64 20i64 } output { true }
-- input { 8i64 12i64 9i64 33i64 } output { true }
-- input { 2i64 3i64 0i64 4i64 } output { true }

-- ==
-- entry: beside_infinity
-- input { 5i64 } output { [1.0, 2.0, 2.0, 2.0, 1.0] }

-- ==
-- entry: dilated_agree
-- input { 3i64 4i64 40i64 3i64 1i64 } output { true }
-- input { 2i64 3i64 50i64 4i64 5i64 } output { true }
-- input { 2i64 3i64 50i64 4i64 -5i64 } output { true }
-- input { 17i64 20i64 100i64 2i64 32i64 } output { true }
-- input { 2i64 2i64 9i64 3i64 0i64 } output { true }
