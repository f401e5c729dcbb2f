-- Tiles for both products, rows of the softmax by teams.
-- target: cuda
entry main [n][d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32) =
  let s = map (\x -> map (\y -> f32.sum (map2 (*) x y)) k) q
  let a = map (\r -> let m = f32.maximum r let e = map (\x -> f32.exp (x - m)) r let t = f32.sum e in map (/ t) e) s
  in map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose v)) a
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1
--| -- main, line 6: segmented_map over [n]
--| x: [
--|   pointwise when [31 >= n, 4 * n >= resident],
--|   teams warp 0 when [2560 >= n, 5120 >= d],
--|   pointwise]
--| -- main, line 5: segmented_reduce over [n][n]
--| m: [
--|   by_segments when [31 >= n],
--|   teams]
--| -- main, line 5: segmented_reduce over [n][n]
--| t: [
--|   by_segments when [31 >= n],
--|   teams]
--| -- main, line 5: segmented_map over [n][n]
--| a: [
--|   pointwise]
--| -- main, line 6: segmented_reduce over [n][d][n]
--| x.2: [
--|   contraction block_rows 8 columns 8 depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points of_rows [a.2] of_points [b] when [n >= 64, d >= 64, n >= 16, 16 * n * d >= 64 * resident],
--|   contraction block_rows 4 columns 4 depth 16 most_rows 16 most_points 16 split 512 row_packing by_elements point_packing by_points of_rows [a.2] of_points [b] when [n >= 32, d >= 32, n >= 16],
--|   by_segments when [31 >= n],
--|   by_segments when [4 * n * d >= resident],
--|   teams]
