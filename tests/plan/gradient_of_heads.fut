-- The gradient of a layer over what heads give, normalised: sums over two dimensions are products,
-- set apart from the mean that is taken of them; so are their adjoints, also of what is indexed.
def dot xs ys = f32.sum (map2 (*) xs ys)
def normalised [d] (x: [d]f32) = let m = f32.sum x / f32.i64 d in map (\v -> v - m) x
def out [n][h][k][d] (heads: [h][n][k]f32) (w: [d][h][k]f32) : [n][d]f32 =
  tabulate n (\i -> normalised (map (\r -> f32.sum (map2 (\head part -> dot head[i] part) heads r)) w))
entry main [n][h][k][d] (heads: [h][n][k]f32) (w: [d][h][k]f32) (s: [n][d]f32) =
  vjp (\(heads, w) -> out heads w) (heads, w) s
-- expect
--| -- main, line 8: segmented_map over [chunk]
--| adjoint: [
--|   lane_blocks columns 4 width 8 packed [adjoint.2] inner_rows [sum : 4, sum.2 : 4] when [chunk >= 32, h >= 2],
--|   lane_blocks width 8 packed [adjoint.2] inner_rows [sum : 4, sum.2 : 4] when [chunk >= 8, h >= 2],
--|   pointwise] operations [1, d, h, h * k, h * k * d]
--| -- main, line 8: map_scan_reduce over [h]
--| sum.2: [
--|   lane_blocks points 1 rows 0 block_rows 8 width 8 when [k >= 8, h >= 8],
--|   pointwise]
--| -- main, line 8: map_scan_reduce over [k]
--| sum: [
--|   lane_blocks columns 2 width 8 when [k >= 16],
--|   lane_blocks width 4 when [k >= 4],
--|   pointwise]
--| -- main, line 8: segmented_map over [d][h][k]
--| sums: [
--|   contraction points 2 block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_points of_rows [sum.3] of_points [head] when [d >= 24, k >= 32, chunk >= 16],
--|   lane_blocks points 2 rows 0 block_rows 4 columns 2 width 8 when [k >= 16, d >= 4],
--|   lane_blocks points 2 rows 1 block_rows 4 columns 2 width 8 when [k >= 16, h >= 4],
--|   lane_blocks points 2 rows 0 block_rows 8 width 4 when [k >= 4, d >= 8],
--|   lane_blocks points 2 rows 1 block_rows 8 width 4 when [k >= 4, h >= 8],
--|   pointwise] operations [9, 2 * chunk]
