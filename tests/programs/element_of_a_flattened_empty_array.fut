-- An index into an array without elements is out of bounds, whatever its shape was.
-- ==
-- entry: flattened
-- input { empty([0][3]i64) } error: Index \[0\] out of bounds
entry flattened (a: [0][3]i64) = (flatten a)[0]
