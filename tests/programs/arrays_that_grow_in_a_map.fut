-- A loop inside a map may carry an array that grows, from one of constant size on.
-- ==
-- input { [1.5, 0.5, 2.0, 4.0] } output { [9.75, 114.0, 537.75] }

def chain (x: [4]f64) =
  f64.sum (loop y = [x[0]] for i < 3 do y ++ [y[i] * x[i + 1]])

entry main (x: [4]f64) = map (\s -> chain (map (* s) x)) [1, 2, 3]
