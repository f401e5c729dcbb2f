-- What an application calls whose ranks have parts of its data: tests/ranks/library/application.c.
entry step [n] (xs: [n]f64) : [n]f64 = map (\x -> x * 2 + 1) xs

-- One message of a number.
entry total [n] (xs: [n]f64) : f64 = f64.sum xs

-- Wants all of its argument on every rank.
entry turned [n] (xs: [n]f64) : [n]f64 = map (\i -> xs[(i * 7 + 3) % n] + f64.i64 i) (iota n)

-- Two dimensions, and a scalar.
entry scaled [n] [m] (a: f64) (xs: [n][m]f64) : ([n][m]f64, f64) =
  let ys = map (map (* a)) xs
  in (ys, f64.sum (flatten ys))

-- On the rank that has such an element.
entry checked [n] (xs: [n]f64) : [n]f64 =
  map (\x -> assert (x < 1e6) (f64.sqrt x)) xs
