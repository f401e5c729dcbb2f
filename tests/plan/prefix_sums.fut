-- Pieces, twice.
entry main [n] (xs: [n]f32) = scan (+) 0 xs
