-- Reductions of arrays with an operator that is no map, in pieces.
-- target: cuda
entry main [n] (ms: [n][2][2]f32) =
  let product a b = map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a
  in reduce product [[1, 0], [0, 1]] ms
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 5: segmented_reduce over [n]
--| x: [
--|   in_pieces least 16 rounds 3]
