-- Segments of a GPU that lie side by side.
-- target: cuda
entry main [n][m] (a: [n][m]f32) = map f32.sum (transpose a)
