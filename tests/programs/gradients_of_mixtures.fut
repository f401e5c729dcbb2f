-- Sums over points of what each computes by products with many factors, and uses again for the
-- gradient: against the derivative along a direction, ⟨w, J v⟩ = ⟨Jᵀ w, v⟩.  Points in whole blocks,
-- some left over, and several chunks.
-- ==
-- entry: mixture squares two_products
-- input { 0i64 3i64 5i64 } output { true }
-- input { 7i64 3i64 5i64 } output { true }
-- input { 32i64 4i64 8i64 } output { true }
-- input { 70i64 3i64 33i64 } output { true }
-- input { 1100i64 20i64 20i64 } output { true }

def numbers (seed: i64) (n: i64) : [n]f64 =
  map (\i -> f64.sin (f64.i64 ((i + seed) * (i + 3) % 1013))) (iota n)

def agrees [m] (f: [m]f64 -> f64) (xs: [m]f64) : bool =
  let vs = numbers 5 m
  let along = jvp f xs vs
  let back = f64.sum (map2 (*) (vjp f xs 1) vs)
  in f64.abs (along - back) <= 1e-9 * (1 + f64.abs along)

def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

-- The terms of a component are squares of products, which the adjoint of its factor needs again.
entry mixture (n: i64) (k: i64) (d: i64) : bool =
  let points = unflatten (numbers 1 (n * d))
  let means = unflatten (numbers 2 (k * d))
  let log_density (factors: [k][d][d]f64) point =
    let terms =
      map2 (\mean rows ->
              let centred = map2 (-) point mean
              in -0.01 * f64.sum (map (\row -> dot row centred ** 2) rows))
           means
           factors
    let top = f64.maximum terms
    in top + f64.log (f64.sum (map (\t -> f64.exp (t - top)) terms))
  in agrees (\factors -> f64.sum (map (log_density (unflatten_3d factors)) points))
            (numbers 3 (k * d * d))

-- The product is used with a factor that all products of a point determine.
entry squares (n: i64) (k: i64) (d: i64) : bool =
  let points = unflatten (numbers 1 (n * d))
  let cost (factors: [k][d]f64) point =
    let total = f64.sum (map (\row -> f64.sin (dot row point)) factors)
    in f64.sum (map (\row -> total * dot row point ** 3) factors)
  in agrees (\factors -> f64.sum (map (cost (unflatten factors)) points)) (numbers 3 (k * d))

-- Of two products of one map only one is used again.
entry two_products (n: i64) (k: i64) (d: i64) : bool =
  let points = unflatten (numbers 1 (n * d))
  let others = unflatten (numbers 2 (n * d))
  let cost (factors: [k][d]f64) point other =
    let terms = map (\row -> dot row point * f64.exp (0.1 * dot row other)) factors
    in f64.log (1 + dot terms terms)
  in agrees (\factors -> f64.sum (map2 (cost (unflatten factors)) points others))
            (numbers 3 (k * d))
