-- One side makes a row by a map, the other fills new memory: both do it in the row that is wanted.  A
-- row that something reads before is made there, too.
entry sides [n] (steps: i64) (xs: [n]f32) : [][]f32 =
  loop ys = replicate steps (replicate n (0f32))
  for i < steps do
    ys with [i] = if i % 2 == 0
                  then map (+ 1) xs
                  else loop zs = replicate n 0 for j < n / 2 do zs with [j * 2] = xs[j] * f32.i64 i

entry read_before [n] [m] (ws: [n][m]f32) (xs: [n][m]f32) : ([n][n]f32, [n][m]f32) =
  loop (ys, zs) = (replicate n (replicate n 0), replicate n (replicate m 0))
  for i < n do
    let row = map (\w -> f32.sum (map2 (*) w xs[i])) ws
    let sums = map (\x -> f32.sum (map (* x) row)) xs[i]
    in (ys with [i] = row, zs with [i] = sums)

-- expect
--| -- sides
--|   xs: [n]f32, an argument
--|   x: [steps][n]f32, block of 4*steps*n bytes, given on
--|   ys: [steps][n]f32, loop in place, first x
--|       x.2: [n]f32, where x.3 lies
--|       x.4: [n]f32, where x.3 lies
--|       zs: [n]f32, loop in place, first x.4
--|         x.5: [n]f32, in x
--|       x.6: [n]f32, in x
--|     x.3: [n]f32, where it is put in ys
--|     x.7: [steps][n]f32, in x
--|   x.8: [steps][n]f32, in x
--| -- read_before
--|   ws: [n.2][m]f32, an argument
--|   xs.2: [n.2][m]f32, an argument
--|   x.9: [n.2][n.2]f32, block of 4*n.2*n.2 bytes, given on
--|   x.10: [n.2][m]f32, block of 4*n.2*m bytes, given on
--|   ys.2: [n.2][n.2]f32, loop in place, first x.9
--|   zs.2: [n.2][m]f32, loop in place, first x.10
--|     row: [n.2]f32, where it is put in ys.2
--|     sums: [m]f32, in xs.2
--|     sums.2: [m]f32, where it is put in zs.2
--|     x.11: [n.2][n.2]f32, in x.9
--|     x.12: [n.2][m]f32, in x.10
--|   x.13: [n.2][n.2]f32, in x.9
--|   x.14: [n.2][m]f32, in x.10
