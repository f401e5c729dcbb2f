-- Points of a tile that read the same elements: windows, tables, rows, from several sides.
-- ==
-- entry: windows
-- input { 1000i64 9i64 } output { 1619717.0f64 }
-- input { 300i64 16i64 } output { 924525.0f64 }
-- input { 300i64 40i64 } output { 1940373.0f64 }
-- input { 5i64 5i64 } output { 354.0f64 }
-- input { 20i64 0i64 } output { 0.0f64 }
-- ==
-- entry: planes
-- input { 70i64 50i64 3i64 2i64 } output { 3666713.0f64 }
-- input { 9i64 100i64 9i64 1i64 } output { 125060.0f64 }
-- input { 33i64 75i64 3i64 2i64 } output { 1380729.0f64 }
-- input { 40i64 132i64 2i64 3i64 } output { 2330640.0f64 }
-- ==
-- entry: edges
-- input { 40i64 70i64 } output { 21031360.0f64 }
-- input { 40i64 131i64 } output { 39332972.0f64 }
-- input { 1i64 1i64 } output { 0.0f64 }
-- input { 0i64 7i64 } output { 0.0f64 }
-- ==
-- entry: backwards
-- input { 500i64 7i64 } output { 82934.0f64 }
-- ==
-- entry: apart
-- input { 400i64 } output { 9606.0f64 }
-- ==
-- entry: nearest
-- input { 700i64 3i64 5i64 } output { 8258i64 }
-- input { 600i64 2i64 64i64 } output { 94726i64 }
-- ==
-- entry: conditional
-- input { 600i64 } output { 14336.0f64 }
-- ==
-- entry: bytes
-- input { 37i64 65i64 } output { 546824i64 }
-- ==
-- entry: checked
-- input { 400i64 400i64 } output { 28557.0f64 }
-- input { 400i64 399i64 } error: out of bounds
def numbers (n: i64) : [n]f64 = tabulate n (\i -> f64.i64 (i * i % 17))
def plane (n: i64) (m: i64) : [n][m]f64 = tabulate_2d n m (\i j -> f64.i64 (i * j % 13 + i))

def weighted [n] (xs: [n]f64) =
  f64.sum (tabulate n (\i -> #[unsafe] xs[n - 1 - i] * f64.i64 (i % 5 + 1)))

def weighted_numbers [n] (xs: [n]i64) =
  i64.sum (tabulate n (\i -> #[unsafe] xs[n - 1 - i] * (i % 7)))

entry windows (n: i64) (w: i64) =
  let xs = numbers n
  let ws = numbers w
  in weighted (tabulate (i64.max 0 (n - w + 1)) (\i ->
                                                   f64.sum (tabulate w (\j -> #[unsafe] ws[j] * xs[i + j]))))

entry planes (n: i64) (m: i64) (w: i64) (h: i64) =
  let xs = plane n m
  let ws = plane w h
  in weighted (flatten (tabulate_2d (n - w + 1) (m - h + 1) (\i j ->
                                                               f64.sum (tabulate w (\k ->
                                                                                      f64.sum (tabulate h (\l ->
                                                                                                             #[unsafe] ws[k, l] * xs[i + k, j + l])))))))

entry edges (n: i64) (m: i64) =
  let xs = plane n m
  let step (xs: [n][m]f64) =
    tabulate_2d n m (\i j ->
                       let at k l = #[unsafe] xs[i64.max 0 (i64.min (n - 1) k), i64.max 0 (i64.min (m - 1) l)]
                       in at (i - 1) j + 2 * at (i + 1) j + 3 * at i (j - 1) + 4 * at i (j + 2))
  in weighted (flatten (step (step xs)))

-- Windows that reach to lower indices.
entry backwards (n: i64) (w: i64) =
  let xs = numbers n
  in weighted (tabulate n (\i ->
                             f64.sum (tabulate w (\j -> if i - 2 * j < 0 then 1 else #[unsafe] xs[i - 2 * j]))))

-- Every second element.
entry apart (n: i64) =
  let xs = numbers (2 * n + 3)
  in weighted (tabulate n (\i -> #[unsafe] xs[2 * i] - xs[2 * i + 3] + xs[2 * i + 1]))

entry nearest (n: i64) (d: i64) (k: i64) =
  let points = plane n d
  let centres = map (map (* 3)) (plane k d)
  let distance p c = f64.sum (map2 (\x y -> (x - y) ** 2) p c)
  let nearest p =
    (.1) (reduce (\(a, i) (b, j) -> if a <= b then (a, i) else (b, j))
                 (f64.inf, -1)
                 (zip (map (distance p) centres) (iota k)))
  in weighted_numbers (map nearest points)

entry conditional (n: i64) =
  let xs = numbers n
  in weighted (tabulate n (\i ->
                             if i == 0 || i == n - 1 then xs[i] else (xs[i - 1] + xs[i] + xs[i + 1]) / 3))

entry bytes (n: i64) (m: i64) =
  let xs = tabulate_2d n m (\i j -> u8.i64 (i * 3 + j))
  let ys =
    tabulate_2d (n - 2) (m - 2) (\i j ->
                                   #[unsafe] xs[i, j] ^ xs[i + 1, j + 2] ^ xs[i + 2, j + 1])
  in weighted_numbers (map i64.u8 (flatten ys))

entry checked (n: i64) (size: i64) =
  let xs = numbers size
  in weighted (tabulate (n - 2) (\i -> xs[i] + xs[i + 1] + xs[i + 2]))
