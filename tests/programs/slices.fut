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
-- input { [1, 2, 3] 9i64 9i64 } output { empty([0]i32) }

-- ==
-- entry: element
-- input { [1, 2, 3] 2i64 } output { 3 }
-- input { [1, 2, 3] 3i64 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] -1i64 } error: Index \[-1\] out of bounds for array of shape \[3\]

-- Both ends of a slice with a stride are checked.
-- ==
-- entry: strided
-- input { [1, 2, 3, 4, 5] 4i64 -1i64 -2i64 } output { [5, 3, 1] }
-- input { [1, 2, 3, 4, 5] 1i64 5i64 3i64 } output { [2, 5] }
-- input { [1, 2, 3, 4, 5] 5i64 0i64 -1i64 } error: Index \[5:0:-1\] out of bounds
-- input { [1, 2, 3, 4, 5] 4i64 -2i64 -2i64 } error: Index \[4:-2:-2\] out of bounds
-- input { [1, 2, 3, 4, 5] -1i64 3i64 2i64 } error: Index \[-1:3:2\] out of bounds
-- input { [1, 2, 3, 4, 5] 0i64 7i64 2i64 } error: Index \[0:7:2\] out of bounds
-- input { [1, 2, 3, 4, 5] 0i64 6i64 2i64 } output { [1, 3, 5] }
-- input { [1, 2, 3, 4, 5] 7i64 7i64 -1i64 } output { empty([0]i32) }
-- input { [1, 2, 3, 4, 5] 0i64 5i64 0i64 } error: out of bounds

entry strided (xs: []i32) (a: i64) (b: i64) (s: i64) = xs[a:b:s]
entry parts (xs: []i32) = (xs[1:3], xs[:2], xs[3:], xs[::-1], xs[::2], xs[2:2])
entry matrix_parts (xss: [][]i32) = (xss[:, 1], xss[:, 2:0:-1])
entry outside (xs: []i32) (a: i64) (b: i64) = xs[a:b]
entry element (xs: []i32) (i: i64) = xs[i]
