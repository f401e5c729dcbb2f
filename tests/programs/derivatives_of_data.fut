-- Derivatives through records, sums and custom derivatives.
-- ==
-- entry: sums_in_a_map sum_of_an_array sum_as_an_argument array_of_sums sum_carried_by_a_loop records
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: record_carried_by_a_loop custom custom_sum custom_with_a_tape custom_with_a_tape_in_a_map
-- input { [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: constructors_of_derivatives constructor_of_a_seed
-- input { [1.2, 0.6, 0.9, 1.7] } output { [true, true, true, true] }

import "shared/derivative_properties"

def sh (a: f64) : #circle f64 | #rect (f64, f64) | #none =
  if a < 0.8 then #circle a else if a < 1.5 then #rect (a, f64.sin a) else #none

entry sums_in_a_map =
  properties (\(x: [4]f64) : f64 ->
                weighted (map (\a ->
                                 match sh a
                                 case #circle r -> r * r
                                 case #rect (p, q) -> p * q
                                 case #none -> 0.1)
                              x))

entry sum_of_an_array =
  properties (\(x: [4]f64) : f64 ->
                (match ((if x[0] > 1 then #some (map f64.sin x) else #nothing x[1]) : (#some [4]f64 | #nothing f64))
                 case #some ys -> weighted ys
                 case #nothing y -> y))

entry sum_as_an_argument =
  properties (\(x: [4]f64) : f64 ->
                let s: (#a f64 | #b [4]f64) = (if x[0] > 1 then #b (map f64.sin x) else #a x[2])
                in (match s
                    case #a y -> y
                    case #b ys -> weighted ys * x[0]))

entry array_of_sums =
  properties (\(x: [4]f64) : f64 ->
                let s: [4](#a f64 | #b (f64, f64)) = map (\y -> if y > 1 then #b (y, y * y) else #a y) x
                in weighted (map (\t ->
                                    match t
                                    case #a y -> y * 2
                                    case #b (p, q) -> p * q)
                                 s))

entry sum_carried_by_a_loop =
  properties (\(x: [4]f64) : f64 ->
                (match (loop s: (#a f64 | #b f64) = #a x[0]
                        for i < 3 do
                          (match s
                           case #a y -> #b (y * x[i])
                           case #b y -> #a (f64.sin y + x[i])))
                 case #a y -> y
                 case #b y -> y * 3))

entry records =
  properties (\(x: [4]f64) : f64 ->
                let p = {pos = x, mass = x[0], d = {e = x[1]}}
                in weighted (map (* p.mass) p.pos) * p.d.e)

entry record_carried_by_a_loop =
  properties (\(x: [4]f64) : f64 ->
                let r = loop r = {a = x[0], b = map f64.sin x} for i < 3 do {a = r.a * r.b[i], b = r.b with [i] = r.a}
                in r.a + weighted r.b)

entry custom =
  properties (\(x: [4]f64) : f64 -> weighted (with_vjp (map f64.exp) (\ys ws -> map2 (*) ys ws) x))

entry custom_sum =
  properties (\(x: [4]f64) : f64 ->
                let mysum ys = with_vjp (\(ys: [4]f64) -> f64.sum ys) (\_ w -> replicate 4 w) ys
                in mysum (map f64.sin x) * x[0])

entry custom_with_a_tape =
  properties (\(x: [4]f64) : f64 -> weighted (with_vjp_tape (\x -> (x, map f64.sin x)) (\(x, ws) -> map2 (\a w -> f64.cos a * w) x ws) x))

entry custom_with_a_tape_in_a_map =
  properties (\(x: [4]f64) : f64 -> f64.sum (map (\y -> with_vjp_tape (\z -> (f64.cos z, f64.sin z)) (\(c, w) -> c * w) y) x))

-- The derivative of a sum is made by the constructor that made the sum.
type choice = #number f64 | #pair (f64, #left f64 | #right [2]f64) | #counted {count: i32, y: f64}

def turned (c: choice) : choice =
  match c
  case #number y -> #pair (y * y, #right [y, 3 * y])
  case #pair (p, #left q) -> #number (p * q)
  case #pair (p, #right q) -> #number (p * q[0] + q[1])
  case #counted {count, y} -> #number (y * f64.i32 count)

def is_near (x: f64) (y: f64) = f64.abs (x - y) < 1e-9

entry constructors_of_derivatives (x: [4]f64) : []bool =
  [ match vjp turned (#pair (x[0], #right [x[1], x[2]])) (#number 2)
    case #pair (p, #right q) -> is_near p (2 * x[1]) && is_near q[0] (2 * x[0]) && is_near q[1] 2
    case _ -> false
  , match jvp turned (#number x[0]) (#number 1)
    case #pair (p, #right q) -> is_near p (2 * x[0]) && is_near q[0] 1 && is_near q[1] 3
    case _ -> false
  , let arguments = [#number x[0], #counted {count = 3, y = x[1]}]
    let seeds = [[#pair (1, #left 0), #number 1], [#pair (2, #left 0), #number 2]]
    let adjoints = mjp (map turned) arguments seeds
    in match (adjoints[1, 0], adjoints[1, 1])
       case (#number p, #counted {count = _, y}) -> is_near p (4 * x[0]) && is_near y 6
       case _ -> false
  , match (vjp (\y -> (jvp turned y (#counted {count = 0, y = 1}))) (#counted {count = 3, y = x[1]}) (#number 1))
    case #counted _ -> true
    case _ -> false
  ]

-- A custom derivative is handed the adjoint of its result with that result's constructor.
entry constructor_of_a_seed (x: [4]f64) : []bool =
  let f =
    with_vjp (\(y: f64) : (#small f64 | #large f64) -> if y > 1 then #large (y * y) else #small y)
             (\_ seed -> match seed case #small w -> w case #large w -> 10 * w)
  let adjoint y = vjp (\z -> match f z case #small r -> r case #large r -> r) y 1
  in map2 is_near (map adjoint x) [10, 1, 1, 10]
