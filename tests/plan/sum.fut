-- Pieces, whose loops LLVM makes vectors of.
entry main [n] (xs: [n]f32) = f32.sum xs
