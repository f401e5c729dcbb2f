-- A number that is a size in code that does not run may be negative.
-- ==
-- entry: in_a_branch
-- input { -3i64 5i64 false } output { 0i64 1i64 }
-- input { 3i64 5i64 true } output { 20i64 2i64 }
entry in_a_branch (n: i64) (m: i64) (does: bool): (i64, i64) =
  let a = if does then i64.sum (map (\x -> x * x + m) (iota n)) else 0
  in (a, if n < 0 then 1 else 2)
