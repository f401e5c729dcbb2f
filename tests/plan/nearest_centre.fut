-- A reduction of sums inside a point.
entry main [n][k][d] (xs: [n][d]f32) (cs: [k][d]f32) = map (\x -> f32.minimum (map (\c -> f32.sum (map2 (\p q -> (p - q) * (p - q)) x c)) cs)) xs
-- expect
--| -- main, line 2: segmented_reduce over [n][k]
--| x: [
--|   in_pieces] operations [3, 3 * d]
