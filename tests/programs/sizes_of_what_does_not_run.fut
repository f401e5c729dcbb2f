-- A number that is a size in code that does not run may be negative.
-- ==
-- entry: in_a_branch
-- input { -3i64 5i64 false } output { 0i64 1i64 }
-- input { 3i64 5i64 true } output { 20i64 2i64 }
entry in_a_branch (n: i64) (m: i64) (does: bool) : (i64, i64) =
  let a = if does then i64.sum (map (\x -> x * x + m) (iota n)) else 0
  in (a, if n < 0 then 1 else 2)

-- What does not depend on the iteration is computed before the loop, and only if it can be.
-- ==
-- entry: in_a_loop
-- input { -3i64 0i64 } output { 0i64 1i64 }
-- input { -3i64 2i64 } error: Range 0..1..<-3 is invalid
-- input { 3i64 2i64 } output { 1i64 2i64 }
entry in_a_loop (n: i64) (k: i64) : (i64, i64) =
  let a = loop acc = 0 for i < k do acc + (scan (+) 0 (iota n))[i % n]
  in (a, if n < 0 then 1 else 2)

-- Two such sizes, of which the product is positive.
-- ==
-- entry: squares_in_a_loop
-- input { -3i64 0i64 } output { 0i64 }
-- input { -3i64 2i64 } error: Range 0..1..<-3 is invalid
-- input { 3i64 2i64 } output { 42i64 }
entry squares_in_a_loop (n: i64) (k: i64) : i64 =
  loop acc = 0
  for _i < k do
    acc + i64.sum (flatten (map (\x -> scan (+) x (iota n)) (iota n)))

-- ==
-- entry: squares_in_a_map
-- input { -3i64 0i64 } output { empty([0]i64) }
-- input { -3i64 2i64 } error: Range 0..1..<-3 is invalid
-- input { 3i64 2i64 } output { [18i64, 19i64] }
entry squares_in_a_map (n: i64) (k: i64) : [k]i64 =
  map (\i -> i64.sum (flatten (replicate n (scan (+) 0 (replicate n 1)))) + i) (iota k)

-- ==
-- entry: other_length_in_a_loop
-- input { [1i64, 2i64] 1000000000i64 0i64 } output { 0i64 }
-- input { [1i64, 2i64] 3i64 1i64 } error: cannot match shape
-- input { [1i64, 2i64] 2i64 2i64 } output { 4i64 }
entry other_length_in_a_loop [n] (xs: [n]i64) (m: i64) (k: i64) : i64 =
  loop acc = 0 for i < k do acc + (scan (+) 0 (xs :> [m]i64))[i]

-- A map over no elements needs its width all the same.
-- ==
-- entry: ones
-- input { -3i64 } error: Range 0..1..<-3 is invalid
-- input { 3i64 } output { [1i64, 2i64, 3i64] }
entry ones (n: i64) : [n]i64 = scan (+) 0 (map (\_ -> 1) (iota n))
