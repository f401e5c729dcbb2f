-- filter and partition keep order; their sizes are known only afterwards.
-- ==
-- entry: kept
-- input { [5, -1, 7, 0, -3] } output { [5, 7] 2i64 }
-- input { [-1] } output { empty([0]i32) 0i64 }

-- ==
-- entry: parted
-- input { [5, 2, 8, 1] } output { [2, 8] [5, 1] }

-- ==
-- entry: kept_pairs
-- input { [1, 2, 3] [1.0, -1.0, 2.0] } output { [1, 3] [1.0, 2.0] }

-- ==
-- entry: kept_rows
-- input { [[1, 2], [-1, 3], [4, 5]] } output { [[1, 2], [4, 5]] 2i64 }
-- input { [[0, 2]] } output { empty([0][2]i32) 0i64 }

entry kept (xs: []i32) = let ys = filter (> 0) xs in (ys, length ys)
entry parted (xs: []i32) = partition (\x -> x % 2 == 0) xs
entry kept_pairs [n] (is: [n]i32) (xs: [n]f64) = unzip (filter (\(_, x) -> x > 0) (zip is xs))
entry kept_rows (xss: [][]i32) = let kept = filter (\xs -> xs[0] > 0) xss in (kept, length kept)
