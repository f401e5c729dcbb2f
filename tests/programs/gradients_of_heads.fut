-- Gradients of sums over several dimensions, one of which is indexed: what heads of attention give,
-- row by row, through one layer; alone, behind each other for several sequences, and normalised.
-- All numbers are whole where results are compared bit by bit, so that any order of sums is exact.
def dot [k] (xs: [k]f64) (ys: [k]f64) : f64 = f64.sum (map2 (*) xs ys)

def out [h] [n] [k] [d] (heads: [h][n][k]f64) (w: [d][h][k]f64) : [n][d]f64 =
  tabulate n (\i -> map (\row -> f64.sum (map2 (\head part -> dot head[i] part) heads row)) w)

def numbers (a: i64) (b: i64) (c: i64) (seed: i64) : [a][b][c]f64 =
  tabulate_3d a b c (\i j k -> f64.i64 ((i * 7 + j * 5 + k * 3 + seed) % 11) - 5)

def equal [a] [b] [c] (xs: [a][b][c]f64) (ys: [a][b][c]f64) : bool =
  and (flatten_3d (map2 (map2 (map2 (==))) xs ys))

def by_definition [h] [n] [k] [d]
                  (heads: [h][n][k]f64)
                  (w: [d][h][k]f64)
                  (seed: [n][d]f64) : ([h][n][k]f64, [d][h][k]f64) =
  ( tabulate_3d h n k (\a i l -> loop sum = 0 for j < d do sum + seed[i, j] * w[j, a, l])
  , tabulate_3d d h k (\j a l -> loop sum = 0 for i < n do sum + seed[i, j] * heads[a, i, l])
  )

entry agree (h: i64) (n: i64) (k: i64) (d: i64) : bool =
  let heads = numbers h n k 1
  let w = numbers d h k 2
  let seed = (numbers 1 n d 3)[0]
  let (dheads, dw) = vjp (\(heads, w) -> out heads w) (heads, w) seed
  let (eheads, ew) = by_definition heads w seed
  in equal dheads eheads && equal dw ew

entry sequences_agree (b: i64) (h: i64) (n: i64) (k: i64) (d: i64) : bool =
  let heads = tabulate b (\i -> numbers h n k i)
  let w = numbers d h k 2
  let seeds = numbers b n d 3
  let (dheads, dw) = vjp (\(heads, w) -> map (\one -> out one w) heads) (heads, w) seeds
  let parts = map2 (\one seed -> by_definition one w seed) heads seeds
  let sum =
    reduce (map2 (map2 (map2 (+))))
           (replicate d (replicate h (replicate k 0)))
           (map (.1) parts)
  in and (map2 (\x (y, _) -> equal x y) dheads parts) && equal dw sum

def normalised [d] (x: [d]f64) : [d]f64 =
  let mean = f64.sum x / f64.i64 d
  let centred = map (\v -> v - mean) x
  in map (/ f64.sqrt (dot centred centred / f64.i64 d + 1)) centred

-- The directional derivative by both modes.
entry normalised_agree (h: i64) (n: i64) (k: i64) (d: i64) : bool =
  let heads = numbers h n k 1
  let w = numbers d h k 2
  let f (heads, w) =
    f64.sum (map2 (\i r -> f64.i64 (i % 3) * f64.sum (map2 (\j v -> f64.i64 (j % 5) * v) (iota d) r))
                  (iota n)
                  (map normalised (out heads w)))
  let (dh, dw) = (numbers h n k 4, numbers d h k 5)
  let along = jvp f (heads, w) (dh, dw)
  let (gh, gw) = vjp f (heads, w) 1
  let product =
    f64.sum (map2 (*) (flatten_3d gh) (flatten_3d dh))
    + f64.sum (map2 (*) (flatten_3d gw) (flatten_3d dw))
  in f64.abs (along - product) < 1e-8 * (1 + f64.abs along)

-- Rows of rows: what is read of an array outside, at places that a sum outside counts.
entry rows_of_rows (n: i64) (a: i64) (b: i64) : bool =
  let xs = numbers n a b 1
  let w = (numbers 1 a b 2)[0]
  let f w = f64.sum (tabulate n (\i -> f64.i64 (i % 4) * f64.sum (map2 dot xs[i] w)))
  let expected = tabulate_2d a b (\j k -> loop sum = 0 for i < n do sum + f64.i64 (i % 4) * xs[i, j, k])
  in equal [vjp f w 1] [expected]

-- ==
-- entry: agree
-- input { 3i64 5i64 4i64 7i64 } output { true }
-- input { 1i64 1i64 1i64 1i64 } output { true }
-- input { 4i64 70i64 16i64 64i64 } output { true }
-- input { 2i64 33i64 65i64 9i64 } output { true }
-- input { 0i64 3i64 2i64 2i64 } output { true }
-- input { 2i64 0i64 2i64 2i64 } output { true }

-- ==
-- entry: sequences_agree
-- input { 2i64 3i64 5i64 4i64 7i64 } output { true }
-- input { 3i64 4i64 40i64 16i64 64i64 } output { true }

-- ==
-- entry: normalised_agree
-- input { 3i64 5i64 4i64 7i64 } output { true }
-- input { 4i64 70i64 16i64 64i64 } output { true }

-- ==
-- entry: rows_of_rows
-- input { 6i64 5i64 4i64 } output { true }
-- input { 70i64 33i64 65i64 } output { true }
