-- A thread for each point.
-- target: cuda
entry main [n] (xs: [n]f64) = map (\x -> f64.exp (-x)) xs
-- expect
--| -- main, line 3: segmented_map over [n]
--| x: [
--|   pointwise points 4]
