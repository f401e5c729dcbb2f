-- Slices with elided bounds and negative strides; only what is read is checked.
-- ==
-- entry: parts
-- input { [1, 2, 3, 4, 5] }
-- output { [2, 3] [1, 2] [4, 5] [5, 4, 3, 2, 1] [1, 3, 5] empty([0]i32) }

-- ==
-- entry: matrix_parts
-- input { [[1, 2, 3], [4, 5, 6]] } output { [2, 5] [[3, 2], [6, 5]] }

-- ==
-- entry: outside
-- input { [1, 2, 3] 1i64 4i64 } error: out of bounds
-- input { [1, 2, 3] 3i64 3i64 } output { empty([0]i32) }

-- ==
-- entry: element
-- input { [1, 2, 3] 2i64 } output { 3 }
-- input { [1, 2, 3] 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] -1i64 } error: Index \[-1\] out of bounds for array of shape \[3\]

entry parts (xs: []i32) = (xs[1:3], xs[:2], xs[3:], xs[::-1], xs[::2], xs[2:2])
entry matrix_parts (xss: [][]i32) = (xss[:, 1], xss[:, 2:0:-1])
entry outside (xs: []i32) (a: i64) (b: i64) = xs[a:b]
entry element (xs: []i32) (i: i64) = xs[i]
