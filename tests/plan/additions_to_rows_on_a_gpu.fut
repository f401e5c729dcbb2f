-- Rows of six that each point adds to in a loop: threads hand each other what they add.
-- target: cuda
entry main [n] [m] (table: [n][6]f64) (places: [m]i64) (counts: [m]i64) : [n][6]f64 =
  let of_point (table: [n][6]f64) place count =
    loop sum = 0 for j < count do sum + f64.sum (map f64.sin table[(place + j * j) % n])
  in vjp (\table -> f64.sum (map2 (of_point table) places counts)) table 1
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- main, line 6: segmented_map over [m]
--| adjoint: [
--|   block_bins elements 1 atomic true when [4094 >= 6 * n, 1024 * m >= 6 * n * resident],
--|   held_blocks elements 8 rows [(table_adjoint [x])] when [m >= 256],
--|   pointwise]
