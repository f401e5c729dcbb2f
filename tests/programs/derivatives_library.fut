-- The library of derivatives agrees with derivatives worked out by hand.
-- ==
-- entry: gradients
-- input { [1.0, 2.0] 3.0 }
-- output { [2.0, 4.0] 5.0 [2.0, 4.0] [6.0, 0.0] }

-- ==
-- entry: jacobians
-- input { [1.0, 2.0] }
-- output { [[2.0, 1.0], [2.0, 0.0], [0.0, 12.0]] [[2.0, 1.0], [2.0, 0.0], [0.0, 12.0]] }

-- ==
-- entry: checks
-- input { [0.5, 1.5, -2.0] }
-- output { true true }

-- ==
-- entry: hessians
-- input { [2.0, 3.0] }
-- output { [[6.0, 4.0], [4.0, 0.0]] [6.0, 0.0] }
import "derivatives"

def squares [n] (x: [n]f64) : f64 = f64.sum (map (\y -> y * y) x)

entry gradients [n] (x: [n]f64) (factor: f64) =
  let (value, gradient) = value_and_grad squares x
  let direction = tabulate n (\i -> if i == 0 then factor else 0)
  in (grad squares x, value, gradient, hvp squares x direction)

def three (x: [2]f64) : [3]f64 = [x[0] * x[1], x[0] * x[0], x[1] ** 3]

entry jacobians (x: [2]f64) = (jacobian_fwd three x, jacobian_rev three x)

entry checks (x: []f64) =
  let f [n] (x: [n]f64) : f64 = f64.sum (map (\y -> f64.sin y * f64.exp y) x)
  let wrong [n] (x: [n]f64) : f64 = with_vjp squares (\_ _ -> map (const 0) x) x
  in (check_gradient f x < 1e-6, check_gradient wrong x > 0.5)

entry hessians (x: [2]f64) =
  let f (x: [2]f64) = x[0] * x[0] * x[1]
  in (hessian f x, hessian_diagonal f x)
