-- Where memory is the limit several places are read side by side; not where elements are much work,
-- or no reads.
-- cpu: x86-64-v4
entry sum [n] (xs: [n]f32) = f32.sum xs
entry several [n] (xs: [n]f64) = (f64.minimum xs, f64.maximum xs)
entry rows [n] [m] (xs: [n][m]i8) = map i8.sum xs
entry exponentials [n] (xs: [n]f32) = f32.sum (map f32.exp xs)
entry numbers (n: i64) = i64.sum (map (\i -> i * i) (iota n))
-- expect
--| -- sum, line 4: segmented_reduce over [n]
--| x: [
--|   in_pieces streams 8 line 16 when [n >= 1048576],
--|   in_pieces] operations [2] lanes 8
--| -- several, line 5: segmented_reduce over [n.2]
--| x.2: [
--|   in_pieces streams 4 line 16 when [n.2 >= 524288],
--|   in_pieces] operations [2] lanes 8
--| -- rows, line 6: segmented_reduce over [n.3][m]
--| x.3: [
--|   in_pieces streams 8 line 16 when [m >= 1536, n.3 * m >= 4194304],
--|   in_pieces when [m >= 1536],
--|   by_segments whole_vectors 64 fetched [x.4] ahead 4096 when [m >= 6],
--|   interchanged] operations [3] lanes 8
--| -- exponentials, line 7: segmented_reduce over [n.4]
--| x.5: [
--|   in_pieces] operations [14] lanes 8
--| -- numbers, line 8: segmented_reduce over [n.5]
--| x.6: [
--|   in_pieces] operations [3] lanes 8
