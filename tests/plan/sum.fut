-- Pieces, whose loops LLVM makes vectors of.
entry main [n] (xs: [n]f32) = f32.sum xs
-- expect
--| -- main, line 2: segmented_reduce over [n]
--| x: [
--|   in_pieces streams 4 line 16 when [n >= 1048576],
--|   in_pieces] operations [2] lanes 4
