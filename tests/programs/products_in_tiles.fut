-- Products that run in tiles of a block are those that loops give: whatever is added and multiplied,
-- transposed or in batches, with extents that tiles do not divide.
-- ==
-- entry: product left_transposed both_transposed cheapest batched pairs long_sums
-- input { 70i64 67i64 45i64 } output { true }
-- input { 33i64 130i64 16i64 } output { true }
-- input { 64i64 64i64 64i64 } output { true }
-- input { 129i64 35i64 33i64 } output { true }
-- input { 40i64 3i64 20i64 } output { true }
-- input { 0i64 40i64 20i64 } output { true }
-- input { 40i64 40i64 0i64 } output { true }

-- ==
-- entry: long_sums
-- input { 33i64 34i64 5000i64 } output { true }
def left (i: i64) (k: i64) : i32 = i32.i64 ((i * 7 + k * 13 + i * k) % 31)
def right (k: i64) (j: i64) : i32 = i32.i64 ((k * 5 + j * 11 + k * j) % 29)

def in_loops (n: i64) (m: i64) (d: i64) (f: i64 -> i64 -> i64 -> i32) : [n][m]i32 =
  tabulate_2d n m (\i j -> loop s = 0 for k < d do s + f i j k)

def equal [n] [m] (a: [n][m]i32) (b: [n][m]i32) : bool =
  and (map2 (\x y -> and (map2 (==) x y)) a b)

def dot [k] (x: [k]i32) (y: [k]i32) : i32 = i32.sum (map2 (*) x y)

entry product (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d n d left
  let b = tabulate_2d d m right
  in equal (map (\row -> map (dot row) (transpose b)) a)
           (in_loops n m d (\i j k -> left i k * right k j))

entry left_transposed (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d d n (\k i -> left i k)
  let b = tabulate_2d d m right
  in equal (map (\row -> map (dot row) (transpose b)) (transpose a))
           (in_loops n m d (\i j k -> left i k * right k j))

entry both_transposed (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d d n (\k i -> left i k)
  let b = tabulate_2d m d (\j k -> right k j)
  in equal (map (\row -> map (dot row) b) (transpose a))
           (in_loops n m d (\i j k -> left i k * right k j))

-- Paths of two steps.
entry cheapest (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d n d left
  let b = tabulate_2d d m right
  let c = map (\row -> map (\column -> i32.minimum (map2 (+) row column)) (transpose b)) a
  in equal c (tabulate_2d n m (\i j ->
                                 loop s = i32.highest for k < d do i32.min s (left i k + right k j)))

entry batched (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_3d 3 n d (\l i k -> left (i + l) k)
  let b = tabulate_3d 3 d m (\l k j -> right k (j + 2 * l))
  let c = map2 (\x y -> map (\row -> map (dot row) (transpose y)) x) a b
  in and (tabulate 3 (\l ->
                        equal c[l] (in_loops n m d (\i j k ->
                                                      left (i + l) k * right k (j + 2 * l)))))

-- Two sums at once, of values of different sizes.
entry pairs (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d n d (\i k -> i64.i32 (left i k))
  let b = tabulate_2d d m right
  let f row column =
    reduce (\(s, t) (u, v) -> (s + u, i32.max t v))
           (0i64, 0i32)
           (map2 (\x y -> (x * i64.i32 y, i32.i64 x - y)) row column)
  let (c, e) = unzip (map (\row -> unzip (map (f row) (transpose b))) a)
  in equal (map (map i32.i64) c) (in_loops n m d (\i j k -> left i k * right k j))
     && equal e (tabulate_2d n m (\i j ->
                                    loop s = 0 for k < d do i32.max s (left i k - right k j)))

-- Several blocks share a sum.
entry long_sums (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d n d left
  let b = tabulate_2d m d (\j k -> right k j)
  in equal (map (\x -> map (\y -> i32.sum (map2 (\u v -> u * v + u) x y)) b) a)
           (in_loops n m d (\i j k -> left i k * right k j + left i k))
