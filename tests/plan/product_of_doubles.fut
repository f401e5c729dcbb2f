-- Vectors hold half as many doubles.
entry main [n][m][p] (a: [n][m]f64) (b: [m][p]f64) = map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a
