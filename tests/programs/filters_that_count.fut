-- Filters and partitions whose lengths are used, whose elements are not, and the other way round.

-- ==
-- entry: rest
-- input { [1,-2,3,4,-5,6] } output { 4i64 [-2,-5] }
-- input { empty([0]i32) } output { 0i64 empty([0]i32) }
entry rest [n] (xs: [n]i32) : (i64, []i32) =
  let (a, b) = partition (> 0) xs
  in (length a, b)

-- ==
-- entry: first
-- input { [1,-2,3,4,-5,6] } output { 2i64 [1,3,4,6] }
entry first [n] (xs: [n]i32) : (i64, []i32) =
  let (a, b) = partition (> 0) xs
  in (length b, a)

-- ==
-- entry: updated
-- input { [1,-2,3,4,-5,6] } output { [7,3,4,6] }
entry updated [n] (xs: [n]i32) : []i32 =
  let ys = filter (> 0) xs
  in if length ys > 0 then ys with [0] = 7 else ys

-- ==
-- entry: rows
-- input { [[1,2],[-2,3],[3,1]] } output { [[1,2],[3,1]] }
entry rows [n] [m] (xs: [n][m]i32) : [][m]i32 = filter (\r -> r[0] > 0) xs

-- ==
-- entry: inside
-- input { [[1,-2],[-2,3],[3,1]] } output { [1,3,4] }
entry inside [n] [m] (xs: [n][m]i32) : [n]i32 = map (\r -> i32.sum (filter (> 0) r)) xs
