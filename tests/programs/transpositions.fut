-- Copies of arrays with two dimensions exchanged, of sizes that squares of vectors divide or not.
-- ==
-- entry: matrix matrix_of_pairs bytes small batch outermost inner_of_four
-- input { 1i64 1i64 } output { true }
-- input { 0i64 5i64 } output { true }
-- input { 16i64 16i64 } output { true }
-- input { 15i64 40i64 } output { true }
-- input { 17i64 33i64 } output { true }
-- input { 128i64 70i64 } output { true }
-- input { 1i64 700i64 } output { true }
-- input { 2i64 517i64 } output { true }
-- input { 3i64 4200i64 } output { true }
-- input { 7i64 64i64 } output { true }
-- input { 13i64 291i64 } output { true }
-- input { 300i64 517i64 } output { true }

def all_equal [n] [m] (f: i64 -> i64 -> bool) (_: [n][m]()) : bool =
  and (flatten (tabulate_2d n m f))

def shape (n: i64) (m: i64) : [n][m]() = replicate n (replicate m ())

entry matrix (n: i64) (m: i64) : bool =
  let a = tabulate_2d n m (\i j -> f32.i64 (1000 * i + j))
  let b = map (map id) (transpose a)
  in all_equal (\j i -> b[j, i] == f32.i64 (1000 * i + j)) (shape m n)

entry matrix_of_pairs (n: i64) (m: i64) : bool =
  let a = tabulate_2d n m (\i j -> (1000 * i + j, f64.i64 (j - i)))
  let b = copy (transpose a)
  in all_equal (\j i -> b[j, i].0 == 1000 * i + j && b[j, i].1 == f64.i64 (j - i)) (shape m n)

entry bytes (n: i64) (m: i64) : bool =
  let a = tabulate_2d n m (\i j -> u8.i64 (7 * i + j))
  let b = copy (transpose a)
  in all_equal (\j i -> b[j, i] == u8.i64 (7 * i + j)) (shape m n)

entry small (n: i64) (m: i64) : bool =
  let of_number (x: i64) = (u16.i64 x, f16.i64 (x % 2048), x % 3 == 0)
  let a = tabulate_2d n m (\i j -> of_number (1000 * i + j))
  let b = copy (transpose a)
  in all_equal (\j i ->
                  let (x, y, z) = of_number (1000 * i + j)
                  in b[j, i].0 == x && b[j, i].1 == y && b[j, i].2 == z)
               (shape m n)

entry batch (n: i64) (m: i64) : bool =
  let a = tabulate_3d 3 n m (\k i j -> i32.i64 (100000 * k + 1000 * i + j))
  let b = copy (map transpose a)
  in all_equal (\k l -> b[k, l / n, l % n] == i32.i64 (100000 * k + 1000 * (l % n) + l / n))
               (shape 3 (n * m))

entry outermost (n: i64) (m: i64) : bool =
  let a = tabulate_3d 3 n m (\k i j -> i32.i64 (100000 * k + 1000 * i + j))
  let b = copy (transpose (map transpose (transpose a)))
  in all_equal (\l k -> b[l / n, l % n, k] == i32.i64 (100000 * k + 1000 * (l % n) + l / n))
               (shape (n * m) 3)

entry inner_of_four (n: i64) (m: i64) : bool =
  let a = tabulate_3d 2 n m (\k i j -> tabulate 3 (\l -> f32.i64 (4 * (1000 * i + j) + 2 * l + k)))
  let b = copy (map (map transpose) (map transpose a))
  in all_equal (\k l ->
                  b[k, l / (3 * n), l / n % 3, l % n]
                  == f32.i64 (4 * (1000 * (l % n) + l / (3 * n)) + 2 * (l / n % 3) + k))
               (shape 2 (m * 3 * n))
