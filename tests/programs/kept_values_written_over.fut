-- What a point keeps for a while may lie where its result will lie; each place is read before it is
-- written, and once: for points in whole blocks, points left over, and few points, whose own
-- loops are then worth running in blocks.
-- ==
-- entry: scaled_by_loops scaled_with_totals
-- input { 3i64 20i64 21i64 } output { true }
-- input { 32i64 20i64 21i64 } output { true }
-- input { 45i64 17i64 37i64 } output { true }

def numbers (seed: i64) (n: i64) : [n]f64 =
  map (\i -> f64.sin (f64.i64 ((i + seed) * (i + 3) % 1013))) (iota n)

def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

def products [k] [m] (rows: [k][m]f64) (point: [m]f64) : [k][m]f64 =
  map (\row -> map (\x -> dot row (map (* x) point)) row) rows

-- Whether each value is `expected`, of its point, row and place.
def are [n] [k] [m] (xs: [n][k][m]f64) (expected: i64 -> i64 -> i64 -> f64) : bool =
  and (map2 (\x p ->
               let y = expected (p / (k * m)) (p / m % k) (p % m)
               in f64.abs (x - y) <= 1e-9 * (1 + f64.abs y))
            (flatten_3d xs)
            (iota (n * k * m)))

-- The result is another nest of loops over the products.
entry scaled_by_loops (n: i64) (k: i64) (m: i64) : bool =
  let rows: [k][m]f64 = unflatten (numbers 1 (k * m))
  let points: [n][m]f64 = unflatten (numbers 2 (n * m))
  let scaled point =
    let kept = products rows point
    let total = f64.sum (map f64.sum kept)
    in (map (map (\y -> y + f64.sum (map (\p -> f64.cos (p * y + total)) point))) kept, total)
  let (arrays, totals) = unzip (map scaled points)
  in are arrays (\i a b ->
                   let y = dot rows[a] (map (* rows[a, b]) points[i])
                   in y + f64.sum (map (\p -> f64.cos (p * y + totals[i])) points[i]))

-- A row gives two results, of which one takes its place.
entry scaled_with_totals (n: i64) (k: i64) (m: i64) : bool =
  let rows: [k][m]f64 = unflatten (numbers 1 (k * m))
  let points: [n][m]f64 = unflatten (numbers 2 (n * m))
  let scaled point =
    let kept = products rows point
    let total = f64.sum (map f64.sum kept)
    let (rows, totals) =
      unzip (map2 (\row i -> (map (\y -> 2 * y + total) row, total + f64.i64 i)) kept (iota k))
    in (rows, totals)
  let (arrays, totals) = unzip (map scaled points)
  in are arrays (\i a b ->
                   2 * dot rows[a] (map (* rows[a, b]) points[i])
                   + totals[i, a]
                   - f64.i64 a)
