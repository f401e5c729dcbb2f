-- Sums and products that overflow wrap around: no comparison of them is decided as if they did not.
-- ==
-- entry: successor_is_larger
-- input { 41i64 } output { true }
-- input { 9223372036854775807i64 } output { false }
entry successor_is_larger (x: i64) : bool = x < x + 1

-- ==
-- entry: saturating_sum
-- input { 9223372036854775807i64 5i64 } output { 9223372036854775807i64 }
-- input { -9223372036854775807i64 -5i64 } output { -9223372036854775808i64 }
-- input { 2i64 3i64 } output { 5i64 }
entry saturating_sum (a: i64) (b: i64) : i64 =
  let s = a + b
  in if b > 0
     then (if s < a then i64.highest else s)
     else (if s > a then i64.lowest else s)

-- ==
-- entry: negative_products
-- input { 6i64 } output { [true, false, false, false, true, true] }
entry negative_products (n: i64) : []bool =
  map (\i ->
         let a = (i + 10) * (i + 100)
         let b = a * a * a
         in b * b * b < 0)
      (iota n)

-- ==
-- entry: negative_hashes
-- input { 6i64 } output { [false, true, true, false, true, false] }
entry negative_hashes (n: i64) : []bool =
  map (\i -> (i + 3) * 2654435761 * 2654435761 < 0) (iota n)

-- ==
-- entry: products_of_unsigned
-- input { [4294967295u32, 3u32] } output { [true, false] }
entry products_of_unsigned [n] (xs: [n]u32) : [n]bool =
  map (\x -> i64.u32 x * i64.u32 x < 0) xs
