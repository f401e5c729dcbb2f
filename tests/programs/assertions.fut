-- Whatever a failed assert returns cannot be used: values, functions, and what is handed on
-- through loops and branches.
-- ==
-- entry: asserted_function
-- input { 2 } output { 1 }
-- input { 3 } error: x % 2 == 0

-- ==
-- entry: asserted_function_for_recursion
-- input { 2 } output { 12 }
-- input { -1 } error: x > 0

-- ==
-- entry: through_a_loop
-- input { 0 2 } output { 2 }
-- input { 0 3 } error: x < 3

-- ==
-- entry: through_branches
-- input { true 2 } output { 2 }
-- input { false 3 } error: x < 3

-- ==
-- entry: size_of_an_argument
-- input { 1i64 [1, 2] } output { 1i64 }
-- input { 1i64 [1, 2, 3] } error: invalid size

-- ==
-- entry: length_of_a_slice
-- input { 3i64 1i64 } output { 3i64 }
-- input { -2i64 1i64 } error: Range 0..1..<-2 is invalid

entry asserted_function (x: i32) =
  let f = assert (x % 2 == 0) (x /)
  in f 2

def repeat (n: i32) (f: i32 -> i32) (x: i32) : i32 = if n == 0 then x else repeat (n - 1) f (f x)

entry asserted_function_for_recursion (x: i32) =
  let f = assert (x > 0) (+ x)
  in repeat 5 f 2

entry through_a_loop (n: i32) (x: i32) =
  loop same = assert (x < 3) x for _i < n do same

entry through_branches (c: bool) (x: i32) =
  let y = assert (x < 3) x
  in if c then y else y

entry size_of_an_argument (n: i64) (_: [n + 1]i32) = n

entry length_of_a_slice (n: i64) (i: i64) = i64.sum (iota n)[i:]

-- A check of constants fails when its place is reached, not before.
-- ==
-- entry: constants
-- input { 0 } output { 0 }
-- input { 1 } error: Negative exponent
-- input { 2 } error: division by zero

entry constants (x: i32) : i32 = if x == 1 then 2 ** -1 else if x == 2 then 0 / 0 else 0
