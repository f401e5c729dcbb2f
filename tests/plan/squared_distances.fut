-- Work on both operands stays inside.
entry main [n][m][d] (xs: [n][d]f32) (ys: [m][d]f32) = map (\x -> map (\y -> f32.sum (map2 (\p q -> (p - q) * (p - q)) x y)) ys) xs
