-- A reduction comes in versions, for few and for many elements; rows made inside lie in each version
-- where that one puts them.
-- ==
-- input { 9i64 22i64 15i64 } output { true }
-- input { 40i64 22i64 100i64 } output { true }

entry main (v: i64) (b: i64) (k: i64) : bool =
  let table = tabulate_3d b 3 4 (\i j l -> f64.i64 (i - j + l))
  let bases = tabulate_2d v 4 (\i j -> f64.i64 (i + j))
  let places (s: f64) =
    map (\base -> map (\i -> s + f64.sum (map (\bone -> f64.sum (map2 (*) bone[i] base)) table)) (iota 3))
        bases
  in and (tabulate k (\row ->
                        let row = row % (v * 3)
                        in (flatten (places (f64.i64 row)))[row] - (flatten (places 0))[row] == f64.i64 row))
