-- A tuning parameter that is not set is the expression it stands at.
-- ==
-- entry: scaled
-- input { [1i64, 2i64] } output { [10i64, 20i64] }

-- ==
-- entry: inside
-- input { [4i64] } output { [8i64] }

def factor = i64.sum (replicate 5 (#[param(two)] 2))
entry scaled (xs: []i64) = map (* factor) xs
entry inside (xs: []i64) = map (\x -> x + #[param(x)] x) xs
