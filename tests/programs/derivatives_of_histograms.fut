-- Derivatives of reduce_by_index by every class of operator, of scatter and of gathers.
-- ==
-- entry: sums products maxima one_number rows_of_sums rows_of_products
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- An operator without neutral element: a bin that gets no elements counts as combined with it.
-- ==
-- entry: saturated
-- input { [1i64, 1i64, 4i64] [9.0, 9.0, 9.0, 11.0] [2.0, 3.0, 1.0] }
-- output { [1.0, 0.0, 1.0, 0.0] [0.0, 0.0, 0.0] }
-- input { [1i64, 1i64, 4i64] [9.0, 1.0, 9.0, 11.0] [2.0, 3.0, 1.0] }
-- output { [1.0, 1.0, 1.0, 0.0] [1.0, 1.0, 0.0] }

-- ==
-- entry: pairs two_dimensions no_values no_values_general no_bins overwriting
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: minima_in_two_dimensions minima_and_maxima minima_in_a_map
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: first_of_equal_extrema
-- input { [1.5, 1.5, 2.0, 1.5, 3.0] } output { [2.0, 0.0, 0.0, 0.0, 0.0] [1.0, 0.0] }

-- ==
-- entry: overwriting_in_two_dimensions no_writes gathered gathered_rows
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: gathered_by_rows gathered_from_rows gathered_twice gathered_from_two
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

entry sums =
  properties (\(x: [4]f64) : f64 -> weighted (reduce_by_index (copy (take 3 x)) (+) 0 [0, 2, 0, 1] (map f64.sin x)))

entry products =
  properties (\(x: [4]f64) : f64 -> weighted (reduce_by_index (copy (take 3 x)) (*) 1 [0, 2, 0, 1] (map f64.sin x)))

entry maxima =
  properties (\(x: [4]f64) : f64 -> weighted (map2 (*) (take 3 x) (reduce_by_index (copy (take 3 x)) f64.max (-100) [0, 2, 0, 1] (map (\a -> 1.01 * a * a) x))))

entry one_number =
  properties (\(x: [4]f64) : f64 -> weighted (reduce_by_index (copy (take 3 x)) (\a b -> a + b + 0.3 * a * b) 0 [0, 2, 0, 1] (map f64.sin x)))

entry rows_of_sums =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (reduce_by_index [take 2 x, drop 2 x :> [2]f64, [x[1], x[2]]] (map2 (+)) [0, 0] [0, 2, 0, 1] (map (\a -> [a, a * a]) x))))

entry rows_of_products =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (reduce_by_index [take 2 x, drop 2 x :> [2]f64, [x[1], x[2]]] (map2 (*)) [1, 1] [0, 2, 0, 1] (map (\a -> [a, a * a]) x))))

entry pairs =
  properties (\(x: [4]f64) : f64 ->
                let (a, b) = unzip (reduce_by_index (copy (zip (take 3 x) (map f64.sin (take 3 x)))) (\(a, b) (c, d) -> (a * c - b * d, a * d + b * c)) (1, 0) [0, 2, 0, 1] (zip x (map f64.cos x)))
                in weighted a + weighted b)

entry two_dimensions =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (reduce_by_index_2d [take 2 x, drop 2 x :> [2]f64] (+) 0 [(0, 1), (1, 1), (0, 1), (5, 0)] (map f64.sin x))))

entry minima_in_two_dimensions =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (reduce_by_index_2d [take 2 x, drop 2 x :> [2]f64] f64.min 9 [(0, 1), (1, 1), (0, 1), (5, 0)] (map (\a -> 0.5 * f64.sin a) x))))

entry minima_and_maxima =
  properties (\(x: [4]f64) : f64 ->
                let (is, squares) = unzip (map2 (\i a -> (i % 3, a * a)) (iota 4) x)
                in weighted (hist f64.min 9 3 is squares) + 2 * weighted (hist f64.max (-9) 3 is squares))

entry minima_in_a_map =
  properties (\(x: [4]f64) : f64 ->
                weighted (flatten (map (\a -> hist f64.min a 3 [0, 2, 0, 1] (map (\b -> f64.sin (a * b)) x)) x)))

-- The destination counts as the first.
entry first_of_equal_extrema (x: [5]f64) =
  let f (d: [2]f64) (x: [5]f64) = reduce_by_index (copy d) f64.min f64.inf [1, 1, 0, 0, 1] x
  in (vjp (f [1.5, 9]) x [1, 2], vjp (\d -> f d x) [1.5, 9] [1, 2])

entry no_values =
  properties (\(x: [4]f64) : f64 -> weighted (reduce_by_index (copy x) f64.max (-10) (take 0 [1i64]) (take 0 [x[0]])))

entry no_values_general =
  properties (\(x: [4]f64) : f64 -> weighted (reduce_by_index (copy x) (\a b -> a + b + a * b) 0 (take 0 [1i64]) (take 0 [x[0]])))

entry no_bins =
  properties (\(x: [4]f64) : f64 -> f64.sum (reduce_by_index (copy (take 0 x)) (*) 1 [0, 1, 2, 3] x) + x[0])

entry overwriting =
  properties (\(x: [4]f64) : f64 -> weighted (map2 (*) x (scatter (copy x) [3, 0, 9, -1] (map (\a -> a * a) x))))

entry overwriting_in_two_dimensions =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (scatter_2d [take 2 x, drop 2 x :> [2]f64] [(0, 1), (1, 1), (7, 0), (1, 0)] (map (\a -> a * a) x))))

entry no_writes =
  properties (\(x: [4]f64) : f64 -> weighted (scatter (copy x) (take 0 [1i64]) (take 0 x)))

entry gathered =
  properties (\(x: [4]f64) : f64 -> weighted (map (\i -> x[i] * x[(i + 1) % 4]) [0, 3, 3, 1, 2]))

entry gathered_rows =
  properties (\(x: [4]f64) : f64 ->
                let m = [x, map f64.sin x, map f64.cos x]
                in weighted (flatten (map (\i -> map (* x[i]) m[i]) [0, 2, 2, 1])))

entry gathered_by_rows (x: [4]f64) =
  let places = [[0, 3, 1], [2, 2, 0]]
  in properties (\(x: [4]f64) : f64 ->
                   weighted (map2 (\w row -> f64.product (map (\i -> w * x[i]) row)) (take 2 x) places))
                x

entry gathered_from_rows (x: [4]f64) =
  let places = iota (2 + i64.f64 x[0])
  in properties (\(x: [4]f64) : f64 ->
                   let rows = map (\a -> map (* a) x) x
                   in weighted (map (\row -> f64.product (map (\i -> row[3 - i]) places)) rows))
                x

entry gathered_twice =
  properties (\(x: [4]f64) : f64 ->
                weighted (vjp (\(y: [4]f64) -> f64.sum (map (\i -> y[i] * y[i] * y[i]) [0, 3, 3, 1, 2])) x 1))

entry gathered_from_two =
  properties (\(x: [4]f64) : f64 ->
                let sines = map f64.sin x
                in weighted (map2 (\i j -> x[i] * sines[j]) [0, 3, 3] [2, 2, 1]))

def below_ten (x: f64) (y: f64) = if 10 - x < y then 10 else x + y

entry saturated [n] [k] (is: [n]i64) (dest: [k]f64) (xs: [n]f64) =
  vjp (\(d, ys) -> reduce_by_index (copy d) below_ten 0 is ys) (dest, xs) (replicate k 1)
