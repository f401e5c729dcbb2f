-- A window whose indices are held at the edges is written out: points between the edges read whole vectors.
def held (n: i64) (i: i64) : i64 = i64.max 0 (i64.min (n - 1) i)
entry main [h] [w] (k: [5][5]f32) (image: [h][w]f32) : [h][w]f32 =
  let sum f = f32.sum (tabulate 5 (\t -> f (t - 2)))
  in tabulate_2d h w (\y x ->
                        sum (\s -> sum (\t -> k[s + 2, t + 2] * image[held h (y + s), held w (x + t)])))
-- expect
--| -- main, line 5: segmented_map over [h][w]
--| x: [
--|   pointwise edges true] operations [125] lanes 4
