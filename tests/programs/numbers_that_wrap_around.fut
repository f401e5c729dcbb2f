-- Comparisons of sums and products that wrap around see the numbers that come out.
-- ==
-- entry: next
-- input { 41i64 } output { true 42i64 false }
-- input { 9223372036854775807i64 } output { false 9223372036854775807i64 false }
-- ==
-- entry: of_two
-- input { 3i64 4i64 } output { true true true }
-- input { 9223372036854775807i64 2i64 } output { false false true }
-- ==
-- entry: of_three
-- input { 3i64 4i64 } output { true true }
-- input { 4611686018427387904i64 4i64 } output { true false }
entry next (x: i64) = (x < x + 1, i64.max x (x + 1), x == x + 1)

entry of_two (x: i64) (y: i64) =
  if x >= 0 && y >= 0 then (x + y >= 0, x * y >= 0, x <= x + 0 * y) else (true, true, true)

entry of_three (x: i64) (y: i64) =
  let z = x * 3
  in (if x > 0 then z > 0 || z < 0 else false, if x > 0 && y > 1 then x < x * y else false)
