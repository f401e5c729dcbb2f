-- Broadcasting aligns shapes at the innermost dimension and stretches missing dimensions and
-- those of size 1.
-- ==
-- entry: rows
-- input { [[1, 2, 3], [4, 5, 6]] [10, 20, 30] } output { [[11, 22, 33], [14, 25, 36]] }

-- ==
-- entry: columns
-- input { [[1, 2, 3], [4, 5, 6]] [10, 20] } output { [[11, 12, 13], [24, 25, 26]] }

-- ==
-- entry: scalars
-- input { [1.0, 2.0] } output { [2.5, 4.5] }

-- ==
-- entry: outer
-- input { [1, 2] [3, 4, 5] } output { [[3, 4, 5], [6, 8, 10]] }

-- ==
-- entry: functions
-- input { [1.0, 4.0] [2.0, 0.5] } output { [1.0, 2.0] [3.0, 4.5] }

-- ==
-- entry: nothing
-- input { empty([0]i32) } output { empty([0]i32) }

def stretch [n] (xs: [n]i32) : [n][1]i32 = map (\x -> [x]) xs

entry rows [n] [m] (a: [n][m]i32) (b: [m]i32) = a .+ b
entry columns [n] [m] (a: [n][m]i32) (b: [n]i32) = a .+ stretch b
entry scalars (xs: []f64) = 2 .* xs .+ 0.5
entry outer [n] [m] (a: [n]i32) (b: [m]i32) = stretch a .* b

entry functions [n] (a: [n]f64) (b: [n]f64) =
  let add x y = x + y
  in (f64.sqrt.(a), broadcast add a b)

entry nothing (xs: []i32) = xs .+ 1
