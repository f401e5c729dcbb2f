-- Updates of elements, rows, slices and record fields; the original of a copy is untouched.
-- ==
-- entry: element
-- input { [1, 2, 3] 1i64 9 } output { [1, 9, 3] }
-- input { [1, 2, 3] 5i64 9 } error: out of bounds

-- ==
-- entry: row
-- input { [[1, 2], [3, 4]] [7, 8] } output { [[1, 2], [7, 8]] [[1, 2], [3, 4]] }

-- ==
-- entry: column
-- input { [[1, 2], [3, 4]] [7, 8] } output { [[1, 7], [3, 8]] }

-- ==
-- entry: field
-- input { 1 } output { 1 5 }

-- ==
-- entry: swap
-- input { [1, 2, 3] } output { [3, 2, 1] }

entry element [n] (xs: *[n]i32) (i: i64) (x: i32) = xs with [i] = x
entry row [n] (xss: [n][2]i32) (r: [2]i32) = ((copy xss) with [1] = r, xss)

entry column [n] (xss: *[n][2]i32) (c: [n]i32) =
  let xss[:, 1] = c
  in xss

entry field (x: i32) =
  let r = {a = x, b = 2}
  let r.b = 5
  in (r.a, r.b)

entry swap [n] (xs: *[n]i32) =
  let first = xs[0]
  let xs[0] = xs[n - 1]
  let xs[n - 1] = first
  in xs
