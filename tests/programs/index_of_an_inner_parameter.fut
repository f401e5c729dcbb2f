-- An array that a map inside gives its function is no input of the map around, though it is read at
-- the outer one's index.
-- ==
-- input { [[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]] }
-- output { [[1, 5, 9], [3, 7, 11]] [[2, 30, 90], [12, 55, 126]] }

entry main [n] [p] (tables: [n][p][2]i32) : ([p][n]i32, [p][n]i32) =
  let column g = map (\table -> table[g, 0]) tables
  let product g i = tables[i, g, 0] * tables[i, g, 1]
  in ( map (\g -> map (+ 0) (column g)) (iota p)
     , map (\g ->
              map (\(table: [p][2]i32, i) -> product g i / table[0, 0] * table[0, 0])
                  (zip tables (iota n)))
           (iota p)
     )
