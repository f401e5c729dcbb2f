-- A custom adjoint holds in a function that is not inlined: at each of its own calls, from outside,
-- and where the derivative is differentiated again; the value, and forward mode, are the function's.
-- ==
-- entry: gradient
-- input { 0.5 }
-- output { 10000.0 }
-- ==
-- entry: gradient_of_tape
-- input { [1.0, 2.0] }
-- output { [9.0, 18.0] }
-- ==
-- entry: second
-- input { 0.5 }
-- output { 1.0 }
-- ==
-- entry: value_and_tangent
-- input { 0.0 }
-- output { 0.0 1.0 }

def sines (n: i64) (x: f64) : f64 =
  if n == 0 then x else sines (n - 1) (with_vjp f64.sin (\_ w -> 100 * w) x)

entry gradient (x: f64) : f64 = vjp (sines 2) x 1

def scaled [n] (times: i64) (x: [n]f64) : [n]f64 =
  if times == 0
  then x
  else scaled (times - 1) (with_vjp_tape (\y -> (3f64, y)) (\(three, w) -> map (* three) w) x)

entry gradient_of_tape [n] (x: [n]f64) : [n]f64 =
  vjp (\x -> f64.sum (map2 (*) (scaled 2 x) (map f64.i64 (map (+ 1) (iota n))))) x 1

-- The adjoint says that the derivative of y is its square, so that the second is twice y.
def squares (n: i64) (x: f64) : f64 =
  if n == 0 then x else squares (n - 1) (with_vjp id (\y w -> y * y * w) x)

entry second (x: f64) : f64 = vjp (\x -> vjp (squares 1) x 1) x 1

entry value_and_tangent (x: f64) : (f64, f64) = jvp2 (sines 2) x 1
