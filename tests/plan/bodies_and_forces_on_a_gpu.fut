-- Points share elements alone: these are staged for a block, four points a thread where they are many.
-- target: cuda
entry main [n] (x: [n]f32) (mass: [n]f32) =
  map (\here ->
         f32.sum (map2 (\there m ->
                          m * (there - here)
                          / (0.01 + f32.abs (there - here)) ** 3)
                       x
                       mass))
      x

-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 4: segmented_reduce over [n][n]
--| x: [
--|   contraction rows -1 points 0 columns 4 most_points 256 of_rows [m, there] kept_points [here] when [n >= 16, 4 * n >= 4 * resident],
--|   contraction rows -1 points 0 most_points 256 of_rows [m, there] kept_points [here] when [n >= 16, 4 * n >= resident],
--|   contraction rows -1 points 0 depth 32 most_points 256 split 32 of_rows [m, there] kept_points [here] when [n >= 128],
--|   by_segments when [31 >= n],
--|   teams]
