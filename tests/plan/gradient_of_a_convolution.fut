-- Adjoints of windows are windows.
def convolve [n] (k: [5]f32) (xs: [n]f32) = tabulate (i64.max 0 (n - 4)) (\i -> f32.sum (tabulate 5 (\p -> k[p] * xs[i + p])))
entry main [n] (k: [5]f32) (xs: [n]f32) = vjp (\(k, xs) -> f32.sum (map (\x -> x * x) (convolve k xs))) (k, xs) 1
-- expect
--| -- main, line 3: segmented_reduce over [x]
--| sum: [
--|   in_pieces] operations [27] lanes 4
--| -- main, line 3: segmented_map over [t]
--| sums: [
--|   fused_stencil] operations [9] lanes 4
--| -- main, line 3: segmented_map over [n]
--| sums.2: [
--|   pointwise] operations [22] lanes 4 strip 256
--| -- main, line 3: segmented_map over [x][5]
--| adjoint: [
--|   pointwise] operations [8] additions [1]
