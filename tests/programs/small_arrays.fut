-- Arrays of a few elements mean the same whether they are in memory or in registers.
-- ==
-- entry: swap_until
-- input { 0i64 [1i64, 2i64] } output { [1i64, 2i64] }
-- input { 3i64 [1i64, 2i64] } output { [2i64, 5i64] }
-- ==
-- entry: moved_places
-- input { 7i64 } output { [1i64, 2i64, 2i64, 2i64] [0i64, 1i64, 2i64] }
-- ==
-- entry: powers
-- input { 10i64 } output { [[89i64, 55i64], [55i64, 34i64]] }
-- ==
-- entry: fibonacci
-- input { 6i64 } output { [1i64, 1i64, 2i64, 3i64, 5i64, 8i64] }
-- ==
-- entry: lines
-- input { [[2.0, 1.0], [3.0, 0.0], [1.0, 5.0]] }
-- output { [[2.0, 1.0], [6.0, 3.0], [6.0, 8.0]] [6.0, 6.0] }
-- input { empty([0][2]f64) } output { empty([0][2]f64) [0.0, 0.0] }
-- ==
-- entry: rows
-- input { [[1i64, 2i64, 3i64], [4i64, 5i64, 6i64]] 1i64 }
-- output { [[1i64, 2i64, 3i64], [6i64, 5i64, 4i64]] [4i64, 5i64, 6i64] }
-- ==
-- entry: checked
-- input { [1i64, 2i64] } output { [6i64, 3i64] }
-- input { [1i64, 0i64] } error: division by zero
-- ==
-- entry: choice
-- input { true } output { [1i64, 2i64] 2i64 }
-- input { false } output { [20i64, 10i64] 20i64 }
-- ==
-- entry: zeros
-- input { [-0.0, -0.0] } output { 0.0 [0.0, 0.0] }
-- ==
-- entry: bins
-- input { [0i64, 2i64, 0i64] } output { [[2i64, 20i64], [0i64, 0i64], [1i64, 10i64]] }

-- | A loop whose pair changes places; its first value is a parameter.
entry swap_until (n: i64) (start: [2]i64) : [2]i64 =
  loop p = start for i < n do if i % 2 == 0 then [p[1], p[0] + p[1]] else [p[1], p[0]]

-- | Updates at positions that only run time knows stay in memory; a copy from before does not see
-- them.
entry moved_places (n: i64) : ([4]i64, [3]i64) =
  let (counts, last) =
    loop (counts, last) = (replicate 4 0, [9, 9, 9])
    for i < n do
      let before = copy counts[0:3]
      let counts = counts with [i % 4] = counts[i % 4] + 1
      in (counts, if i == 3 then [before[0] - 1, before[1], before[2] + 1] else last)
  in (rotate 3 counts, last)

def product (a: [2][2]i64) (b: [2][2]i64) : [2][2]i64 =
  map (\row -> map (\column -> i64.sum (map2 (*) row column)) (transpose b)) a

entry powers (n: i64) : [2][2]i64 =
  loop m = [[1, 0], [0, 1]] for _i < n do product m [[1, 1], [1, 0]]

-- | A scan whose operator multiplies matrices.
entry fibonacci (n: i64) : [n]i64 =
  scan product [[1, 0], [0, 1]] (replicate n [[1, 1], [1, 0]]) |> map (\m -> m[0, 1])

-- | Lines x ↦ a x + b, composed; and their sum, element by element.
entry lines [n] (xs: [n][2]f64) : ([n][2]f64, [2]f64) =
  let after (f: [2]f64) (g: [2]f64) = [f[0] * g[0], f[1] * g[0] + g[1]]
  in (scan after [1, 0] xs, reduce (map2 (+)) [0, 0] xs)

-- | A row is reversed in place, and was read before.
entry rows [n] (xs: *[n][3]i64) (i: i64) : (*[n][3]i64, [3]i64) =
  let old = copy xs[i]
  let xs[i] = copy (reverse xs[i])
  in (xs, old)

-- | What fails in one element fails.
entry checked (xs: [2]i64) : [2]i64 = map (\x -> 6 / x) xs

entry choice (b: bool) : ([2]i64, i64) =
  let p = if b then [1, 2] else map (* 10) [2, 1]
  in (p, i64.maximum p)

-- | Sums start from their neutral element.
entry zeros (xs: [2]f64) : (f64, [2]f64) = (f64.sum xs, scan (+) 0 xs)

-- | A histogram of pairs.
entry bins (is: []i64) : [3][2]i64 =
  reduce_by_index (replicate 3 [0, 0]) (map2 (+)) [0, 0] is (map (const [1, 10]) is)
