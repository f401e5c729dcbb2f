-- Each block adds to centres of its own.
-- target: cuda
entry main [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) : [k][d]f32 =
  let distance p c = f32.sum (map2 (\a b -> (a - b) * (a - b)) p c)
  let cost centres = f32.sum (map (\p -> f32.minimum (map (distance p) centres)) points)
  in vjp cost centres 1
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 6: segmented_map over [n]
--| adjoint: [
--|   block_bins elements 1 atomic true when [8188 >= k * d, 1024 * n >= k * d * resident],
--|   pointwise]
--| -- main, line 6: segmented_reduce over [n][k]
--| winner: [
--|   staged_tiles staged [points, centres] when [31 >= k, 11 >= d, 3072 >= k * d, n >= 128],
--|   staged_tiles points 64 staged [points, centres] when [31 >= k, 47 >= d, 3072 >= k * d, n >= 128],
--|   staged_tiles staged [centres] when [31 >= k, 6144 >= k * d, n >= 128],
--|   by_segments when [31 >= k],
--|   teams]
--| -- main, line 6: segmented_map over [n][d]
--| adjoint.2: [
--|   block_bins elements 1 atomic true when [8188 >= k * d, 1024 * n * d >= k * d * resident],
--|   pointwise]
