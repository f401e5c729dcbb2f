-- Where every point walks the rows of arrays around, warps that do so together from copies of these give what loops
-- give: also warps without a point, in tiles that are not whole, for rows without elements, and without rows.
-- ==
-- entry: distances weighted paired narrow scanned gradients
-- input { 20i64 33i64 9i64 } output { true }
-- input { 9i64 40i64 70i64 } output { true }
-- input { 33i64 3i64 79i64 } output { true }
-- input { 8i64 64i64 1i64 } output { true }
-- input { 7i64 5i64 3i64 } output { true }
-- input { 10i64 101i64 20i64 } output { true }
-- input { 12i64 0i64 5i64 } output { true }
-- input { 12i64 5i64 0i64 } output { true }
-- input { 0i64 5i64 3i64 } output { true }
-- input { 1i64 1i64 1i64 } output { true }
def p (i: i64) (k: i64) : i64 = (i * 7 + k * 13 + i * k) % 31
def q (j: i64) (k: i64) : i64 = (k * 5 + j * 11 + k * j) % 29

def same [n] [m] (a: [n][m]i64) (f: i64 -> i64 -> i64) : bool =
  and (map2 (\i row -> and (map2 (\j x -> x == f i j) (iota m) row)) (iota n) a)

def distance (d: i64) (i: i64) (j: i64) : i64 =
  loop s = 0 for k < d do s + (p i k - q j k) * (p i k - q j k)

-- Threads of a warp read each other's elements of the point's own row.
entry distances (n: i64) (m: i64) (d: i64) : bool =
  let ys = tabulate_2d m d q
  let out =
    map (\x ->
           let all = map (\y -> i64.sum (map2 (\a b -> (a - b) * (a - b)) x y)) ys
           let least = i64.minimum all
           in map (\one -> one - least) all)
        (tabulate_2d n d p)
  let least i = loop l = i64.highest for j < m do i64.min l (distance d i j)
  in same out (\i j -> distance d i j - least i)

def product (d: i64) (i: i64) (j: i64) : i64 = loop s = 0 for k < d do s + p i k * q j k

-- Rows, and what lies across them; in reals that are whole numbers.
entry weighted (n: i64) (m: i64) (d: i64) : bool =
  let ys = map (map f64.i64) (tabulate_2d m d q)
  let out =
    map (\x ->
           let scores = map (\y -> f64.sum (map2 (*) x y)) ys
           let total = f64.sum scores
           let parts = map (\s -> total - s) scores
           in map (\column -> f64.sum (map2 (*) parts column)) (transpose ys))
        (map (map f64.i64) (tabulate_2d n d p))
  let total i = loop s = 0 for j < m do s + product d i j
  in same (map (map i64.f64) out)
          (\i k -> loop s = 0 for j < m do s + (total i - product d i j) * q j k)

-- Rows of two arrays at a time, and results for whole points beside those for rows.
entry paired (n: i64) (m: i64) (d: i64) : bool =
  let ys = tabulate_2d m d q
  let zs = tabulate_2d m d (\j k -> q k j)
  let point x =
    let all = map2 (\y z -> i64.sum (map2 (*) x y) - i64.sum (map2 (*) x z)) ys zs
    let most = reduce i64.max 0 all
    in (most, map (most -) all)
  let (mosts, rows) = unzip (map point (tabulate_2d n d p))
  let one i j = loop s = 0 for k < d do s + p i k * (q j k - q k j)
  let most i = loop l = 0 for j < m do i64.max l (one i j)
  in same rows (\i j -> most i - one i j) && and (map2 (\i x -> x == most i) (iota n) mosts)

-- Elements of a byte.
entry narrow (n: i64) (m: i64) (d: i64) : bool =
  let ys = map (map u8.i64) (tabulate_2d m d q)
  let out =
    map (\x ->
           let all = map (\y -> u8.sum (map2 (*) x y)) ys
           let total = u8.sum all
           in map (\one -> one ^ total) all)
        (map (map u8.i64) (tabulate_2d n d p))
  let total i = loop s = 0 for j < m do s + product d i j
  in same (map (map i64.u8) out) (\i j -> (product d i j % 256) ^ (total i % 256))

-- A scan of what rows give.
entry scanned (n: i64) (m: i64) (d: i64) : bool =
  let ys = tabulate_2d m d q
  let out =
    map (\x ->
           let all = map (\y -> i64.sum (map2 (*) x y)) ys
           let most = reduce i64.max 0 all
           let sums = scan (+) 0 (map (\one -> most - one) all)
           in map2 (+) sums all)
        (tabulate_2d n d p)
  let most i = loop l = 0 for j < m do i64.max l (product d i j)
  in same out
          (\i j -> (loop s = 0 for l < j + 1 do s + most i - product d i l) + product d i j)

def loss [n] [m] [d] (xs: [n][d]f64) (ys: [m][d]f64) : f64 =
  f64.sum (map (\x ->
                  let all = map (\y -> f64.sum (map2 (*) x y)) ys
                  let total = f64.sum all
                  in f64.sum (map (\one -> one * total) all))
               xs)

-- The loss is the sum of squares of x·Σy.
entry gradients (n: i64) (m: i64) (d: i64) : bool =
  let xs = map (map f64.i64) (tabulate_2d n d p)
  let ys = map (map f64.i64) (tabulate_2d m d q)
  let (of_xs, of_ys) = vjp (\(xs, ys) -> loss xs ys) (xs, ys) 1
  let sums k = loop s = 0 for j < m do s + q j k
  let total i = loop s = 0 for k < d do s + p i k * sums k
  in same (map (map i64.f64) of_xs) (\i k -> 2 * total i * sums k)
     && same (map (map i64.f64) of_ys)
             (\_ k -> loop s = 0 for i < n do s + 2 * total i * p i k)
