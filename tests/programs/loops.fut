-- `for`, `for … in` and `while` loops with several values, arrays updated in place, and an array
-- whose size changes.
-- ==
-- entry: fibonacci
-- input { 10 } output { 55 }
-- input { 0 } output { 0 }

-- ==
-- entry: collatz
-- input { 27i64 } output { 111i64 }

-- ==
-- entry: polynomial
-- input { [1.0, 2.0, 3.0] 2.0 } output { 17.0 }

-- ==
-- entry: sieve
-- input { 20i64 } output { [false, false, true, true, false, true, false, true, false, false, false, true, false, true, false, false, false, true, false, true] }

-- ==
-- entry: doubling
-- input { 3 } output { [1, 1, 1, 1, 1, 1, 1, 1] }

-- ==
-- entry: rows_in_turn
-- input { 2 [[1, 2], [3, 4], [5, 6]] [10, 20] } output { [63, 113] }
-- input { 0 [[1, 2], [3, 4], [5, 6]] [10, 20] } output { [20, 40] }

entry fibonacci (n: i32) = (loop (a, b) = (0, 1) for _i < n do (b, a + b)).0

entry collatz (n: i64) =
  (loop (x, steps) = (n, 0i64)
   while x != 1 do
     (if x % 2 == 0 then x / 2 else 3 * x + 1, steps + 1)).1

entry polynomial (coefficients: []f64) (x: f64) =
  loop y = 0 for c in reverse coefficients do y * x + c

entry sieve (n: i64) =
  let flags = tabulate n (>= 2)
  in loop flags for i < n do
       if flags[i]
       then loop flags for k < n / i - 1 do flags with [(k + 2) * i % n] = if (k + 2) * i < n then false else flags[(k + 2) * i % n]
       else flags

entry doubling (n: i32) = loop xs = [1] for _i < n do xs ++ xs

-- A loop whose count is narrow, inside of a map.
entry rows_in_turn [n] [m] (count: i32) (rows: [n][m]i32) (starts: []i32) =
  map (\start -> start + (loop sum = start for i < count do i32.sum (map (+ sum) rows[i])))
      starts
