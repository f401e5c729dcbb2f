-- An array that the loop only updates stays where it was.
entry fill (n: i64) : [n]i64 =
  loop xs = replicate n 0 for i < n do xs with [n - 1 - i] = i * i
-- expect
--| -- fill
--|   x: [n]i64, block of 8*n bytes, given on
--|   xs: [n]i64, loop in place, first x
--|     x.2: [n]i64, in x
--|   x.3: [n]i64, in x
