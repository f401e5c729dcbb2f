-- Rows of both matrices lie apart along the lanes: they are packed.
def dot [n] (a: [n]f32) (b: [n]f32) = f32.sum (map2 (*) a b)
entry main [n][m][p] (a: [n][m]f32) (b: [p][m]f32) = map (\r -> map (dot r) b) a
