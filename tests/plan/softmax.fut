-- A row is a point.
entry main [n][m] (a: [n][m]f32) = map (\r -> let m = f32.maximum r let e = map (\x -> f32.exp (x - m)) r let s = f32.sum e in map (/ s) e) a
-- expect
--| -- main, line 2: segmented_map over [n]
--| x: [
--|   pointwise] operations [2, 17 * m]
--| -- main, line 2: map_scan_reduce over [m]
--| s: [
--|   pointwise whole_vectors 8]
