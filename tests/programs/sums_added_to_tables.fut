-- Layers whose inputs are rows of a table: their adjoints are products whose elements are added to
-- the table, some of them to the same row.

def value (seed: i64) (i: i64) : f64 = f64.i64 ((i * 37 + seed * 11) % 19 - 9) / 8

def layer [v] [e] [h] [b] (words: [b]i64) (w: [h][e]f64) (u: [h][e]f64) (table: [v][e]f64) =
  map (\x -> map2 (\a c -> f64.sum (map2 (*) a table[x]) * f64.sum (map2 (*) c table[x])) w u) words

-- | The table's adjoint by its definition, an element at a time.
def by_elements [v] [e] [h] [b] (words: [b]i64)
                (w: [h][e]f64)
                (u: [h][e]f64)
                (table: [v][e]f64)
                (adjoint: [b][h]f64) : [v][e]f64 =
  let dot xs ys = f64.sum (map2 (*) xs ys)
  in tabulate_2d v e (\r c ->
                        loop sum = 0
                        for k < b do
                          if words[k] != r
                          then sum
                          else loop sum for j < h do
                                 sum + adjoint[k, j] * (w[j, c] * dot u[j] table[r] + u[j, c] * dot w[j] table[r]))

-- ==
-- entry: right
-- input { 7i64 5i64 4i64 6i64 } output { true }
-- input { 70i64 65i64 40i64 50i64 } output { true }
-- input { 33i64 64i64 130i64 96i64 } output { true }
-- input { 3i64 1i64 2i64 0i64 } output { true }
entry right (v: i64) (e: i64) (h: i64) (b: i64) : bool =
  let words = tabulate b (\i -> (i * i + 1) % v)
  let w = tabulate_2d h e (\i j -> value 1 (i * e + j))
  let u = tabulate_2d h e (\i j -> value 2 (i * e + j))
  let table = tabulate_2d v e (\i j -> value 3 (i * e + j))
  let adjoint = tabulate_2d b h (\i j -> value 4 (i * h + j))
  let found = vjp (layer words w u) table adjoint
  let wanted = by_elements words w u table adjoint
  in and (map2 (\a c -> and (map2 (\x y -> f64.abs (x - y) <= 1e-9 * f64.max 1 (f64.abs y)) a c)) found wanted)

-- | A row beyond the table is told.
-- ==
-- entry: outside
-- input { 5i64 } error: out of bounds
entry outside (x: i64) : [4][3]f64 =
  let table = tabulate_2d 4 3 (\i j -> value 5 (i * 3 + j))
  let w = tabulate_2d 2 3 (\i j -> value 6 (i * 3 + j))
  in vjp (layer [0, x] w w) table (replicate 2 (replicate 2 1))
