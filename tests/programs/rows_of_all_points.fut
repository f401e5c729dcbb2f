-- What points of two dimensions make in rows, read as rows of all points: transposed, flattened,
-- carried by a loop, read in two orders, given on.
-- ==
-- entry: interleaved outermost both_orders pairs carried
-- input { 1i64 1i64 } output { true }
-- input { 3i64 5i64 } output { true }
-- input { 7i64 64i64 } output { true }
-- input { 40i64 33i64 } output { true }

def number (i: i64) : i64 = (i * 2654435761) % 1009

def row (i: i64) (j: i64) : [4]i64 = [number (i + j), i, number j, 1000 * i + j]

def made (n: i64) (m: i64) : [n][m][4]i64 = tabulate_2d n m row

entry interleaved (n: i64) (m: i64) : bool =
  let flat = flatten_3d (map transpose (made n m))
  in and (map (\p ->
                 let (i, r, j) = (p / (4 * m), p / m % 4, p % m)
                 in flat[p] == (row i j)[r])
              (indices flat))

entry outermost (n: i64) (m: i64) : bool =
  let turned: [4][n][m]i64 = map (map (map (+ 1))) (transpose (map transpose (made n m)))
  in and (flatten_3d (tabulate_3d 4 n m (\r i j -> turned[r, i, j] == (row i j)[r] + 1)))

entry both_orders (n: i64) (m: i64) : bool =
  let made = #[noinline] made n m
  let (a, b) = (map transpose made, transpose made)
  in and (flatten_3d (tabulate_3d n m 4 (\i j r ->
                                           a[i, r, j] == (row i j)[r] && b[j, i, r] == (row i j)[r])))

entry pairs (n: i64) (m: i64) : bool =
  let (a, b) = unzip (flatten_3d (map transpose (tabulate_2d n m (\i j -> [(i, f32.i64 j), (j, 1)]))))
  in and (map (\p ->
                 let (i, r, j) = (p / (2 * m), p / m % 2, p % m)
                 in if r == 0 then a[p] == i && b[p] == f32.i64 j else a[p] == j && b[p] == 1)
              (indices a))

-- As in Fourier's transform: each round moves all elements.
entry carried (n: i64) (m: i64) : bool =
  let size = n * m * 4
  let round (xs: [size]i64) : [size]i64 =
    flatten_3d (map transpose (tabulate_2d n m (\i j -> map (\r -> xs[(i * m + j) + r * (n * m)]) (iota 4)))) :> [size]i64
  let all = loop xs = iota size for _i < 3 do round xs
  let place p = let (i, r, j) = (p / (4 * m), p / m % 4, p % m) in i * m + j + r * (n * m)
  in and (map (\p -> all[p] == place (place (place p))) (iota size))
