-- Division and remainder floor; quotient and rest truncate; dividing by zero is an error.
-- ==
-- entry: floored
-- input { [7, -7, 7, -7] [2, 2, -2, -2] } output { [3, -4, -4, 3] [1, 1, -1, -1] }

-- ==
-- entry: truncated
-- input { [7, -7, 7, -7] [2, 2, -2, -2] } output { [3, -3, -3, 3] [1, -1, 1, -1] }

-- ==
-- entry: unsigned
-- input { [250u8, 7u8] [7u8, 2u8] } output { [35u8, 3u8] [5u8, 1u8] }

-- ==
-- entry: one
-- input { 1i64 0i64 } error: zero
-- input { 10i64 3i64 } output { 3i64 }

entry floored [n] (a: [n]i32) (b: [n]i32) = (map2 (/) a b, map2 (%) a b)
entry truncated [n] (a: [n]i32) (b: [n]i32) = (map2 (//) a b, map2 (%%) a b)
entry unsigned [n] (a: [n]u8) (b: [n]u8) = (map2 (/) a b, map2 (%) a b)
entry one (a: i64) (b: i64) = a / b
