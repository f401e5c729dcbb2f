-- Long scalar code alone.
entry main [n] (xs: [n]f64) = map (\x -> f64.exp (-x) * f64.sqrt (f64.log (1 + x))) xs
-- expect
--| -- main, line 2: segmented_map over [n]
--| x: [
--|   pointwise whole_vectors 8] operations [41] lanes 4 strip 256
