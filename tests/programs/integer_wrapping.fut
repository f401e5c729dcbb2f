-- Integer arithmetic wraps around; `**` checks its exponent.
-- ==
-- entry: wrap
-- input { 127i8 1i8 } output { -128i8 127i8 -1i8 }

-- ==
-- entry: power
-- input { 3i32 4i32 } output { 81i32 }
-- input { 2i32 -1i32 } error: exponent
-- input { 7i32 0i32 } output { 1i32 }

entry wrap (a: i8) (b: i8) = (a + b, (a + b) - b, (a * 2 + b))
entry power (a: i32) (b: i32) = a ** b
