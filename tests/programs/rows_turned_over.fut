-- Points that each make a row of unknown length, after loops of their own: in vector lanes their
-- elements are turned over, as many at a time as there are lanes, and what is left over one by one.
-- ==
-- entry: softmax_of_products running several halves
-- input { 70i64 37i64 5i64 } output { true }
-- input { 33i64 16i64 3i64 } output { true }
-- input { 129i64 3i64 17i64 } output { true }
-- input { 40i64 64i64 1i64 } output { true }
-- input { 5i64 20i64 2i64 } output { true }
-- input { 64i64 0i64 2i64 } output { true }
-- input { 0i64 20i64 2i64 } output { true }

def close (x: f64) (y: f64) = f64.abs (x - y) <= 1e-9 * f64.max 1 (f64.abs x)

def made (n: i64) (d: i64) : [n][d]f64 =
  tabulate_2d n d (\i k -> f64.i64 ((i * 7 + k * 5) % 23) / 11 - 1)

-- The rows are made in two steps; the second reads what the first has made.
entry softmax_of_products (n: i64) (m: i64) (d: i64) : bool =
  let (a, b) = (made n d, made m d)
  let product (x: [d]f64) (y: [d]f64) = f64.sum (map2 (*) x y)
  let rows =
    map (\x ->
           let powers = map (\y -> f64.exp (product x y)) b
           let sum = f64.sum powers
           in map (\p -> p / sum) powers)
        a
  let sums = map (\x -> f64.sum (map (\y -> f64.exp (product x y)) b)) a
  in and (tabulate (n * m) (\k ->
                              let (i, j) = (k / m, k % m)
                              in close rows[i, j] (f64.exp (product a[i] b[j]) / sums[i])))

-- A scan inside of a point.
entry running (n: i64) (m: i64) (d: i64) : bool =
  let rows = map (\i -> scan (+) 0 (map (\j -> i * 3 + j % (d + 1)) (iota m))) (iota n)
  in and (tabulate (n * m) (\k ->
                              let (i, j) = (k / m, k % m)
                              in rows[i, j] == i64.sum (map (\l -> i * 3 + l % (d + 1)) (iota (j + 1)))))

-- Rows of several types, from one loop.
entry several (n: i64) (m: i64) (d: i64) : bool =
  let row (i: i64) =
    let start = i64.sum (map (\k -> i % (k + 2)) (iota d))
    in unzip3 (map (\j -> (f32.i64 (start + j), i32.i64 (i - j), start * j)) (iota m))
  let (xs, ys, zs) = unzip3 (map row (iota n))
  in and (tabulate (n * m) (\k ->
                              let (i, j) = (k / m, k % m)
                              let start = i64.sum (map (\l -> i % (l + 2)) (iota d))
                              in xs[i, j] == f32.i64 (start + j) && ys[i, j] == i32.i64 (i - j)
                                 && zs[i, j] == start * j))

-- Small elements do not cross over.
entry halves (n: i64) (m: i64) (d: i64) : bool =
  let row (i: i64) =
    let start = i64.sum (map (\k -> (i + k) % 3) (iota d))
    in map (\j -> u8.i64 (start + j)) (iota m)
  let rows = map row (iota n)
  in and (tabulate (n * m) (\k ->
                              let (i, j) = (k / m, k % m)
                              in rows[i, j] == u8.i64 (i64.sum (map (\l -> (i + l) % 3) (iota d)) + j)))
