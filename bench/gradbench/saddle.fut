-- | The eval `saddle`: the least over x of the greatest over y of a function of two points, by
-- gradient descent within gradient descent.  The names of entry points are the modes of the outer
-- and the inner derivative, forward or reverse.
-- ==
-- entry: ff fr rf rr
-- input { [1.0, 1.0] }
-- output { [0.00000824632482614, 0.00000824632482614, 0.00000824632482614, 0.00000824632482614] }

import "descent"

type^ gradient = ([2]f64 -> f64) -> [2]f64 -> [2]f64

def squares (x: [2]f64): f64 = x[0] * x[0] + x[1] * x[1]

def saddle (outer: gradient) (inner: gradient) (start: [2]f64): [4]f64 =
  let f (x: [2]f64) (y: [2]f64) = squares x - squares y
  let worst x = f x (argmax inner (f x) start)
  let x = argmin outer worst start
  let y = argmax outer (f x) start
  in [x[0], x[1], y[0], y[1]]

entry ff (start: [2]f64): [4]f64 = saddle forward_mode forward_mode start
entry fr (start: [2]f64): [4]f64 = saddle forward_mode reverse_mode start
entry rf (start: [2]f64): [4]f64 = saddle reverse_mode forward_mode start
entry rr (start: [2]f64): [4]f64 = saddle reverse_mode reverse_mode start
