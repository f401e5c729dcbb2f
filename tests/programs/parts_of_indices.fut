-- Points whose indices are taken apart by a few: what is repeated, put in between, or has turns.
-- ==
-- entry: enlarged
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { [[1i64, 1i64, 2i64, 2i64], [1i64, 1i64, 2i64, 2i64], [3i64, 3i64, 4i64, 4i64], [3i64, 3i64, 4i64, 4i64]] }
-- input { empty([0][2]i64) } output { empty([0][4]i64) }

-- ==
-- entry: in_turns
-- input { [1i64, 2i64, 3i64] [10i64, 20i64, 30i64] } output { [1i64, 10i64, 2i64, 20i64, 3i64, 30i64] }

-- ==
-- entry: by_three
-- input { [5i64, 7i64] } output { [5i64, -4i64, 12i64, 7i64, -3i64, 19i64] }

-- ==
-- entry: known_width
-- input { 3i64 } output { [3i64, 1i64, 4i64, 2i64, 5i64, 3i64, 6i64, 4i64] }

-- ==
-- entry: too_short
-- input { [1i64, 2i64, 3i64] } error: Index \[3\] out of bounds for array of shape \[3\]

-- ==
-- entry: of_enlarged of_windows
-- input { 5i64 [1.2, 0.6, 0.9, 1.7] } output { true true true true }
-- input { 1i64 [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

entry enlarged [n] [m] (a: [n][m]i64) : [][]i64 =
  tabulate_2d (n * 2) (m * 2) (\i j -> a[i / 2, j / 2])

entry in_turns [n] (a: [n]i64) (b: [n]i64) : []i64 =
  tabulate (2 * n) (\i -> if i % 2 == 0 then a[i / 2] else b[i / 2])

entry by_three [n] (a: [n]i64) : []i64 =
  tabulate (n * 3) (\i ->
                      let x = a[i / 3]
                      let r = i % 3
                      in if r == 0 then x else if r == 1 then i / 3 - 4 else x * 2 + i)

entry known_width (k: i64) : [8]i64 = tabulate 8 (\i -> i / 2 + (if i % 2 == 0 then k else 1))

entry too_short [n] (a: [n]i64) : []i64 = tabulate (2 * n) (\i -> a[i / 2 + i % 2])

def row (n: i64) (x: [4]f64) : [n]f64 = map (\i -> x[i % 4] * (1 + f64.i64 i / 10)) (iota n)

entry of_enlarged n =
  properties (\x ->
                let a = map (\s -> map (* s) (row n x)) (row 3 x)
                in weighted (flatten (tabulate_2d 6 (n * 2) (\i j -> f64.sin (a[i / 2, j / 2] * f64.i64 (1 + i % 2))))))

-- Windows over values with zeros between.
entry of_windows n =
  properties (\x ->
                let a = row n x
                in weighted (tabulate (2 * n) (\i ->
                                                 let j = i / 2
                                                 in if i % 2 == 0
                                                    then x[1] * a[j] + (if j > 0 then x[3] * a[j - 1] else 0)
                                                    else x[2] * a[j] + (if j + 1 < n then x[0] * a[j + 1] else 0))))
