-- Each row is a loop.
entry main [n][m] (a: [n][m]f32) = map f32.sum a
-- expect
--| -- main, line 2: segmented_reduce over [n][m]
--| x: [
--|   in_pieces when [m >= 24],
--|   interchanged] operations [1]
