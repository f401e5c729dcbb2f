-- What a map makes for a part of an array is made there.
entry table (n: i64) (m: i64) : [n][m]i64 =
  loop rows = replicate n (replicate m 0) for i < n do
    rows with [i] = map (\j -> i * j) (iota m)
-- expect
--| -- table
--|   x: [n][m]i64, block of 8*n*m bytes, given on
--|   x.2: [m]i64, nowhere
--|   rows: [n][m]i64, loop in place, first x
--|     x.3: [m]i64, where it is put in rows
--|     x.4: [n][m]i64, in x
--|   x.5: [n][m]i64, in x
