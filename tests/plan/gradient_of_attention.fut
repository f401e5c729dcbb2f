-- Products, and the adjoints of a softmax between them.
def attention [n][d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32) =
  let s = map (\x -> map (\y -> f32.sum (map2 (*) x y)) k) q
  let a = map (\r -> let m = f32.maximum r let e = map (\x -> f32.exp (x - m)) r let t = f32.sum e in map (/ t) e) s
  in map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose v)) a
entry main [n][d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32) (s: [n][d]f32) =
  vjp (\(q, k, v) -> attention q k v) (q, k, v) s
-- expect
--| -- main, line 7: segmented_map over [chunk][n]
--| mapped: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_elements of_rows [a] of_points [b] when [chunk >= 24, n >= 32, d >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 least_chunk 8 shares_rows true packed [y] when [n >= 16, chunk >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 least_chunk 8 shares_rows true packed [y] when [n >= 4, chunk >= 8],
--|   pointwise] operations [3, 2 * d] lanes 4
--| -- main, line 7: segmented_map over [chunk]
--| m: [
--|   pointwise] operations [2, 15 * n]
--| -- main, line 7: map_scan_reduce over [n]
--| t: [
--|   pointwise whole_vectors 8]
--| -- main, line 7: segmented_map over [chunk][n]
--| adjoint: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_elements of_rows [adjoint.2] of_points [c] when [chunk >= 24, n >= 32, d >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 least_chunk 8 shares_rows true packed [cs] when [n >= 16, chunk >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 least_chunk 8 shares_rows true packed [cs] when [n >= 4, chunk >= 8],
--|   pointwise] operations [12, 2 * d] lanes 4
--| -- main, line 7: segmented_map over [chunk]
--| adjoint.3: [
--|   pointwise] operations [7, 29 * n]
--| -- main, line 7: map_scan_reduce over [n]
--| adjoint.4: [
--|   pointwise whole_vectors 8]
--| -- main, line 7: segmented_map over [chunk][d]
--| adjoint.5: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_points of_rows [sum] of_points [y.2] when [chunk >= 24, d >= 32, n >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [d >= 16, chunk >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [d >= 4, chunk >= 8],
--|   interchanged] operations [4, 3 * n] lanes 4
--| -- main, line 7: segmented_map over [n][d]
--| sums: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 point_packing by_points of_rows [sum.2] of_points [x] when [n >= 24, d >= 32, chunk >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [d >= 16, n >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [d >= 4, n >= 8],
--|   interchanged] operations [6, 2 * chunk] lanes 4
--| -- main, line 7: segmented_map over [d][n]
--| sums.2: [
--|   contraction block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 point_packing by_points of_rows [adjoint.6] of_points [a.2] when [d >= 24, n >= 32, chunk >= 16],
--|   lane_blocks points 1 rows 0 block_rows 4 columns 2 width 8 when [n >= 16, d >= 4],
--|   lane_blocks points 1 rows 0 block_rows 8 width 4 when [n >= 4, d >= 8],
--|   interchanged] operations [6, 2 * chunk] lanes 4
