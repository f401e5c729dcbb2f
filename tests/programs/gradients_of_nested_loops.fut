-- Derivatives of loops that update rows of arrays in loops, whichever values their iterations keep.
-- ==
-- entry: layers layers_kept layers_of_values read_whole_between read_after three_deep other_rows
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: overlapping steps_inside constant_number rows_for_another_loop
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- What an iteration computes for the next one is kept there, after the last one too.
-- ==
-- entry: handed_on handed_on_twice none_handed_on
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

def rows (x: [4]f64) : *[2][2]f64 = [[x[0], x[1]], [x[2], x[3]]]
def values (m: [2][2]f64) : f64 = weighted (flatten m :> [4]f64)
def cell (row: [2]f64) (y: f64) : *[2]f64 = map (\a -> f64.sin (a * y + 0.1)) row

-- Each row from itself and from what the row before gave.
def layer (y: f64, m: *[2][2]f64) (i: i64) : (f64, *[2][2]f64) =
  let row = cell m[i] y
  in (y + row[0] * row[1], m with [i] = row)

entry layers =
  properties (\(x: [4]f64) : f64 ->
                let (y, m) =
                  loop (y, m) = (x[0], rows x)
                  for t < 3 do
                    loop (y, m) for i < 2 do layer (y, m) i
                in y + values m)

entry layers_kept =
  properties (\(x: [4]f64) : f64 ->
                let (y, m) =
                  #[keep]
                  loop (y, m) = (x[0], rows x)
                  for t < 3 do
                    #[keep] loop (y, m) for i < 2 do layer (y, m) i
                in y + values m)

entry layers_of_values =
  properties (\(x: [4]f64) : f64 ->
                let (y, m) =
                  #[stripmine(1)]
                  loop (y, m) = (x[0], rows x)
                  for t < 3 do
                    loop (y, m) for i < 2 do layer (y, m) i
                in y + values m)

entry read_whole_between =
  properties (\(x: [4]f64) : f64 ->
                let (y, m) =
                  loop (y, m) = (x[0], rows x)
                  for t < 3 do
                    let z = f64.product (flatten m)
                    in loop (y, m) = (y * z, m) for i < 2 do layer (y, m) i
                in y + values m)

entry read_after =
  properties (\(x: [4]f64) : f64 ->
                let (y, m) =
                  loop (y, m) = (x[0], rows x)
                  for t < 3 do
                    let (y, m) = loop (y, m) for i < 2 do layer (y, m) i
                    in (f64.sin (y * m[1, 0]) + f64.sum (map (\r -> r[0] * r[1]) m), m)
                in y + values m)

entry three_deep =
  properties (\(x: [4]f64) : f64 ->
                let (y, m) =
                  loop (y, m) = (x[0], rows x)
                  for s < 2 do
                    loop (y, m) for t < 2 do
                      loop (y, m) for i < 2 do layer (y, m) i
                in y + values m)

-- Rows are read where others are written.
entry other_rows =
  properties (\(x: [4]f64) : f64 ->
                let (y, m) =
                  loop (y, m) = (x[0], rows x)
                  for t < 3 do
                    loop (y, m) for i < 2 do
                      let row = cell m[1 - i] (y * m[i, t % 2])
                      in (y * row[1] + m[0, 0], m with [i] = row)
                in y + values m)

-- What is read was written in the same iteration.
entry overlapping =
  properties (\(x: [4]f64) : f64 ->
                values (loop m = rows x
                        for t < 3 do
                          let m = m with [t % 2] = cell m[0] x[t]
                          let y = m[0, 1] * m[1, 0]
                          in m with [(t + 1) % 2, 0] = f64.sin (y + m[t % 2, 1])))

entry steps_inside =
  properties (\(x: [4]f64) : f64 ->
                weighted (loop y = copy x
                          for t < 3 do
                            loop y for i < 3 do map2 (\a b -> f64.sin (a * b + 0.1 * f64.i64 i)) y (rotate 1 y)))

entry constant_number =
  properties (\(x: [4]f64) : f64 ->
                let (a, b) =
                  loop (a, b) = (x[0], x[1])
                  for t < 4 do
                    let (c, d) = loop (c, d) = (a, b) for i < 2 do (f64.sin (c * d), c + x[2] * d)
                    in (c * d + a, f64.cos (d * x[3]))
                in a * b)

-- A second loop takes the array over from the first.
entry rows_for_another_loop =
  properties (\(x: [4]f64) : f64 ->
                let (y, m) =
                  loop (y, m) = (x[0], rows x)
                  for t < 3 do
                    let (y, m) = loop (y, m) for i < 2 do layer (y, m) i
                    in loop (y, m) = (y * 0.5, m) for i < 2 do layer (y, m) (1 - i)
                in y + values m)

entry handed_on =
  properties (\(x: [4]f64) : f64 ->
                let (y, x) =
                  #[keep]
                  loop (y, x) = (x[0], x)
                  for _t < 3 do
                    let x = map (\a -> f64.tanh (a * y)) x
                    in (f64.sum x, x)
                in y * weighted x)

entry handed_on_twice =
  properties (\(x: [4]f64) : f64 ->
                let (x, y, _) =
                  #[keep]
                  loop (x, y, z) = (x, x, x)
                  for t < 4 do
                    let next = #[keep] loop z for _i < t do map f64.sin (map2 (+) x z)
                    in (next, next, map2 (*) y next)
                in weighted x + weighted y)

entry none_handed_on =
  properties (\(x: [4]f64) : f64 ->
                weighted (#[keep] loop x for _t < i64.f64 (x[0] - x[0]) do map f64.exp x))
