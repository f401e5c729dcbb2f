-- Neighbouring threads of a GPU take elements of rows whose sums are added up, where these lie side by
-- side.
-- target: cuda
entry total [n] [m] (a: [n][m]f32) = f32.sum (map f32.sum a)
entry apart [n] [m] (a: [n][m]f32) = f32.sum (map f32.sum (transpose a))
-- expect
--| settings points kernels arrays device points_a_thread 4 short_array 1 tile 8192
--| -- total, line 4: segmented_reduce over [n]
--| x: [
--|   teams joined true when [m >= 32],
--|   teams]
--| -- apart, line 5: segmented_reduce over [m.2]
--| x.2: [
--|   teams]
