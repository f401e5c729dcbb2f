-- What a branch, a loop or a call gives may be an array from before: a copy of it that is written
-- to leaves that array as it is.
-- ==
-- entry: branch
-- input { 0i64 [1.0, 2.0] [7.0, 8.0] } output { [30.0, 2.0] [1.0, 2.0] [7.0, 8.0] }
-- input { 1i64 [1.0, 2.0] [7.0, 8.0] } output { [30.0, 8.0] [1.0, 2.0] [7.0, 8.0] }
-- ==
-- entry: part_of_an_array
-- input { 0i64 [1.0, 2.0] } output { [30.0, 2.0] [1.0, 2.0] }
-- input { 1i64 [1.0, 2.0] } output { [30.0] [1.0, 2.0] }
-- ==
-- entry: for_loop while_loop call
-- input { 0i64 [1.0, 2.0] } output { [30.0, 2.0] [1.0, 2.0] }
-- input { 4i64 [1.0, 2.0] } output { [30.0, 6.0] [1.0, 2.0] }
-- ==
-- entry: exchanged
-- input { 0i64 [1.0, 2.0] } output { [30.0, 3.0] [2.0, 3.0] [3.0, 4.0] }
-- input { 1i64 [1.0, 2.0] } output { [30.0, 4.0] [2.0, 3.0] [3.0, 4.0] }
-- ==
-- entry: equal_results
-- input { 0i64 [1.0, 2.0] } output { [30.0, 2.0] [3.0, 4.0] [1.0, 2.0] }
-- input { 1i64 [1.0, 2.0] } output { [30.0, 5.0] [4.0, 5.0] [1.0, 2.0] }
-- ==
-- entry: shared_with_a_branch
-- input { 0i64 [1.0, 2.0] } output { [30.0, 3.0] [1.0, 2.0] }
-- input { 1i64 [1.0, 2.0] } output { [30.0, 3.0] [2.0, 3.0] }
-- ==
-- entry: gradient
-- input { 0.7 [1.0, 2.0, 3.0] [4.0, 5.0] } output { [0.0, 0.0, 0.0] [8.0, 10.0] }
-- input { 0.1 [1.0, 2.0, 3.0] [4.0, 5.0] } output { [0.0, 0.0, 6.0] [8.0, 10.0] }

def with_30 [n] (v: [n]f64) : [n]f64 = copy v with [0] = 30

entry branch (k: i64) (v: []f64) (w: [2]f64) =
  (with_30 (if k == 0 then v :> [2]f64 else w), v, w)

entry part_of_an_array (k: i64) (v: []f64) =
  let part = if k == 0 then v else v[1:]
  in (with_30 part, v)

entry for_loop (k: i64) (v: []f64) = (with_30 (loop y = v for _i < k do map (+ 1) y), v)

entry while_loop (k: i64) (v: []f64) =
  (with_30 (loop y = v while y[0] <= f64.i64 k && k > 0 do map (+ 1) y), v)

def recursion [n] (k: i64) (v: [n]f64) : [n]f64 =
  if k <= 0 then v else recursion (k - 1) (map (+ 1) v)

entry call (k: i64) (v: []f64) = (with_30 (recursion k v), v)

-- After one iteration the first is what began as the second.
entry exchanged (k: i64) (v: []f64) =
  let a = map (+ 1) v
  let b = map (+ 2) v
  let (x, _) = loop (x, y) = (a, b) for _i < k do (y, x)
  in (with_30 x, a, b)

entry equal_results (k: i64) (v: []f64) =
  let (x, y) = loop (x, y) = (v, map (+ 2) v) for _i < k do let z = map (+ 1) y in (z, z)
  in (with_30 x, y, v)

entry shared_with_a_branch (k: i64) (v: []f64) =
  let a = map (+ 1) v
  let b = if k == 0 then v else a
  in (with_30 a, b)

-- The zeros of the branch are those of the gradient.
entry gradient [n] [m] (x: f64) (v: [n]f64) (u: [m]f64) =
  let f (v: [n]f64, u: [m]f64) =
    let z = jvp (\_ -> v) u u
    in f64.sum (map (\y -> y * y) (scatter (copy (if x < 0.4 then v else z)) (iota m) u))
  in vjp f (v, u) 1
