-- Products of matrices and what is like them are sums of the same values, however they are cut into
-- blocks, panels and pieces.
-- ==
-- entry: product
-- input { 24i64 32i64 16i64 } output { 33860i64 }
-- input { 25i64 33i64 17i64 } output { 9916i64 }
-- input { 29i64 47i64 255i64 } output { 59593i64 }
-- input { 30i64 34i64 256i64 } output { 44370i64 }
-- input { 31i64 49i64 257i64 } output { 57319i64 }
-- input { 26i64 40i64 513i64 } output { 36574i64 }
-- input { 100i64 50i64 20i64 } output { -16343i64 }
-- input { 97i64 129i64 33i64 } output { 87240i64 }
-- input { 0i64 32i64 16i64 } output { 0i64 }
-- input { 24i64 0i64 16i64 } output { 0i64 }
-- input { 24i64 32i64 0i64 } output { 0i64 }
-- input { 1i64 1i64 1i64 } output { 0i64 }
-- input { 23i64 31i64 15i64 } output { 25900i64 }
-- input { 24i64 32i64 2100i64 } output { 9993i64 }
-- ==
-- entry: left_transposed
-- input { 24i64 32i64 16i64 } output { 33860i64 }
-- input { 31i64 49i64 257i64 } output { 57319i64 }
-- input { 53i64 70i64 40i64 } output { 16691i64 }
-- ==
-- entry: right_transposed
-- input { 24i64 32i64 16i64 } output { 33860i64 }
-- input { 31i64 49i64 257i64 } output { 57319i64 }
-- input { 53i64 70i64 40i64 } output { 16691i64 }
-- ==
-- entry: every_other
-- input { 24i64 32i64 16i64 } output { -27247i64 }
-- input { 31i64 49i64 257i64 } output { -115304i64 }
-- input { 53i64 70i64 40i64 } output { 4571i64 }
-- ==
-- entry: doubles
-- input { 24i64 32i64 16i64 } output { 33860i64 }
-- input { 31i64 49i64 257i64 } output { 57319i64 }
-- input { 53i64 70i64 40i64 } output { 16691i64 }
-- ==
-- entry: bytes
-- input { 24i64 32i64 16i64 } output { 33860i64 }
-- input { 31i64 49i64 257i64 } output { 57319i64 }
-- input { 53i64 70i64 40i64 } output { 16691i64 }
-- ==
-- entry: shortest_paths
-- input { 24i64 32i64 16i64 } output { -336949i64 }
-- input { 31i64 49i64 257i64 } output { -836110i64 }
-- input { 53i64 70i64 40i64 } output { -1851062i64 }
-- ==
-- entry: distances
-- input { 24i64 32i64 16i64 } output { 14696958i64 }
-- input { 31i64 49i64 257i64 } output { 468690956i64 }
-- input { 53i64 70i64 40i64 } output { 177776322i64 }
-- input { 24i64 32i64 2100i64 } output { 1936657963i64 }
-- ==
-- entry: sum_and_largest
-- input { 24i64 32i64 16i64 } output { 445291i64 }
-- input { 31i64 49i64 257i64 } output { 1008067i64 }
-- input { 53i64 70i64 40i64 } output { 1859654i64 }
-- input { 24i64 32i64 2100i64 } output { 452665i64 }
-- ==
-- entry: weighted
-- input { 24i64 32i64 16i64 } output { -9371i64 }
-- input { 31i64 49i64 257i64 } output { -12314i64 }
-- input { 53i64 70i64 40i64 } output { -56527i64 }
-- ==
-- entry: activated
-- input { 24i64 32i64 16i64 } output { 3804177i64 }
-- input { 31i64 49i64 257i64 } output { 59001540i64 }
-- input { 53i64 70i64 40i64 } output { 27880524i64 }
-- input { 24i64 32i64 2100i64 } output { 242192358i64 }
-- ==
-- entry: accumulated
-- input { 24i64 32i64 16i64 } output { -3072i64 }
-- input { 31i64 49i64 257i64 } output { 151085i64 }
-- input { 53i64 70i64 40i64 } output { -133195i64 }
-- ==
-- entry: gradient
-- input { 24i64 32i64 16i64 } output { 2514i64 }
-- input { 31i64 49i64 257i64 } output { 5532i64 }
-- input { 53i64 70i64 40i64 } output { -14780i64 }
-- ==
-- entry: batch
-- input { 3i64 24i64 32i64 16i64 } output { 32608i64 }
-- input { 3i64 31i64 49i64 257i64 } output { 40810i64 }
-- input { 3i64 53i64 70i64 40i64 } output { 8691i64 }
-- input { 0i64 24i64 32i64 16i64 } output { 0i64 }
-- ==
-- entry: two_sums
-- input { 24i64 32i64 3i64 16i64 } output { 50071i64 }
-- input { 31i64 49i64 2i64 257i64 } output { -47914i64 }
-- input { 24i64 32i64 0i64 16i64 } output { 0i64 }
-- input { 24i64 32i64 3i64 0i64 } output { 0i64 }

-- Small whole numbers: sums of their products are exact.
def left (i: i64) (k: i64) : i64 = (i * 7 + k * 3) % 11 - 5
def right (k: i64) (j: i64) : i64 = (k * 5 + j * 2) % 13 - 6

-- Not fused with what makes or uses it.
def kept 't [n] (x: [n]t) : [n]t = if n == 7919 then reverse x else x

-- Tells results in other places apart.
def checksum [n] [m] (c: [n][m]i64) : i64 =
  let c = kept c
  in i64.sum (map2 (\i row -> i64.sum (map2 (\j x -> x * ((i * 31 + j * 17) % 101)) (iota m) row))
                   (iota n)
                   c)

def dot (xs: []f32) (ys: []f32) : f32 = f32.sum (map2 (*) xs ys)

def matmul [n] [m] [k] (a: [n][k]f32) (b: [k][m]f32) : [n][m]f32 =
  map (\r -> map (\c -> dot r c) (transpose b)) a

def whole = map (map i64.f32)
def lefts n k = kept (tabulate_2d n k (\i j -> f32.i64 (left i j)))
def rights k m = kept (tabulate_2d k m (\i j -> f32.i64 (right i j)))

entry product n m k = checksum (whole (matmul (lefts n k) (rights k m)))

entry left_transposed n m k =
  let a = kept (tabulate_2d k n (\j i -> f32.i64 (left i j)))
  in checksum (whole (matmul (transpose a) (rights k m)))

entry right_transposed n m k =
  let b = kept (tabulate_2d m k (\i j -> f32.i64 (right j i)))
  in checksum (whole (matmul (lefts n k) (transpose b)))

entry every_other n m k =
  let a = kept (tabulate_2d (2 * n) (2 * k) (\i j -> f32.i64 (left i j)))
  let b = kept (tabulate_2d (3 * k) (2 * m) (\i j -> f32.i64 (right i j)))
  in checksum (whole (matmul (a[0:2 * n:2, 1:2 * k:2] :> [n][k]f32)
                             (b[0:3 * k:3, 1:2 * m:2] :> [k][m]f32)))

entry batch b n m k =
  let xs = kept (tabulate_3d b n k (\s i j -> f32.i64 (left (i + s) j)))
  let ys = kept (tabulate_3d b k m (\s i j -> f32.i64 (right (i + s) j)))
  in i64.sum (map checksum (kept (map whole (map2 matmul xs ys))))

-- Other types and operators.
entry doubles n m k =
  let a = kept (tabulate_2d n k (\i j -> f64.i64 (left i j)))
  let b = kept (tabulate_2d k m (\i j -> f64.i64 (right i j)))
  let c = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
  in checksum (map (map i64.f64) c)

entry bytes n m k =
  let a = kept (tabulate_2d n k (\i j -> i8.i64 (left i j)))
  let b = kept (tabulate_2d k m (\i j -> i8.i64 (right i j)))
  let c = map (\r -> map (\c -> i8.sum (map2 (*) r c)) (transpose b)) a
  in checksum (map (map i64.i8) c)

entry shortest_paths n m k =
  let a = kept (tabulate_2d n k (\i j -> i32.i64 (left i j)))
  let b = kept (tabulate_2d k m (\i j -> i32.i64 (right i j)))
  let c = map (\r -> map (\c -> i32.minimum (map2 (+) r c)) (transpose b)) a
  in checksum (map (map i64.i32) c)

entry distances n m k =
  let a = kept (tabulate_2d n k (\i j -> f64.i64 (left i j)))
  let b = kept (tabulate_2d m k (\i j -> f64.i64 (right j i)))
  let c = map (\r -> map (\c -> f64.sum (map2 (\x y -> (x - y) * (x - y)) r c)) b) a
  in checksum (map (map i64.f64) c)

entry sum_and_largest n m k =
  let a = kept (tabulate_2d n k (\i j -> i32.i64 (left i j)))
  let b = kept (tabulate_2d k m (\i j -> i32.i64 (right i j)))
  let c =
    map (\r ->
           map (\c ->
                  let (s, t) =
                    reduce (\(s, t) (s', t') -> (s + s', i32.max t t'))
                           (0, i32.lowest)
                           (map2 (\x y -> (x * y, x - y)) r c)
                  in s * 3 + t)
               (transpose b))
        a
  in checksum (map (map i64.i32) c)

entry weighted n m k =
  let w = kept (tabulate k (\i -> f32.i64 (i % 3)))
  let a = lefts n k
  let b = rights k m
  let c = map (\r -> map (\c -> f32.sum (map3 (\x y z -> x * y * z) r w c)) (transpose b)) a
  in checksum (whole c)

-- Work before and after.
entry activated n m k =
  let a = lefts n k
  let b = rights k m
  let c =
    map (\r ->
           map (\c -> f32.sum (map2 (\x y -> (f32.abs x * x + 3) * (y + 1)) r c))
               (transpose b))
        a
  let bias = kept (tabulate m (\j -> f32.i64 (j % 5)))
  let residual = kept (tabulate_2d n m (\i j -> f32.i64 (left i j)))
  in checksum (whole (map2 (map3 (\b r x -> f32.max 0 (x + b) + r) bias) residual c))

entry accumulated n m k =
  let c = kept (tabulate_2d n m (\i j -> f32.i64 (left i j)))
  let c =
    loop c for _s < 3 do
      map2 (map2 (\x y -> (x + y) % 17)) c (matmul (lefts n k) (rights k m))
  in checksum (whole c)

-- Sums over two dimensions, and the two products in a gradient.
entry two_sums n m k l =
  let a = kept (tabulate_3d n k l (\i j s -> f32.i64 (left (i + s) j)))
  let b = kept (tabulate_3d m k l (\i j s -> f32.i64 (right j (i + s))))
  let c = map (\x -> map (\y -> f32.sum (map2 dot x y)) b) a
  in checksum (whole c)

entry gradient n m k =
  let (da, db) =
    vjp (\(a, b) -> matmul a b)
        (lefts n k, rights k m)
        (tabulate_2d n m (\i j -> f32.i64 ((i + j) % 3)))
  in checksum (whole da) + checksum (whole db)
