-- `#[blank]` and `#[scratch]` stand for any value of the type, so what they mark is not evaluated.
-- ==
-- entry: first_or_none
-- input { [7, 8] } output { 7 false }
-- input { empty([0]i32) } output { 0 true }

-- ==
-- entry: filled
-- random compiled input { [5]i32 } auto output

entry first_or_none [n] (xs: [n]i32) =
  let x = if n == 0 then #[blank] xs[0] else xs[0]
  in (if n == 0 then 0 else x, n == 0)

entry filled [n] (xs: [n]i32) =
  (scatter (#[scratch] copy xs) (iota n) xs, scatter (#[blank] copy xs) (iota n) xs)
