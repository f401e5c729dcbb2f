-- Derivatives of x ** y at the edges: for y = 0 in x wherever x is, and for x = 0.
-- ==
-- entry: by_base
-- input { [2.0, 0.0, 0.0, 0.0, 5e-324, -0.0, 1e-300, f64.inf] [3.0, 2.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0] }
-- output { [12.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0] }
-- ==
-- entry: by_exponent
-- input { [1.0, 0.0, -2.0] [3.0, 0.0, 2.0] } output { [0.0, 0.0, 0.0] }

entry by_base = map2 (\x y -> vjp (** y) x 1f64)
entry by_exponent = map2 (\x y -> jvp (x **) y 1f64)
