-- Value errors stop the program with a message and the place.
-- ==
-- entry: asserted
-- input { 3 } output { 3 }
-- input { -3 } error: errors_at_run_time.fut

-- ==
-- entry: coerced
-- input { [1, 2] 2i64 } output { [1, 2] }
-- input { [1, 2] 3i64 } error: 3

-- ==
-- entry: inside_map
-- input { [1, 2, 0] } error: zero

-- ==
-- entry: inside_loop
-- input { [1, 2, 3] 2i64 } output { 3 }
-- input { [1, 2, 3] 4i64 } error: out of bounds

-- ==
-- entry: units
-- input { 3i64 } output { 6i64 }
-- input { 4611686018427387904i64 } error: too long

entry asserted (x: i32) = assert (x >= 0) x
entry coerced (xs: []i32) (n: i64) = xs :> [n]i32
entry inside_map (xs: []i32) = map (6 /) xs
entry inside_loop (xs: []i32) (n: i64) = loop s = 0 for i < n do s + xs[i]
entry units (n: i64) = let a = replicate n () in length (a ++ a)
