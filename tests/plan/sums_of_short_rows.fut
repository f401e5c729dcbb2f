-- Rows lie side by side in lanes, each of which goes along its row.
entry main [n] (a: [n][20]f32) = map f32.sum a
-- expect
--| -- main, line 2: segmented_reduce over [n][20]
--| x: [
--|   interchanged] operations [3]
