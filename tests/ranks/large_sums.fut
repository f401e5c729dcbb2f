-- Sums of arrays so large that ranks combine them in parts, or by halves (runtime/ranks/reduce.h); the
-- last ones so large that devices that send each other messages directly do so with their parts.
-- ==
-- entry: sums
-- input { 10i64 1i64 } auto output
-- input { 10i64 5000i64 } auto output
-- input { 9i64 5003i64 } auto output
-- input { 8i64 20001i64 } auto output
-- input { 4i64 140003i64 } auto output

-- ==
-- entry: of_several_types
-- input { 11i64 3000i64 } auto output
-- input { 11i64 9999i64 } auto output
-- input { 4i64 80001i64 } auto output

entry sums (n: i64) (m: i64) : [m]i64 =
  reduce (map2 (+))
         (replicate m 0)
         (tabulate n (\i -> tabulate m (\j -> (i + 3) * (j + 1) % 1009)))

-- In one message.
entry of_several_types (n: i64) (m: i64) : ([m]f64, [m]i16, [m]f32) =
  let rows = tabulate n (\i -> tabulate m (\j -> (i + 2) * (j + 1) % 101))
  in ( reduce (map2 (+)) (replicate m 0) (map (map f64.i64) rows)
     , reduce (map2 i16.max) (replicate m i16.lowest) (map (map i16.i64) rows)
     , reduce (map2 (+)) (replicate m 0) (map (map f32.i64) rows)
     )
