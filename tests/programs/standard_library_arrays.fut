-- Every function on arrays does what its name says.
-- ==
-- entry: pieces
-- input { [1, 2, 3, 4] }
-- output { 4i64 1 4 [2, 3, 4] [1, 2, 3] [1, 2] [3, 4] false }

-- ==
-- entry: orders
-- input { [1, 2, 3, 4] }
-- output { [4, 3, 2, 1] [2, 3, 4, 1] [4, 1, 2, 3] [1, 2, 3, 4, 1, 2, 3, 4] }

-- ==
-- entry: shapes
-- input { [[1, 2, 3], [4, 5, 6]] }
-- output { [1, 2, 3, 4, 5, 6] [[1, 2], [3, 4], [5, 6]] [[1, 4], [2, 5], [3, 6]] }

-- ==
-- entry: tables
-- input { 2i64 }
-- output { [0i64, 1i64] [[0i64, 1i64], [2i64, 3i64]] [7, 7] [0i64, 1i64] }

-- ==
-- entry: folds
-- input { [1, 2, 3] }
-- output { -6 2 true false }

-- ==
-- entry: tuples
-- input { [1, 2] [3, 4] [5, 6] }
-- output { [9, 12] [1, 2] [3, 4] [5, 6] [13, 16] }

-- ==
-- entry: prefixes
-- input { [1, 2, 3] }
-- output { [1, 3, 6] [0, 1, 3] empty([0]i32) }

-- ==
-- entry: writes
-- input { [0i64, 2i64, -1i64, 9i64] [5, 6, 7, 8] }
-- output { [5, 0, 6] [5, 0, 6] [6, 1, 7] }

-- ==
-- entry: bins
-- input { [0i64, 2i64, 0i64, 9i64] [5, 6, 7, 8] }
-- output { [12, 0, 6] [13, 1, 7] }

-- ==
-- entry: selections
-- input { [1, 2, 3, 4, 5, 6] }
-- output { [2, 4, 6] [4, 5, 6] [1, 2, 3] [2, 4, 6] [3] [1, 5] }

-- ==
-- entry: pieces_of_different_lengths
-- input { [2i64, 0i64, 3i64] }
-- output { [2i64, 0i64, 3i64] [true, false, true, false, false] [0i64, 2i64, 2i64] [0i64, 1i64, 0i64, 1i64, 2i64] }

-- ==
-- entry: functions
-- input { 3 }
-- output { 8 24 96 -2 }

entry pieces (xs: []i32) =
  (length xs, head xs, last xs, tail xs, init xs, take 2 xs, drop 2 xs, null xs)

entry orders (xs: []i32) = (reverse xs, rotate 1 xs, rotate (-1) xs, xs ++ xs)

entry shapes (xss: [2][3]i32) =
  (flatten xss, unflatten (sized (3 * 2) (flatten xss)), transpose xss)

entry tables (n: i64) =
  (tabulate n id, tabulate_2d n n (\i j -> i * n + j), replicate n 7i32, indices (iota n))

entry folds (xs: []i32) =
  (foldl (-) 0 xs, foldr (-) 0 xs, all (> 0) xs, any (> 3) xs)

entry tuples (xs: []i32) (ys: []i32) (zs: []i32) =
  let n = length xs
  let (xs, ys, zs) = (xs :> [n]i32, ys :> [n]i32, zs :> [n]i32)
  let (a, b, c) = unzip3 (zip3 xs ys zs)
  in ( map3 (\x y z -> x + y + z) xs ys zs
     , a
     , b
     , c
     , map5 (\x y z v w -> x + y + z + v - w) xs ys zs zs xs
     )

entry prefixes (xs: []i32) = (scan (+) 0 xs, exscan (+) 0 xs, exscan (+) 0 (take 0 xs))

entry writes (is: []i64) (vs: []i32) =
  let n = length is
  let (is, vs) = (is :> [n]i64, vs :> [n]i32)
  in (scatter [0, 0, 0] is vs, spread 3 0 is vs, map (+ 1) (scatter [0, 0, 0] is vs))

entry bins (is: []i64) (vs: []i32) =
  let n = length is
  let (is, vs) = (is :> [n]i64, vs :> [n]i32)
  in (hist (+) 0 3 is vs, reduce_by_index [1, 1, 1] (+) 0 is vs)

entry selections (xs: []i32) =
  let (high, low) = partition (> 3) xs
  let (even, three, rest) = partition2 (\x -> x % 2 == 0) (== 3) xs
  in (filter (\x -> x % 2 == 0) xs, high, low, even, three, rest)

entry pieces_of_different_lengths (ns: []i64) = flatmap' (\n -> filter (>= 0) (iota n)) ns

entry functions (x: i32) =
  ((+ 5) x |> id, iterate 3 (* 2) x, iterate_until (> 50) (* 2) x, flip (-) 5 x)
