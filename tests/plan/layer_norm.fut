-- The same with two sums.
entry main [n][m] (a: [n][m]f32) = map (\r -> let u = f32.sum r / f32.i64 m let v = f32.sum (map (\x -> (x - u) * (x - u)) r) / f32.i64 m in map (\x -> (x - u) / f32.sqrt (v + 1e-5)) r) a
-- expect
--| -- main, line 2: segmented_map over [n]
--| x: [
--|   pointwise] operations [17, 7 * m]
