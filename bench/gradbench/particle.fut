-- | The eval `particle`: the control w that makes a charged particle, repelled by two fixed charges,
-- hit the origin.  The force is the gradient of a potential, inside a loop that the outer gradient
-- goes through.  The names of entry points are the modes of the outer and the inner derivative,
-- forward or reverse.
-- ==
-- entry: ff fr rf rr
-- input { 0.0 } output { 0.2071918746486116 }

import "descent"

def potential (w: f64) (x: [2]f64): f64 =
  1 / norm (x .- [10, 10 - w]) + 1 / norm (x .- [10, 0])

-- | How far from the origin the particle meets the axis, squared: Euler's method until it is past,
-- then along the last velocity.
def miss (grad: ([2]f64 -> f64) -> [2]f64 -> [2]f64) (w: f64): f64 =
  let step = 0.1
  let (x, velocity, _) =
    loop (x, velocity, above) = ([0, 8], [0.75, 0], true)
    while above do
      let next = x .+ step .* velocity
      in if next[1] > 0
         then (next, velocity .- step .* grad (potential w) x, true)
         else (x, velocity, false)
  let meeting = x[0] - x[1] / velocity[1] * velocity[0]
  in meeting * meeting

entry ff (w: f64): f64 = (argmin forward_mode (\w -> miss forward_mode w[0]) [w])[0]
entry fr (w: f64): f64 = (argmin forward_mode (\w -> miss reverse_mode w[0]) [w])[0]
entry rf (w: f64): f64 = (argmin reverse_mode (\w -> miss forward_mode w[0]) [w])[0]
entry rr (w: f64): f64 = (argmin reverse_mode (\w -> miss reverse_mode w[0]) [w])[0]
