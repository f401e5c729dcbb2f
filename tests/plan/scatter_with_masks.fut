-- A scatter in lanes, where the processor has masks for its writes.
-- cpu: x86-64-v4
entry main [n][k] (d: *[k]f32) (is: [n]i64) (xs: [n]f32) = scatter d is xs
-- expect
--| -- main, line 3: segmented_scatter over [n]
--| x: [
--|   lane_blocks columns 2 width 16 when [n >= 32],
--|   pointwise] operations [5]
