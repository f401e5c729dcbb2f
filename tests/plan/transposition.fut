-- Copied by rows.
entry main [n][m] (a: [n][m]f32) = map (map id) (transpose a)
-- expect
