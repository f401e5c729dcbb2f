-- Each row is a loop.
entry main [n][m] (a: [n][m]f32) = map f32.sum a
-- expect
--| -- main, line 2: segmented_reduce over [n][m]
--| x: [
--|   in_pieces streams 4 line 16 when [m >= 192, n * m >= 1048576],
--|   in_pieces when [m >= 192],
--|   by_segments whole_vectors 8 fetched [x.2] ahead 4096 when [m >= 6],
--|   interchanged] operations [3] lanes 4
