-- Numbers of one type as another, and rows that a map makes, in blocks of vector lanes.
-- ==
-- entry: widened narrowed rounded rows_of_powers
-- random input { [1000000]f32 [1000000]i32 }

entry widened [n] (xs: [n]f32) (is: [n]i32): [n]f64 =
  map2 (\x i -> f64.f32 x * f64.i32 i) xs is

entry narrowed [n] (xs: [n]f32) (is: [n]i32): [n]i32 =
  map2 (\x i -> i32.i8 (i8.i32 i) + i32.u16 (u16.f32 (x * 1000))) xs is

entry rounded [n] (xs: [n]f32) (is: [n]i32): [n]i64 =
  map2 (\x i -> i64.f32 (f32.round (x * 10)) + i64.i32 i) xs is

-- | The first four powers of each number, and their sum by a loop.
entry rows_of_powers [n] (xs: [n]f32) (_is: [n]i32): ([n][4]f32, [n]f32) =
  unzip (map (\x -> let powers = [x, x * x, x ** 3, x ** 4]
                    in (powers, loop sum = 0 for p in powers do sum / 2 + p)) xs)
