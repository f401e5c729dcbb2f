-- Rows of an array that sides of branches make: by maps, in new memory that is filled, by additions;
-- and rows that are read after they were written, and before others are.
-- ==
-- entry: sides
-- input { 5i64 [1.0f32, 2.0f32, 3.0f32, 4.0f32] }
-- output { [[2.0f32, 3.0f32, 4.0f32, 5.0f32], [1.0f32, 0.0f32, 3.0f32, 0.0f32],
--           [0.0f32, 0.0f32, 0.0f32, 4.0f32], [3.0f32, 0.0f32, 9.0f32, 0.0f32],
--           [2.0f32, 3.0f32, 4.0f32, 5.0f32]] }

-- ==
-- entry: read_rows
-- input { [[1.0f32, 2.0f32], [3.0f32, 4.0f32]] }
-- output { [[5.0f32, 11.0f32], [11.0f32, 25.0f32]] [[16.0f32, 32.0f32], [108.0f32, 144.0f32]]
--          [16.0f32, 36.0f32] }
entry sides [n] (steps: i64) (xs: [n]f32) : [][]f32 =
  loop ys = replicate steps (replicate n (0f32))
  for i < steps do
    ys with [i] = if i % 4 == 0
                  then map (+ 1) xs
                  else if i % 2 == 1
                  then loop zs = replicate n 0
                       for j < n / 2 do
                         zs with [j * 2] = xs[j * 2] * f32.i64 i
                  else reduce_by_index (replicate n 0)
                                       (+)
                                       0
                                       (map (\k -> (n - 1 - k) * 2 % 4 + 1) (iota n))
                                       (map (\k -> if k % 2 == 0 then xs[k] else 0) (iota n))

entry read_rows [n] [m] (xs: [n][m]f32) : ([n][n]f32, [n][m]f32, [n]f32) =
  loop (ys, zs, totals) = (replicate n (replicate n 0), replicate n (replicate m 0), replicate n 0)
  for i < n do
    let row = map (\w -> f32.sum (map2 (*) w xs[i])) xs
    let sums = map (\x -> f32.sum (map (* x) row)) xs[i]
    in (ys with [i] = row, zs with [i] = sums, totals with [i] = f32.sum row)

-- A row that goes to two arrays.
-- ==
-- entry: twice
-- input { 2i64 [1.0f32, 2.0f32, 3.0f32] }
-- output { [[0.0f32, 0.0f32, 0.0f32], [1.0f32, 2.0f32, 3.0f32]]
--          [[0.0f32, 0.0f32, 0.0f32], [1.0f32, 2.0f32, 3.0f32]] }
entry twice [n] (steps: i64) (xs: [n]f32) : ([][]f32, [][]f32) =
  loop (ys, zs) = (replicate steps (replicate n 0), replicate steps (replicate n 0))
  for i < steps do
    let row = map (* f32.i64 i) xs
    in (ys with [i] = row, zs with [i] = row)
