-- Any pair of operators: minima of sums.
entry main [n] (a: [n][n]f32) = map (\r -> map (\c -> f32.minimum (map2 (+) r c)) (transpose a)) a
