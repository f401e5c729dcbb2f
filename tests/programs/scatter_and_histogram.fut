-- Writes outside an array are ignored; histograms combine with their destination.
-- ==
-- entry: scattered
-- input { [0, 0, 0] [2i64, -1i64, 0i64, 3i64] [7, 8, 9, 10] } output { [9, 0, 7] }

-- ==
-- entry: counted
-- input { 3i64 [0i64, 2i64, 2i64, 5i64, -1i64] } output { [1, 0, 2] }

-- ==
-- entry: combined
-- input { [10.0, 20.0] [1i64, 1i64, 0i64] [1.0, 2.0, 3.0] } output { [13.0, 23.0] }

-- ==
-- entry: largest
-- input { 2i64 [0i64, 0i64] [4, 9] } output { [9, -2147483648] }

-- The places are read by two that write, of which one writes over what they are computed from.
-- ==
-- entry: frontier
-- input { [true, false, true] [false, false, false] }
-- output { [true, false, true] [false, false, false] true }

entry scattered [k] (xs: *[k]i32) (is: []i64) (vs: []i32) =
  let n = length is in scatter xs (is :> [n]i64) (vs :> [n]i32)

entry counted (k: i64) (is: []i64) = hist (+) 0 k is (map (const 1i32) is)
entry combined [k] [n] (xs: *[k]f64) (is: [n]i64) (vs: [n]f64) = reduce_by_index xs (+) 0 is vs
entry largest [n] (k: i64) (is: [n]i64) (vs: [n]i32) = hist i32.max i32.lowest k is vs

entry frontier [n] (marked: *[n]bool) (seen: *[n]bool) =
  let is = map2 (\m i -> if m then i else -1) marked (iota n)
  let seen = scatter seen is (replicate n true)
  let marked = scatter marked is (replicate n false)
  let more = scatter [false] (map (\i -> if i >= 0 then 0 else -1) is) (replicate n true)
  in (seen, marked, more[0])
