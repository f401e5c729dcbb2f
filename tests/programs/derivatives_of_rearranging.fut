-- Derivatives of what moves elements about: concat, rotate, reshape, slices, updates, filter.
-- ==
-- entry: concatenated rotated replicated element_updates slice_update row_update
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: place_from_a_value read_at_a_computed_place reversed flattened transposed filtered
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: partitioned in_three_parts expanded rows_of_different_lengths scans_of_different_lengths filters_of_different_lengths
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

def expandp (x: [4]f64) =
  let c = scan (+) 0 (map i64.f64 x)
  in map (\k -> (k % 4, i64.min 3 (k / 2))) (iota (last c))

entry concatenated =
  properties (\(x: [4]f64) : f64 -> weighted (x ++ map f64.sin x ++ [x[0] * x[1]]))

entry rotated = properties (\(x: [4]f64) : f64 -> weighted (map2 (*) x (rotate 1 x)))

entry replicated =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (replicate 3 (map f64.sin x))))

entry element_updates =
  properties (\(x: [4]f64) : f64 -> weighted (copy x with [1] = x[0] * x[2] with [2] = f64.sin x[1]))

entry slice_update =
  properties (\(x: [4]f64) : f64 ->
                let y = copy x with [1:3] = map f64.sin (take 2 x)
                in weighted (map2 (*) y y))

entry row_update =
  properties (\(x: [4]f64) : f64 ->
                let m = [copy x, map f64.sin x]
                in weighted (flatten (m with [1] = map2 (*) x m[0])))

entry place_from_a_value =
  properties (\(x: [4]f64) : f64 -> weighted (copy x with [i64.f64 x[0]] = x[2] * x[3]))

entry read_at_a_computed_place = properties (\(x: [4]f64) : f64 -> x[i64.f64 x[0] % 4] * x[2])
entry reversed = properties (\(x: [4]f64) : f64 -> weighted (map2 (*) x (reverse x)))

entry flattened =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (unflatten (map f64.sin x :> [2 * 2]f64))))

entry transposed =
  properties (\(x: [4]f64) : f64 ->
                let m = tabulate_3d 2 2 2 (\i j k -> x[i] * x[j + 1] + x[k])
                in weighted (flatten (flatten (map transpose m))))

entry filtered = properties (\(x: [4]f64) : f64 -> weighted (filter (> 1) (map (\a -> a * a) x)))

entry partitioned =
  properties (\(x: [4]f64) : f64 ->
                let (a, b) = partition (> 1) (map (\a -> a * a) x)
                in weighted a * weighted b)

entry in_three_parts =
  properties (\(x: [4]f64) : f64 ->
                let (a, b, c) = partition2 (> 1.5) (> 1) (map (\a -> a * a) x)
                in weighted a * weighted b + weighted c)

entry expanded =
  properties (\(x: [4]f64) : f64 -> weighted (map (\(i, j) -> x[i] * f64.i64 (j + 1) * x[j]) (expandp x)))

entry rows_of_different_lengths =
  properties (\(x: [4]f64) : f64 -> weighted (map (\i -> f64.product (map f64.sin (take (i + 1) x))) (iota 4)))

entry scans_of_different_lengths =
  properties (\(x: [4]f64) : f64 -> weighted (map (\i -> f64.sum (scan (*) 1 (take (i + 1) x))) (iota 4)))

entry filters_of_different_lengths =
  properties (\(x: [4]f64) : f64 -> weighted (map (\i -> weighted (filter (> x[i]) (map (* x[i]) x))) (iota 4)))
