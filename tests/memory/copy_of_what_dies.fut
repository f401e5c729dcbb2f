-- A copy of what nobody needs afterwards is the thing itself.
entry first_set [n] (xs: [n]i64) : [n]i64 =
  let ys = copy (scan (+) 0 xs)
  in ys with [0] = 7
-- expect
--| -- first_set
--|   xs: [n]i64, an argument
--|   ys: [n]i64, block of 8*n bytes, given on
--|   x: [n]i64, in ys
