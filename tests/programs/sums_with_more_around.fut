-- Sums over what rows and points share run in tiles of a block also where something is made of the
-- values before and of the sum after, where several dimensions are rows or points, over several
-- loops, and where points share nothing but elements.
-- ==
-- entry: affine scaled distances dense channels attractions columns
-- input { 70i64 67i64 45i64 } output { true }
-- input { 33i64 130i64 16i64 } output { true }
-- input { 9i64 11i64 20i64 } output { true }
-- input { 40i64 3i64 20i64 } output { true }
-- input { 0i64 40i64 20i64 } output { true }
-- input { 40i64 40i64 0i64 } output { true }

-- ==
-- entry: affine distances
-- input { 17i64 16i64 5000i64 } output { true }

-- ==
-- entry: attractions
-- input { 2100i64 7i64 300i64 } output { true }
-- input { 9000i64 2i64 20i64 } output { true }
def left (i: i64) (k: i64) : i32 = i32.i64 ((i * 7 + k * 13 + i * k) % 31)
def right (k: i64) (j: i64) : i32 = i32.i64 ((k * 5 + j * 11 + k * j) % 29)

def in_loops (n: i64) (m: i64) (d: i64) (f: i64 -> i64 -> i64 -> i32) : [n][m]i32 =
  tabulate_2d n m (\i j -> loop s = 0 for k < d do s + f i j k)

def equal [n] [m] (a: [n][m]i32) (b: [n][m]i32) : bool =
  and (map2 (\x y -> and (map2 (==) x y)) a b)

def dot [k] (x: [k]i32) (y: [k]i32) : i32 = i32.sum (map2 (*) x y)

-- A layer: what is added differs from column to column, and negative numbers vanish.
entry affine (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d n d left
  let b = tabulate_2d d m right
  let c = tabulate m (\j -> i32.i64 (j % 7) - 2000)
  let sums = in_loops n m d (\i j k -> left i k * right k j)
  in equal (map (\row -> map2 (\column s -> i32.max 0 (dot row column + s)) (transpose b) c) a)
           (map (\row -> map2 (\x s -> i32.max 0 (x + s)) row c) sums)

-- Both sides are computed from several arrays, and so is the result, of which there are two.
entry scaled (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d n d left
  let s = tabulate n (\i -> i32.i64 (i % 5))
  let b = tabulate_2d m d (\j k -> right k j)
  let c = tabulate d (\k -> i32.i64 (k % 3))
  let old = tabulate_2d n m (\i j -> i32.i64 (i - j))
  let f row scale column before =
    let x = i32.sum (map3 (\u v w -> (u * scale + 1) * (v - w)) row column c)
    in (x - before, x * before)
  let (x, y) =
    unzip (map3 (\row scale olds ->
                   unzip (map2 (\column before -> f row scale column before) b olds))
                a
                s
                old)
  let sums =
    in_loops n m d (\i j k ->
                      (left i k * i32.i64 (i % 5) + 1) * (right k j - i32.i64 (k % 3)))
  in equal x (map2 (map2 (-)) sums old) && equal y (map2 (map2 (*)) sums old)

-- What is the same for all elements of a sum, of rows and of points.
entry distances (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d n d left
  let b = tabulate_2d m d (\j k -> right k j)
  let s = tabulate n (\i -> i32.i64 (i % 5))
  let t = tabulate m (\j -> i32.i64 (j % 3))
  let f row u column v = 3 * i32.sum (map2 (\x y -> (x - y) * (x - y) * u + v) row column)
  in equal (map2 (\row u -> map2 (\column v -> f row u column v) b t) a s)
           (map (map (* 3))
                (in_loops n m d (\i j k ->
                                   let x = left i k - right k j
                                   in x * x * i32.i64 (i % 5) + i32.i64 (j % 3))))

-- Several samples of several rows, by the same weights.
entry dense (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_3d 3 n d (\l i k -> left (i + l) k)
  let b = tabulate_2d d m right
  let c = map (map (\row -> map (\column -> dot row column + 1) (transpose b))) a
  in and (tabulate 3 (\l ->
                        equal c[l] (map (map (+ 1)) (in_loops n m d (\i j k ->
                                                                       left (i + l) k * right k j)))))

-- Windows of n channels over m × d numbers: points of two dimensions, sums over three.
entry channels (o: i64) (m: i64) (d: i64) : bool =
  let n = i64.max 0 (m - 2)
  let e = i64.max 0 (d - 1)
  let xs = tabulate_3d 4 m d (\c i j -> left (i + c) j)
  let ws = tabulate o (\f -> tabulate_3d 4 3 2 (\c k l -> right (f + c) (k * 2 + l)))
  let window (x: [m][d]i32) (w: [3][2]i32) (i: i64) (j: i64) =
    i32.sum (tabulate 3 (\k -> i32.sum (tabulate 2 (\l -> #[unsafe] w[k, l] * x[i + k, j + l]))))
  let ys =
    map (\filter ->
           tabulate_2d n e (\i j -> i32.sum (map2 (\x w -> window x w i j) xs filter)))
        ws
  in and (map2 (\y f ->
                  equal y (in_loops n e 24 (\i j ckl ->
                                              let (c, k, l) = (ckl / 6, ckl % 6 / 2, ckl % 2)
                                              in right (f + c) (k * 2 + l) * left (i + k + c) (j + l))))
               ys
               (iota o))

-- Bodies that attract each other: many statements for each pair.
entry attractions (n: i64) (_m: i64) (d: i64) : bool =
  let place = tabulate n (\i -> i32.i64 (i * 37 % 101))
  let other = tabulate d (\k -> i32.i64 (k * 53 % 97))
  let mass = tabulate d (\k -> i32.i64 (k % 4))
  let force (x: i32) (y: i32) (w: i32) =
    let far = i32.abs (y - x)
    in if far > 50 then w * (y - x) % 11 else w * (y - x) * far
  let f x = i32.sum (map2 (force x) other mass)
  let by_loop x =
    loop s = 0 for k < d do s + force x (i32.i64 (k * 53 % 97)) (i32.i64 (k % 4))
  in and (map2 (\x y -> f x == y) place (map by_loop place))
     && and (map2 (\x y -> 2 * f x + x == y) place (map (\x -> 2 * by_loop x + x) place))

-- Sums of columns, which share nothing.
entry columns (n: i64) (m: i64) (d: i64) : bool =
  let a = tabulate_2d d (n * m) (\k j -> left k j)
  let sums = map (\column -> i32.max 3 (i32.sum column)) (transpose a)
  in and (map2 (\j x -> x == i32.max 3 (loop s = 0 for k < d do s + left k j))
               (iota (n * m))
               sums)
