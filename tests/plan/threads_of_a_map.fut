-- A thread for each point.
-- target: cuda
entry main [n] (xs: [n]f64) = map (\x -> f64.exp (-x)) xs
