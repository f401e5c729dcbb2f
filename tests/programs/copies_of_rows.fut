-- A copied row is read as it was, whatever is written to its array afterwards.
-- ==
-- entry: later
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [[7i64, 7i64, 7i64], [1i64, 4i64, 9i64]] }
-- ==
-- entry: own
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [[3i64, 2i64, 1i64], [6i64, 5i64, 4i64]] }
-- ==
-- entry: chain
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [[14i64, 14i64, 14i64], [4i64, 5i64, 6i64]] 14i64 }
entry later [m] (xs: *[2][m]i64) : [2][m]i64 =
  let row = copy xs[0]
  let xs = xs with [0] = replicate m 7
  in xs with [1] = map (\a -> a * a) row

entry own [n] [m] (xs: *[n][m]i64) : [n][m]i64 =
  loop xs for i < n do
    let row = copy xs[i]
    in xs with [i] = map (\j -> row[m - 1 - j]) (iota m)

entry chain [m] (xs: *[2][m]i64) : ([2][m]i64, i64) =
  let row = copy xs[0]
  let s = i64.sum (map (\a -> a * a) row)
  let xs = xs with [0] = replicate m s
  let old = copy xs[0]
  let xs = xs with [0] = map2 (\a b -> a + b - b) old row
  in (xs, xs[0, 0])
