-- The branches of a choice may differ in a size, also where one is an argument of any size.
-- ==
-- entry: greet
-- input { "" } output { "Hello you" }
-- input { "Alice" } output { "Hello Alice" }

-- ==
-- entry: longer
-- input { [1, 2] [3] } output { [1, 2] }
-- input { [1] [2, 3] } output { [2, 3] }

def or_you (name: []u8) = if null name then "you" else name
def the_longer (xs: []i32) (ys: []i32) = if length xs > length ys then xs else ys

entry greet (name: []u8) : []u8 = "Hello " ++ or_you name
entry longer (xs: []i32) (ys: []i32) : []i32 = the_longer xs ys
