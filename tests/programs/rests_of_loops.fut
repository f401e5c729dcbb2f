-- Rows of any length that call functions in a thread's loop: whole vectors, and what is left over.
-- ==
-- entry: exponentials
-- input { 0i64 } auto output
-- input { 1i64 } auto output
-- input { 7i64 } auto output
-- input { 8i64 } auto output
-- input { 9i64 } auto output
-- input { 16i64 } auto output
-- input { 37i64 } auto output
-- entry: softmaxes
-- input { 1i64 } auto output
-- input { 15i64 } auto output
-- input { 33i64 } auto output

-- Each step needs the one before, so that the rows stay in the threads.
entry exponentials (n: i64) : [3][n]f64 =
  tabulate 3 (\i ->
                loop row = tabulate n (\j -> f64.i64 (i + j) / 50)
                for k < 3 do
                  map2 (\x y -> f64.exp (x - y) + f64.i64 k) row (reverse row))

entry softmaxes (n: i64) : [4]f32 =
  tabulate 4 (\i ->
                let row =
                  loop row = tabulate n (\j -> f32.i64 ((i + 1) * j % 5))
                  for _k < 2 do
                    let top = f32.maximum row
                    let parts = map (\x -> f32.exp (x - top)) row
                    let total = f32.sum parts
                    in map2 (\p x -> p / total + x / 8) parts (reverse row)
                in f32.sum (map f32.log (map (+ 1) row)))
