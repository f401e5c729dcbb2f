-- Arrays without elements keep their inner sizes.
-- ==
-- entry: shapes
-- input { empty([0][3]i32) } output { 0i64 3i64 empty([3][0]i32) }

-- ==
-- entry: mapped
-- input { empty([0]i32) } output { empty([0][2]i32) }

-- ==
-- entry: flattened
-- input { empty([0][4]i32) } output { empty([0]i32) }

entry shapes [n] [m] (xss: [n][m]i32) = (n, m, transpose xss)
entry mapped (xs: []i32) = map (\x -> [x, x]) xs
entry flattened (xss: [][]i32) = flatten xss

-- An array of units has a size, also at an entry point.
-- ==
-- entry: units
-- script input { make_units 3i64 } output { 3i64 }

entry make_units (n: i64) : [n]() = replicate n ()
entry units (us: []()) = length us
