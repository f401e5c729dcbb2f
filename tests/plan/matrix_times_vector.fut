-- Rows are lanes where that needs no gather, else each row is a loop.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [n][m] (a: [n][m]f32) (x: [m]f32) = map (\r -> dot r x) a
-- expect
--| -- main, line 3: segmented_reduce over [n][m]
--| x: [
--|   in_pieces streams 4 line 16 when [m >= 192, n * m >= 1048576],
--|   in_pieces when [m >= 192],
--|   by_segments whole_vectors 8 fetched [a] ahead 4096 when [m >= 6],
--|   interchanged] operations [5] lanes 4
