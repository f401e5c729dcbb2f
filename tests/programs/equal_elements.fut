-- Reductions and scans of a value that is the same for all elements.
-- ==
-- entry: reductions
-- input { 3i64 5i64 } output { [0, 5, 10] [7, 1, 2] [8u8, 13u8, 18u8] [1i8, 1i8, 3i8] }
-- input { 3i64 0i64 } output { [0, 0, 0] [7, 7, 7] [8u8, 8u8, 8u8] [1i8, 1i8, 1i8] }
-- input { 0i64 4i64 } output { empty([0]i32) empty([0]i32) empty([0]u8) empty([0]i8) }
-- input { 2i64 -1i64 } error: Range
entry reductions (n: i64) (m: i64) : ([n]i32, [n]i32, [n]u8, [n]i8) =
  let of 'a (f: [m]i32 -> a) = tabulate n (\i -> f (replicate m (i32.i64 i)))
  in ( of i32.sum
     , of (\xs -> reduce i32.min 7 (map (\x -> if x == 0 then 7 else x) xs))
     , of (\xs -> reduce (+) 8 (map u8.i32 xs))
     , of (\xs -> reduce (|) 1 (map i8.i32 xs))
     )

-- ==
-- entry: scans
-- input { 2i64 3i64 } output { [[0, 0, 0], [1, 2, 3]] [[100, 100, 100], [101, 102, 103]] [[0u16, 0u16, 0u16], [1u16, 1u16, 1u16]] }
-- input { 1i64 0i64 } output { empty([1][0]i32) empty([1][0]i32) empty([1][0]u16) }
entry scans (n: i64) (m: i64) : ([n][m]i32, [n][m]i32, [n][m]u16) =
  let of 't (f: [m]i32 -> [m]t) = tabulate n (\i -> f (replicate m (i32.i64 i)))
  in (of (scan (+) 0), of (scan (+) 100), of (map u16.i32 >-> scan u16.max 0))

-- Numbers modulo 2^8.
-- ==
-- entry: of_many
-- input { 1000i64 3i8 } output { -72i8 }
entry of_many (n: i64) (x: i8) : i8 = i8.sum (replicate n x)
