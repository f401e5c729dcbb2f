-- Each element sums what nine points give, and more at the edges: inner points run apart, and none in lanes.
def held (n: i64) (i: i64) = i64.max 0 (i64.min (n - 1) i)
def blur [h][w] (image: [h][w]f32) =
  tabulate_2d h w (\y x ->
    let at dy dx = image[held h (y + dy), held w (x + dx)]
    in at (-1) (-1) + at (-1) 0 + at (-1) 1 + at 0 (-1) + at 0 0 + at 0 1 + at 1 (-1) + at 1 0 + at 1 1)
entry main [h][w] (image: [h][w]f32) (seed: [h][w]f32) = vjp (\i -> map (map (\x -> x * x)) (blur i)) image seed
-- expect
--| -- main, line 7: segmented_map over [h][w]
--| kept: [
--|   pointwise edges true] operations [33] lanes 4 strip 256
--| -- main, line 7: segmented_map over [h][w]
--| sums: [
--|   pointwise edges true] operations [138] lanes 4
