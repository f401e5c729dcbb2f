-- Ranges upwards and downwards, with steps; a range in the wrong direction is an error.
-- ==
-- entry: up
-- input { 1i64 6i64 } output { [1i64, 2i64, 3i64, 4i64, 5i64] [1i64, 3i64, 5i64] [1i64, 2i64, 3i64, 4i64, 5i64, 6i64] }

-- ==
-- entry: down
-- input { 5i32 } output { [5, 4, 3, 2, 1] [5, 3, 1] }

-- ==
-- entry: checked
-- input { 1i64 0i64 } error: Range
-- input { 1i64 1i64 } output { [1i64] }

entry up (a: i64) (b: i64) = (a..<b, a..(a + 2)..<b, a...b)
entry down (a: i32) = (a..>0, a..(a - 2)...1)
entry checked (a: i64) (b: i64) = a...b
