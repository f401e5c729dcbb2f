-- Functions of a sum run in vectors along the points, sums along rows of their own.
entry main [n] [m] (a: [n][m]f32) (w: [m]f32) (y: [n]f32) : [n]f32 =
  map2 (\row z -> 1 / (1 + f32.exp (-f32.sum (map2 (*) row w))) - z) a y

-- expect
--| -- main, line 3: segmented_reduce over [n][m]
--| x: [
--|   in_pieces streams 4 line 16 when [m >= 192, n * m >= 1048576],
--|   in_pieces when [m >= 192],
--|   by_segments whole_vectors 8 fetched [a] ahead 4096 when [m >= 6],
--|   interchanged] operations [5] lanes 4
--| -- main, line 3: segmented_map over [n]
--| x.2: [
--|   pointwise whole_vectors 8] operations [19] lanes 4 strip 256
