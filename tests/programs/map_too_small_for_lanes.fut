-- A map of maps inside a task that could run in lanes but has too few points takes the other way,
-- which puts its rows where they belong.
-- ==
-- input { 9i64 3i64 5i64 } output { [0.0, 0.0, 0.0, 3.0, 0.0] }
-- input { 40i64 2i64 8i64 } output { [0.0, 0.0, 0.0, 1.0, -1.0, -3.0, 2.0, -2.0] }

entry main (v: i64) (b: i64) (k: i64) : []f64 =
  let table = tabulate_2d b 3 (\i j -> f64.i64 (i - j))
  let scales = tabulate v f64.i64
  in tabulate k (\row ->
                   let scaled =
                     map (\scale -> map (\i -> f64.sum (map (\r -> r[i] * scale) table)) (iota 3))
                         scales
                   in (flatten scaled)[row])
