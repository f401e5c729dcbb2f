-- Derivatives of loops, branches and matches.
-- ==
-- entry: array_updates maps_in_a_loop counted_while while_over_an_array bounded_while bounded_while_over_an_array
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: values_in_turn two_arrays swapped_arrays matrix_powers rows_of_a_matrix over_elements
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: nested true_dependence strip_mined strip_mined_while no_iterations sorting
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: loops_of_different_lengths branch_of_arrays branch_of_sizes match_on_numbers match_on_pairs
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

def bsort [n] (x: [n]f64) : [n]f64 =
  loop y = copy x
  for i < n do
    loop y for j < n - 1 do
      if y[j] > y[j + 1]
      then let t = y[j]
           let y[j] = y[j + 1]
           let y[j + 1] = t
           in y
      else y

entry array_updates =
  properties (\(x: [4]f64) : f64 -> weighted (loop y = copy x for i < 3 do y with [i + 1] = y[i] * y[i + 1]))

entry maps_in_a_loop =
  properties (\(x: [4]f64) : f64 -> weighted (loop y = x for i < 3 do map2 (\a b -> f64.sin (a * b) + 0.1 * f64.i64 i) y (rotate 1 y)))

entry counted_while =
  properties (\(x: [4]f64) : f64 -> loop a = x[0] while a < 20 do a * (1 + x[1]) + x[2])

entry while_over_an_array =
  properties (\(x: [4]f64) : f64 -> (loop (y, k) = (copy x, 0i64) while k < 3 && y[k] < 5 do (y with [k] = y[k] * y[k + 1], k + 1)).0 |> weighted)

entry bounded_while =
  properties (\(x: [4]f64) : f64 -> #[bound(20)] loop a = x[0] while a < 20 do a * (1 + x[1]) + x[2])

entry bounded_while_over_an_array =
  properties (\(x: [4]f64) : f64 -> weighted (#[bound(6)] loop ys = copy x while ys[0] < 20 do map (+ 0.5) (map2 (*) ys (rotate 1 ys))))

entry values_in_turn =
  properties (\(x: [4]f64) : f64 -> (loop (a, b, ys) = (x[0], x[1], copy x) for i < 4 do (b, a + ys[i], ys with [i] = a * b)).2 |> weighted)

entry two_arrays =
  properties (\(x: [4]f64) : f64 ->
                let (a, b) = loop (a, b) = (copy x, copy x) for i < 3 do (map2 (*) a b, map2 (\p q -> f64.sin (p + q)) b a)
                in weighted a + weighted b)

entry swapped_arrays =
  properties (\(x: [4]f64) : f64 ->
                let (a, b) = loop (a, b) = (copy x, map f64.sin x) for i < 3 do (b, a with [i] = b[i] * a[i + 1])
                in weighted a + weighted b)

entry matrix_powers =
  properties (\(x: [4]f64) : f64 ->
                weighted (flatten (loop m = [[x[0], x[1]], [x[2], x[3]]]
                                   for i < 3 do
                                     let n = transpose m
                                     in map (\r -> map (\c -> 0.3 * f64.sum (map2 (*) r c)) n) m)))

entry rows_of_a_matrix =
  properties (\(x: [4]f64) : f64 -> weighted (flatten (loop m = replicate 3 (copy x) for i < 2 do m with [i + 1] = map2 (*) m[i] x)))

entry over_elements = properties (\(x: [4]f64) : f64 -> loop a = 1 for y in x do a * y + f64.sin y)

entry nested =
  properties (\(x: [4]f64) : f64 -> loop a = x[0] for i < 3 do loop b = a for j < 2 do b * x[j + 1] * 0.7 + x[i] * 0.2)

entry true_dependence =
  properties (\(x: [4]f64) : f64 -> weighted (loop #[true_dep] ys = replicate 4 1 for i < 4 do ys with [i] = (if i > 0 then ys[i - 1] else 1) * x[i]))

entry strip_mined =
  properties (\(x: [4]f64) : f64 -> #[stripmine(3)] loop a = x[0] for i < 9 do f64.sin a * x[i % 4] + a)

entry strip_mined_while =
  properties (\(x: [4]f64) : f64 -> #[stripmine(2)] #[bound(20)] loop a = x[0] while a < 20 do a * (1 + x[1]) + x[2])

entry no_iterations =
  properties (\(x: [4]f64) : f64 -> weighted (loop y = copy x for i < 0 do map f64.sin y))

entry sorting = properties (\(x: [4]f64) : f64 -> weighted (bsort x))

entry loops_of_different_lengths =
  properties (\(x: [4]f64) : f64 -> weighted (map (\i -> loop a = 1 for j < i do a * x[j] + x[i]) (iota 4)))

entry branch_of_arrays =
  properties (\(x: [4]f64) : f64 -> weighted (if x[0] > 0.5 then map f64.sin x else map f64.cos x))

entry branch_of_sizes =
  properties (\(x: [4]f64) : f64 -> weighted (if x[0] > 0.5 then filter (> 1) x else x))

entry match_on_numbers =
  properties (\(x: [4]f64) : f64 ->
                weighted (map (\i ->
                                 match i
                                 case 0 -> x[0] * x[1]
                                 case 2 -> f64.sin x[2]
                                 case _ -> x[3])
                              (iota 4)))

entry match_on_pairs =
  properties (\(x: [4]f64) : f64 ->
                (match (x[0] > 1, x[1] > 1)
                 case (true, true) -> x[0]
                 case (true, false) -> x[1] * x[2]
                 case _ -> x[3]))
