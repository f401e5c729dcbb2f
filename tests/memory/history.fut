-- A loop that keeps every state makes the next one in its row.
entry history [n] (steps: i64) (xs: [n]f64) : [steps][n]f64 =
  let all = replicate steps (replicate n 0)
  in (loop (xs, all) for i < steps do
        let all = all with [i] = xs
        in (map (\x -> x * 0.5 + 1) xs, all)).1
-- expect
--| -- history
--|   xs: [n]f64, an argument
--|   all: [steps][n]f64, block of 8*steps*n bytes, given on
--|   xs.2: [n]f64, loop renewed, first xs
--|   all.2: [steps][n]f64, loop in place, first all
--|     all.3: [steps][n]f64, in all
--|     x: [n]f64, next row of all.2, given on
--|   x.2: [n]f64, in xs.2
--|   x.3: [steps][n]f64, in all
