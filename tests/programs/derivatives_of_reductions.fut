-- Derivatives of reductions by every class of operator.
-- ==
-- entry: products least_of_a_function affine_maps rows_by_products rows_by_an_operator matrices
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: operator_with_a_branch three_at_once fused_reductions by_division commutative with_position
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: empty
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

def multiply (a: [2][2]f64) (b: [2][2]f64) : [2][2]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

def cons [n] (x: f64) (xs: [n]f64) : []f64 = [x] ++ xs

entry products = properties (\(x: [4]f64) : f64 -> f64.product x)

entry least_of_a_function =
  properties (\(x: [4]f64) : f64 -> f64.minimum (map (\a -> a * a) x) * x[0])

entry affine_maps =
  properties (\(x: [4]f64) : f64 ->
                let (a, b) = reduce (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip x (map f64.sin x))
                in a + b)

entry rows_by_products =
  properties (\(x: [4]f64) : f64 -> weighted (reduce (map2 (*)) [1, 1] (map (\a -> [a, f64.cos a]) x)))

entry rows_by_an_operator =
  properties (\(x: [4]f64) : f64 -> weighted (reduce (map2 (\a b -> a + b + a * b)) [0, 0] (map (\a -> [a, f64.cos a]) x)))

entry matrices =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (reduce multiply [[1, 0], [0, 1]] (map (\a -> [[a, 1], [f64.sin a, a * a]]) x))))

entry operator_with_a_branch =
  properties (\(x: [4]f64) : f64 -> reduce (\a b -> if a > b then a else b) 0 x * x[1])

entry three_at_once =
  properties (\(x: [4]f64) : f64 ->
                let (s, p, m) = reduce (\(a, b, c) (d, e, f) -> (a + d, b * e, f64.max c f)) (0, 1, -10) (zip3 x x x)
                in s * p * m)

entry fused_reductions =
  properties (\(x: [4]f64) : f64 ->
                let ys = map f64.sin x
                in f64.sum ys * f64.product ys + f64.maximum ys * f64.minimum ys)

entry by_division = properties (\(x: [4]f64) : f64 -> reduce (\a b -> (a + b) / (1 + a * b)) 0 (map (* 0.3) x))
entry commutative = properties (\(x: [4]f64) : f64 -> reduce_comm (\a b -> a + b + 0.1 * a * b) 0 x)

entry with_position =
  properties (\(x: [4]f64) : f64 ->
                let (v, i) = reduce (\(a, i) (b, j) -> if a > b then (a, i) else (b, j)) (-1, -1) (zip (map (\a -> a * a) x) (iota 4))
                in v * x[i])

entry empty =
  properties (\(x: [4]f64) : f64 -> f64.sum (map (\i -> x[i]) []) + f64.product (filter (> 100) x) + f64.maximum (cons 0.5 (filter (> 100) x)) * x[0])
