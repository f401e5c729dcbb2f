-- The gradient of a layer over what heads give, normalised: sums over two dimensions are products,
-- set apart from the mean that is taken of them; so are their adjoints, also of what is indexed.
def dot xs ys = f32.sum (map2 (*) xs ys)
def normalised [d] (x: [d]f32) = let m = f32.sum x / f32.i64 d in map (\v -> v - m) x
def out [n][h][k][d] (heads: [h][n][k]f32) (w: [d][h][k]f32) : [n][d]f32 =
  tabulate n (\i -> normalised (map (\r -> f32.sum (map2 (\head part -> dot head[i] part) heads r)) w))
entry main [n][h][k][d] (heads: [h][n][k]f32) (w: [d][h][k]f32) (s: [n][d]f32) =
  vjp (\(heads, w) -> out heads w) (heads, w) s
-- expect
--| -- main, line 8: segmented_map over [n]
--| adjoint: [
--|   pointwise] operations [3, 4 * d]
--| -- main, line 8: segmented_map over [h][n][k]
--| sums: [
--|   contraction rows 1 points 2 block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 row_packing by_elements point_packing by_points of_rows [sum] of_points [w] when [n >= 24, k >= 32, d >= 16],
--|   contraction rows 2 block_rows 3 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 point_packing by_elements of_rows [w] of_points [sum] when [k >= 6, n >= 16, d >= 16],
--|   lane_blocks points 2 rows 1 block_rows 4 columns 2 width 8 when [k >= 16, n >= 4],
--|   lane_blocks points 2 rows 1 block_rows 8 width 4 when [k >= 4, n >= 8],
--|   pointwise] operations [7, 3 * d] lanes 4
--| -- main, line 8: segmented_map over [d][h][k]
--| sum.2: [
--|   contraction points 2 block_rows 6 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 point_packing by_points of_rows [sum.3] of_points [heads] when [d >= 24, k >= 32, n >= 16],
--|   contraction block_rows 3 width 16 cached 42 most_rows 128 most_points 48 least_rows 16 least_points 6 split 1024 of_rows [sum.3] of_points [heads] when [d >= 6, h >= 16, n >= 16],
--|   lane_blocks points 2 rows 0 block_rows 4 columns 2 width 8 when [k >= 16, d >= 4],
--|   lane_blocks points 2 rows 1 block_rows 4 columns 2 width 8 when [k >= 16, h >= 4],
--|   lane_blocks points 2 rows 0 block_rows 8 width 4 when [k >= 4, d >= 8],
--|   lane_blocks points 2 rows 1 block_rows 8 width 4 when [k >= 4, h >= 8],
--|   pointwise] operations [5, 2 * n] lanes 4
