-- A point is much more work than the gradient of the weights is large: pieces always have copies.
entry main [n] [d] (w: [d]f64) (x: [n]f64) =
  vjp (\w -> f64.sum (map (\v -> loop h = v for i < d do f64.sin (h * w[(i * 7) % d])) x)) w 1
-- expect
--| -- main, line 3: segmented_map over [n]
--| adjoint: [
--|   lane_blocks columns 4 width 8 remainder serialised when [n >= 32 * resident],
--|   lane_blocks columns 4 width 8 remainder serialised when [n >= 32, 65536 >= 41 * d * n],
--|   lane_blocks width 8 remainder serialised] operations [3, 41 * d] additions [d] least_piece [1]
