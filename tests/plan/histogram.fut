-- Numbers accumulate, held in blocks.
entry main [n] (xs: [n]f32) = reduce_by_index (replicate 256 0i64) (+) 0 (map (\x -> i64.f32 (f32.sqrt (f32.exp x) * 7)) xs) (replicate n 1)
-- expect
--| -- main, line 2: segmented_map over [n]
--| bins: [
--|   held_blocks] operations [29] additions [1]
