-- Copied by rows.
entry main [n][m] (a: [n][m]f32) = map (map id) (transpose a)
-- expect
--| type "[][]f32" "f32_2d" array leaves [(f32 2)] element_type -1 rank 2
--| entry "main" "" "main" 2 0 inputs [("a" 0 false)] outputs [("" 0 true)]
--| function main (n: i64, m: i64, a: [n][m]f32) -> [[m][n]f32] {
--|   x: [m][n]f32 = permute a [1, 0]
--|   x: [m][n]f32 = copy x
--|   return x
--| }
