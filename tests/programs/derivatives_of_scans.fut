-- Derivatives of scans by every class of operator.
-- ==
-- entry: sums products maxima affine_maps one_number rows_by_products
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: rows_by_an_operator matrices operator_with_a_branch by_division segmented inside_a_map
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: fused_with_its_uses empty
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

def multiply (a: [2][2]f64) (b: [2][2]f64) : [2][2]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

entry sums = properties (\(x: [4]f64) : f64 -> weighted (map2 (*) x (scan (+) 0 (map f64.sin x))))
entry products = properties (\(x: [4]f64) : f64 -> weighted (scan (*) 1 x))

entry maxima =
  properties (\(x: [4]f64) : f64 -> weighted (map2 (*) x (scan f64.max (-100) (map (\a -> a * a) x))))

entry affine_maps =
  properties (\(x: [4]f64) : f64 ->
                let (a, b) = unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (zip x (map f64.sin x)))
                in weighted a + weighted b)

entry one_number =
  properties (\(x: [4]f64) : f64 -> weighted (scan (\a b -> a + b + a * b * 0.3) 0 x))

entry rows_by_products =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (scan (map2 (*)) [1, 1] (map (\a -> [a, f64.cos a]) x))))

entry rows_by_an_operator =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (scan (map2 (\a b -> a + b + 0.3 * a * b)) [0, 0] (map (\a -> [a, a * a]) x))))

entry matrices =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (flatten (scan multiply [[1, 0], [0, 1]] (map (\a -> [[a, 1], [f64.sin a, a * a]]) x)))))

entry operator_with_a_branch =
  properties (\(x: [4]f64) : f64 -> weighted (scan (\a b -> if a > b then a else b) 0 x))

entry by_division =
  properties (\(x: [4]f64) : f64 -> weighted (scan (\a b -> (a + b) / (1 + a * b)) 0 (map (* 0.3) x)))

entry segmented =
  properties (\(x: [4]f64) : f64 ->
                let add (a, i) (b, j) =
                  if i == j then (a + b, i) else if j < 0 then (a, i) else (b, j)
                let ys = scan add (0, -1) (zip x [0, 0, 1, 1])
                in weighted (map (.0) ys))

entry inside_a_map =
  properties (\(x: [4]f64) : f64 -> weighted (map (\k -> f64.sum (scan (\a b -> a + b + 0.1 * a * b) 0 (map (* k) x))) x))

entry fused_with_its_uses =
  properties (\(x: [4]f64) : f64 ->
                let ys = scan (+) 0 (map f64.sin x)
                let zs = map2 (*) ys x
                in f64.sum zs + weighted ys * f64.maximum zs)

entry empty = properties (\(x: [4]f64) : f64 -> f64.sum (scan (*) 1 (take 0 x)) + x[2])
