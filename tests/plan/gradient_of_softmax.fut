-- Rows and their adjoints.
def f [m] (r: [m]f32) = let m = f32.maximum r let e = map (\x -> f32.exp (x - m)) r let s = f32.sum e in f32.log s - r[0]
entry main [n][m] (a: [n][m]f32) = map (\r -> vjp f r 1) a
-- expect
--| -- main, line 3: segmented_map over [n]
--| x: [
--|   pointwise] operations [10, 36 * m]
--| -- main, line 3: map_scan_reduce over [m]
--| s: [
--|   pointwise whole_vectors 8]
--| -- main, line 3: map_scan_reduce over [m]
--| adjoint: [
--|   pointwise whole_vectors 8]
