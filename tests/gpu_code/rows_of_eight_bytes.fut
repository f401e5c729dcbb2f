-- Blocks of rows whose products are of i64 and f64 hold two registers for each value that they
-- multiply, and spill none of them.
--
-- spills: sm_80 row_blocks 0
-- spills: sm_90 row_blocks 0
entry of_integers [h] [n] [m] [d] (a: [h][n][d]i64) (b: [h][m][d]i64) : [h][n][d]i64 =
  let dot x y = i64.sum (map2 (*) x y)
  let weights row =
    let most = i64.maximum row
    in map (\s -> (most - s) % 1001) row
  let attend a b =
    map (\x -> let all = weights (map (\y -> dot x y >> 7) b) in map (dot all) (transpose b)) a
  in map2 attend a b

entry of_reals [n] [m] [d] (q: [n][d]f64) (k: [m][d]f64) (v: [m][d]f64) : [n][d]f64 =
  let dot x y = f64.sum (map2 (*) x y)
  let softmax row =
    let most = f64.maximum row
    let grown = map (\x -> f64.exp (x - most)) row
    let total = f64.sum grown
    in map (/ total) grown
  in map (\x -> let all = softmax (map (dot x) k) in map (dot all) (transpose v)) q
