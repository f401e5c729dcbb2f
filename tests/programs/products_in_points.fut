-- Maps whose points are products of matrices with other work between: on a CPU large ones run on
-- the host, points by threads or one after another, and small ones inside their points.

def product [n] [k] [m] (a: [n][k]i32) (b: [k][m]i32) : [n][m]i32 =
  map (\row -> map (\column -> i32.sum (map2 (*) row column)) (transpose b)) a

def applied [n] [m] (a: [n][m]i32) (x: [m]i32) : [n]i32 =
  map (\row -> i32.sum (map2 (*) row x)) a

def matrix (n: i64) (m: i64) (seed: i64) : [n][m]i32 =
  tabulate_2d n m (\i j -> i32.i64 ((i * 7 + j * 5 + i * j + seed) % 11 - 5))

-- | Of a aᵀ a, the sums of rows, and whether they are a (aᵀ (a 1)).
def chain [n] [m] (a: [n][m]i32) : ([n]i32, bool) =
  let sums = map i32.sum (product (product a (transpose a)) a)
  let expected = applied a (applied (transpose a) (applied a (replicate m 1)))
  in (sums, and (map2 (==) sums expected))

-- ==
-- entry: chains
-- input { 3i64 5i64 4i64 } output { true -906i32 }
-- input { 2i64 128i64 128i64 } output { true 472668636i32 }
-- input { 0i64 128i64 128i64 } output { true 0i32 }
entry chains (p: i64) (n: i64) (m: i64) : (bool, i32) =
  let (sums, right) = unzip (map (\seed -> chain (matrix n m seed)) (iota p))
  in (and right, i32.sum (map i32.sum sums))

-- | The matrices themselves, over two dimensions.
-- ==
-- entry: grams
-- input { 1i64 2i64 3i64 2i64 } output { -300i32 }
-- input { 1i64 1i64 104i64 104i64 } output { -10135360i32 }
entry grams (p: i64) (q: i64) (n: i64) (m: i64) : i32 =
  let gram (i: i64) (j: i64) =
    let a = matrix n m (3 * i + j)
    let g = product a (transpose a)
    in map2 (\row k -> map (\x -> x - row[k]) row) g (iota n)
  in i32.sum (flatten (map (map i32.sum) (flatten (tabulate_2d p q gram))))

-- | Powers modulo 13, by a loop in each point.
-- ==
-- entry: powers
-- input { 2i64 3i64 4i64 } output { 101i32 }
-- input { 1i64 104i64 1i64 } output { 64774i32 }
entry powers (p: i64) (n: i64) (steps: i64) : i32 =
  let power (seed: i64) =
    let a = matrix n n seed
    in loop x = a for _i < steps do map (map (% 13)) (product x a)
  in i32.sum (flatten (map (map i32.sum) (map power (iota p))))

-- | Points that write over rows which they get, and give one of them back.
-- ==
-- entry: replaced
-- input { 2i64 3i64 } output { -15i32 }
-- input { 1i64 104i64 } output { -12446i32 }
entry replaced (p: i64) (n: i64) : i32 =
  let step (a: *[n][n]i32) =
    let first = i32.sum a[0]
    let a[0] = replicate n 1
    let b = product a a
    in (b, a, first)
  let (bs, as, firsts) = unzip3 (map (\seed -> step (matrix n n seed)) (iota p))
  in i32.sum (flatten (map (map i32.sum) bs)) + i32.sum (flatten (map (map i32.sum) as))
     + i32.sum firsts

-- | Of the gradient of attention: sums of rows of a softmax are 1, so the adjoints of values add up
-- to those of results, and those of scores to 0.
-- ==
-- entry: attentions
-- input { 2i64 5i64 3i64 } output { true }
-- input { 1i64 128i64 64i64 } output { true }
entry attentions (h: i64) (n: i64) (d: i64) : bool =
  let product (a: [n][]f32) b = map (\x -> map (\y -> f32.sum (map2 (*) x y)) b) a
  let softmax (xs: [n]f32) =
    let top = f32.maximum xs
    let powers = map (\x -> f32.exp (x - top)) xs
    let sum = f32.sum powers
    in map (/ sum) powers
  let attention (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32) =
    product (map softmax (product q k)) (transpose v)
  let numbers seed = tabulate h (\i -> map (map (\x -> f32.i32 x / 16)) (matrix n d (seed + i)))
  let (q, k, v, g) = (numbers 1, numbers 4, numbers 6, numbers 9)
  let (dq, dk, dv) = vjp (\(q, k, v) -> map3 attention q k v) (q, k, v) g
  let total (xs: [h][n][d]f32) = map (\x -> map f32.sum (transpose x)) xs
  let near (x: f32) y = f32.abs (x - y) < 1e-3
  let dot a b = f32.sum (map2 (*) (flatten_3d a) (flatten_3d b))
  in and (map2 near (flatten (total dv)) (flatten (total g)))
     && and (map (near 0) (flatten (total dk)))
     && near (dot q dq) (dot k dk)
     && dot q dq != 0

-- | A row of a aᵀ and one of its square; some points have none.
-- ==
-- entry: picked
-- input { 4i64 128i64 128i64 7i64 } output { [24953i32, 36842i32, 37074i32, 24939i32] }
-- input { 4i64 128i64 128i64 128i64 } error: Index \[12[89]\] out of bounds
entry picked (p: i64) (n: i64) (m: i64) (at: i64) : [p]i32 =
  let point (seed: i64) =
    let g = let a = matrix n m seed in product a (transpose a)
    let row = g[at - at / n * (seed / 2 - 1)]
    in i32.sum row + i32.sum (map (% 7) (product g g)[at])
  in map point (iota p)
