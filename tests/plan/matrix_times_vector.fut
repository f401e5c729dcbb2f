-- Rows are lanes where that needs no gather, else each row is a loop.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [n][m] (a: [n][m]f32) (x: [m]f32) = map (\r -> dot r x) a
-- expect
--| type "[][]f32" "f32_2d" array leaves [(f32 2)] element_type -1 rank 2
--| type "[]f32" "f32_1d" array leaves [(f32 1)] element_type -1 rank 1
--| entry "main" "" "main" 2 0 inputs [("a" 0 false), ("x" 1 false)] outputs [("" 1 true)]
--| function main (n: i64, m: i64, a: [n][m]f32, x: [m]f32) -> [[n]f32] {
--|   x: [n]f32 = segmented_reduce space [i: i64 < n, i: i64 < m] body {
--|     a: [m]f32 = index a [i]
--|     a: f32 = index a [i]
--|     b: f32 = index x [i]
--|     x: f32 = mul.f32 a b
--|     return x
--|   } operators [(op \(x: f32, x: f32) -> [f32] {
--|     x: f32 = add.f32 x x
--|     return x
--|   } neutral [0f32])] result_types [f32] schedule [pointwise]
--|   return x
--| }
