-- Arrays of a few numbers are tuples of them by now, which threads scan together.
-- target: cuda
entry main [n] (ms: [n][2][2]f32) =
  let product a b = map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose b)) a
  in scan product [[1, 0], [0, 1]] ms
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 5: segmented_scan over [n]
--| x: [
--|   look_back stretch 7]
