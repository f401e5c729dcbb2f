-- Columns are neighbours.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [n][m] (x: [n]f32) (a: [n][m]f32) = map (dot x) (transpose a)
-- expect
--| -- main, line 3: segmented_reduce over [m][n]
--| x: [
--|   interchanged] operations [5] lanes 4
