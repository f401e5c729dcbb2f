-- | The eval `hello`: a square, and its derivative.
-- ==
-- entry: square
-- input { 3.0 } output { 9.0 }
-- ==
-- entry: double
-- input { 3.0 } output { 6.0 }

entry square (x: f64): f64 = x * x

entry double (x: f64): f64 = vjp square x 1
