-- Loops that do the same share their code, also if they fail at different places: each says where.

def at_line_4 [n] (xs: [n]i64) (is: []i64) : []i64 =
  map (\i -> xs[i] * 3) is

def at_line_7 [n] (xs: [n]i64) (is: []i64) : []i64 =
  map (\i -> xs[i] * 3) is

-- ==
-- entry: first
-- input { [5, 6, 7] [2, 0] } output { [21, 15] }
-- input { [5, 6, 7] [2, 3] } error: share_code.fut:4:
entry first (xs: []i64) (is: []i64) : []i64 = at_line_4 xs is

-- ==
-- entry: second
-- input { [5, 6, 7] [2, 0] } output { [21, 15] }
-- input { [5, 6, 7] [2, 3] } error: share_code.fut:7:
entry second (xs: []i64) (is: []i64) : []i64 = at_line_7 xs is
