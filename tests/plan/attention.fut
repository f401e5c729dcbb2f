-- Two products around a softmax.
entry main [n][d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32) =
  let s = map (\x -> map (\y -> f32.sum (map2 (*) x y)) k) q
  let a = map (\r -> let m = f32.maximum r let e = map (\x -> f32.exp (x - m)) r let t = f32.sum e in map (/ t) e) s
  in map (\r -> map (\c -> f32.sum (map2 (*) r c)) (transpose v)) a
-- expect
--| -- main, line 5: segmented_map over [n]
--| x: [
--|   lane_blocks columns 4 width 8 packed [x.2] inner_rows [m : 4, x.3 : 4] when [n >= 32 * resident],
--|   lane_blocks columns 4 width 8 packed [x.2] inner_rows [m : 4, x.3 : 4] when [n >= 32, 65536 >= 4 * n * d * n],
--|   lane_blocks columns 2 width 8 packed [x.2] inner_rows [m : 4, x.3 : 4] when [n >= 16 * resident],
--|   lane_blocks columns 2 width 8 packed [x.2] inner_rows [m : 4, x.3 : 4] when [n >= 16, 65536 >= 4 * n * d * n],
--|   lane_blocks width 8 packed [x.2] inner_rows [m : 4, x.3 : 4] when [n >= 8],
--|   pointwise] operations [2, 17 * n, 4 * n * d, d] lanes 4
--| -- main, line 4: map_scan_reduce over [n]
--| t: [
--|   pointwise whole_vectors 8]
--| -- main, line 5: map_scan_reduce over [d]
--| x.3: [
--|   lane_blocks columns 2 width 8 when [d >= 16],
--|   lane_blocks width 4 when [d >= 4],
--|   pointwise]
