-- Any element type.
entry main [n][m][p] (a: [n][m]i32) (b: [m][p]i32) = map (\r -> map (\c -> i32.sum (map2 (*) r c)) (transpose b)) a
