-- Derivatives through records, sums and custom derivatives.
-- ==
-- entry: sums_in_a_map sum_of_an_array sum_as_an_argument array_of_sums sum_carried_by_a_loop records
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: record_carried_by_a_loop custom custom_sum custom_with_a_tape custom_with_a_tape_in_a_map
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

def sh (a: f64): #circle f64 | #rect (f64, f64) | #none =
  if a < 0.8 then #circle a else if a < 1.5 then #rect (a, f64.sin a) else #none

entry sums_in_a_map =
  properties (\(x: [4]f64): f64 -> weighted (map (\a -> match sh a
     case #circle r -> r * r
     case #rect (p, q) -> p * q
     case #none -> 0.1) x))
entry sum_of_an_array =
  properties (\(x: [4]f64): f64 ->
     (match ((if x[0] > 1 then #some (map f64.sin x) else #nothing x[1]): (#some [4]f64 | #nothing f64))
     case #some ys -> weighted ys
     case #nothing y -> y))
entry sum_as_an_argument =
  properties (\(x: [4]f64): f64 ->
     let s: (#a f64 | #b [4]f64) = (if x[0] > 1 then #b (map f64.sin x) else #a x[2])
     in (match s
     case #a y -> y
     case #b ys -> weighted ys * x[0]))
entry array_of_sums =
  properties (\(x: [4]f64): f64 ->
     let s: [4](#a f64 | #b (f64, f64)) = map (\y -> if y > 1 then #b (y, y * y) else #a y) x
     in weighted (map (\t -> match t
     case #a y -> y * 2
     case #b (p, q) -> p * q) s))
entry sum_carried_by_a_loop =
  properties (\(x: [4]f64): f64 ->
     (match (loop s: (#a f64 | #b f64) = #a x[0] for i < 3 do (match s
     case #a y -> #b (y * x[i])
     case #b y -> #a (f64.sin y + x[i])))
     case #a y -> y
     case #b y -> y * 3))
entry records =
  properties (\(x: [4]f64): f64 ->
     let p = {pos = x, mass = x[0], d = {e = x[1]}}
     in weighted (map (* p.mass) p.pos) * p.d.e)
entry record_carried_by_a_loop =
  properties (\(x: [4]f64): f64 ->
     let r = loop r = {a = x[0], b = map f64.sin x} for i < 3 do {a = r.a * r.b[i], b = r.b with [i] = r.a}
     in r.a + weighted r.b)
entry custom =
  properties (\(x: [4]f64): f64 -> weighted (with_vjp (map f64.exp) (\ys ws -> map2 (*) ys ws) x))
entry custom_sum =
  properties (\(x: [4]f64): f64 ->
     let mysum ys = with_vjp (\(ys: [4]f64) -> f64.sum ys) (\_ w -> replicate 4 w) ys
     in mysum (map f64.sin x) * x[0])
entry custom_with_a_tape =
  properties (\(x: [4]f64): f64 -> weighted (with_vjp_tape (\x -> (x, map f64.sin x)) (\(x, ws) -> map2 (\a w -> f64.cos a * w) x ws) x))
entry custom_with_a_tape_in_a_map =
  properties (\(x: [4]f64): f64 -> f64.sum (map (\y -> with_vjp_tape (\z -> (f64.cos z, f64.sin z)) (\(c, w) -> c * w) y) x))
