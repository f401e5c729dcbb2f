-- Four neighbours at a computed place, whose indices are checked: only in lanes is a point with checks part of a vector.
entry main [h][w] (image: [h][w]f32) (u: [h][w]f32) (v: [h][w]f32) =
  tabulate_2d h w (\y x ->
    let (fy, fx) = (f32.i64 y + u[y, x], f32.i64 x + v[y, x])
    let (i, j) = (i64.min (h - 2) (i64.f32 fy), i64.min (w - 2) (i64.f32 fx))
    let (a, b) = (fy - f32.i64 i, fx - f32.i64 j)
    in (1 - a) * ((1 - b) * image[i, j] + b * image[i, j + 1]) + a * ((1 - b) * image[i + 1, j] + b * image[i + 1, j + 1]))
-- expect
--| -- main, line 3: segmented_map over [h][w]
--| x: [
--|   lane_blocks points 1 rows 0 width 8 when [w >= 8, h >= 1],
--|   pointwise] operations [48] lanes 4
