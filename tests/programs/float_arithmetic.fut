-- Real arithmetic follows IEEE: NaN is not equal to itself, minus zero keeps its sign, the
-- remainder has the sign of the dividend, rounding goes to even.
-- ==
-- entry: nan_is_not_itself
-- input { f64.nan } output { false true }

-- ==
-- entry: rounding
-- input { [0.5, 1.5, 2.5, -0.5, -1.5, 2.4] } output { [0.0, 2.0, 2.0, -0.0, -2.0, 2.0] [0.0, 1.0, 2.0, -1.0, -2.0, 2.0] }

-- ==
-- entry: remainder
-- input { 7.5 2.0 } output { 1.5 }
-- input { -7.5 2.0 } output { -1.5 }

-- ==
-- entry: reciprocal_of_minus_zero
-- input { -0.0 } output { -f64.inf }

-- ==
-- entry: extremes
-- input { [1.0, f64.nan, 3.0] } output { 3.0 1.0 f64.inf }

entry nan_is_not_itself (x: f64) = (x == x, f64.isnan x)
entry rounding (xs: []f64) = (map f64.round xs, map f64.floor xs)
entry remainder (x: f64) (y: f64) = x % y
entry reciprocal_of_minus_zero (x: f64) = 1 / x

entry extremes (xs: []f64) =
  (reduce f64.max (-f64.inf) xs, reduce f64.min f64.inf xs, f64.highest)
