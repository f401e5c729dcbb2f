-- Rows lie side by side in lanes, each of which goes along its row.
entry main [n] (a: [n][20]f32) = map f32.sum a
-- expect
--| -- main, line 2: segmented_reduce over [n][20]
--| x: [
--|   by_segments whole_vectors 8 fetched [x.2] ahead 4096] operations [3]
