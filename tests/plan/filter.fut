-- Flags, places, a scatter.
entry main [n] (xs: [n]f32) = filter (> 0) xs
