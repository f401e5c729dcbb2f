-- An entry point whose body is a function takes that function's parameters.
-- ==
-- entry: larger
-- input { [1i8, 5i8] [3i8, 2i8] } output { [3i8, 5i8] }
-- input { empty([0]i8) empty([0]i8) } output { empty([0]i8) }
-- input { [1i8, 5i8] [3i8] } error: size
-- ==
-- entry: plus
-- input { 10 [1, 2] } output { [11, 12] }
-- ==
-- entry: element
-- input { [4, 5] 1i64 } output { 5 }

entry larger = map2 i8.max

entry plus (k: i32) = map (+ k)

entry element : []i32 -> i64 -> i32 = \xs i -> xs[i]
