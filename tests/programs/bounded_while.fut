-- The bound of a `while` loop may be a number or a name, for which the gradient keeps as many values.
-- ==
-- entry: by_number by_name by_parameter
-- input { 1.5 20i64 } output { true }

def steps (x: f64) : f64 = loop y = x while y < 20 do y * x + 0.5

def same (f: f64 -> f64) (x: f64) : bool =
  let (y, dy) = vjp2 f x 1
  let difference = (steps (x + 1e-6) - steps (x - 1e-6)) / 2e-6
  in y == steps x && f64.abs (dy - jvp f x 1) <= 1e-10 * f64.abs dy
     && f64.abs (dy - difference) <= 1e-6 * f64.abs dy

entry by_number (x: f64) (_: i64) =
  same (\x -> #[bound(20)] loop y = x while y < 20 do y * x + 0.5) x

entry by_name (x: f64) (n: i64) =
  let most = n / 2
  in same (\x -> #[bound(most)] loop y = x while y < 20 do y * x + 0.5) x

entry by_parameter (x: f64) (n: i64) =
  let bounded (most: i64) (x: f64) = #[bound(most)] loop y = x while y < 20 do y * x + 0.5
  in same (bounded n) x

-- A bound that does not suffice is an error: what the loop gives would be wrong.
-- ==
-- entry: too_few
-- input { 1.5 8i64 } output { 24.0 }
-- input { 1.5 2i64 } error: takes more than its bound, 2 iterations
entry too_few (x: f64) (n: i64) : f64 = (vjp2 (\x -> #[bound(n)] loop y = x while y < 20 do y * 2) x 1).0
