-- Values and gradients of one function, together: the value is that of the function, the gradient
-- agrees with the derivative along a direction, ⟨w, J v⟩ = ⟨Jᵀ w, v⟩.  What the return sweep
-- executes anyway gives the value, if nothing that is swept back depends on it.
-- ==
-- entry: summed_errors means logarithms_of_sums two_sums rows_and_sums sums_in_sums values_as_adjoints
-- input { 0i64 3i64 2i64 } output { true }
-- input { 1i64 1i64 1i64 } output { true }
-- input { 70i64 5i64 9i64 } output { true }
-- input { 300i64 40i64 70i64 } output { true }

def close (a: f64) (b: f64) : bool = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)

def numbers (n: i64) : [n]f64 = map (\i -> f64.sin (f64.i64 (i * i % 1013))) (iota n)
def table (n: i64) (m: i64) : [n][m]f64 = unflatten (numbers (n * m))

def agrees [n] (f: [n]f64 -> f64) (ws: [n]f64) : bool =
  let vs = map (\i -> f64.cos (f64.i64 (3 * i))) (iota n)
  let (value, gradient) = vjp2 f ws 1
  in close value (f ws) && close (jvp f ws vs) (f64.sum (map2 (*) gradient vs))

def layer [n] [m] (weights: [m][n]f64) (x: [n]f64) : [m]f64 =
  map (\row -> f64.tanh (f64.sum (map2 (*) row x))) weights

def error [n] [m] (weights: [m][n]f64) (x: [n]f64) (y: f64) : f64 =
  let d = f64.sum (layer weights x) - y
  in d * d

entry summed_errors (k: i64) (n: i64) (m: i64) : bool =
  agrees (\ws -> f64.sum (map2 (error (unflatten (ws :> [m * n]f64))) (table k n) (numbers k)))
         (numbers (m * n))

entry means (k: i64) (n: i64) (m: i64) : bool =
  agrees (\ws ->
            let errors = map2 (error (unflatten (ws :> [m * n]f64))) (table k n) (numbers k)
            in 3 + f64.sum errors / f64.i64 (i64.max 1 k))
         (numbers (m * n))

-- What is swept back depends on the sum.
entry logarithms_of_sums (k: i64) (n: i64) (m: i64) : bool =
  agrees (\ws ->
            let errors = map2 (error (unflatten (ws :> [m * n]f64))) (table k n) (numbers k)
            in f64.log (1 + f64.sum errors))
         (numbers (m * n))

-- One of them can give its values while the other cannot.
entry two_sums (k: i64) (n: i64) (m: i64) : bool =
  agrees (\ws ->
            let weights = unflatten (ws :> [m * n]f64)
            let a = f64.sum (map2 (error weights) (table k n) (numbers k))
            let b = f64.sum (map2 (error weights) (table k n) (map (+ 1) (numbers k)))
            in a + b * b)
         (numbers (m * n))

-- The values of a map are results, too, and read by another map.
entry rows_and_sums (k: i64) (n: i64) (m: i64) : bool =
  let f [l] (ws: [l]f64) : ([k]f64, [k]f64, f64) =
    let errors = map2 (error (unflatten (ws :> [m * n]f64))) (table k n) (numbers k)
    in (errors, map (+ 1) (scan (+) 0 errors), f64.maximum (map (* 2) errors))
  let ws = numbers (m * n)
  let vs = map (\i -> f64.cos (f64.i64 (3 * i))) (indices ws)
  let seeds = (numbers k, replicate k 0, 0)
  let ((errors, running, most), gradient) = vjp2 f ws seeds
  let (errors', running', most') = f ws
  let along = f64.sum (map2 (*) (jvp f ws vs).0 seeds.0)
  in and (map2 close errors errors') && and (map2 close running running')
     && (most == most' || k == 0)
     && close along (f64.sum (map2 (*) gradient vs))

-- Maps within maps, each of which gives values.
entry sums_in_sums (k: i64) (n: i64) (m: i64) : bool =
  agrees (\ws ->
            let weights: [m][n]f64 = unflatten (ws :> [m * n]f64)
            in f64.sum (map (\x ->
                               f64.sum (map (\row ->
                                               let d = f64.sum (map2 (*) row x)
                                               in f64.tanh d + d)
                                            weights))
                            (table k n)))
         (numbers (m * n))

-- What a map gives is an adjoint of something else.
entry values_as_adjoints (k: i64) (n: i64) (m: i64) : bool =
  agrees (\ws ->
            let weights = unflatten (take (m * n) ws :> [m * n]f64)
            let errors = map2 (error weights) (table k n) (numbers k)
            in ws[m * n] * f64.sum errors + f64.sum (map2 (*) errors (drop (m * n + 1) ws :> [k]f64)))
         (numbers (m * n + 1 + k))

-- The errors of descent, step by step.
-- ==
-- entry: descent
-- input { 70i64 5i64 9i64 } output { true }
entry descent (k: i64) (n: i64) (m: i64) : bool =
  let f (weights: [m][n]f64) : f64 =
    f64.sum (map2 (error weights) (table k n) (numbers k)) / f64.i64 k
  let step (weights: [m][n]f64) (gradient: [m][n]f64) : [m][n]f64 =
    map2 (map2 (\w d -> w - 0.02 * d)) weights gradient
  let (weights, errors) =
    loop (weights, errors) = (table m n, replicate 8 0)
    for i < 8 do
      let (value, gradient) = vjp2 f weights 1
      in (step weights gradient, errors with [i] = value)
  let plain = loop weights = table m n for _i < 8 do step weights (vjp f weights 1)
  in and (map2 (map2 close) weights plain |> map and) && errors[7] < errors[0]
     && and (map (\e -> e > 0) errors)

-- A value and its gradient, differentiated along a direction.
-- ==
-- entry: second_order
-- input { 20i64 5i64 9i64 } output { true }
entry second_order (k: i64) (n: i64) (m: i64) : bool =
  let f (weights: [m][n]f64) : f64 = f64.sum (map2 (error weights) (table k n) (numbers k))
  let at = table m n
  let direction = map (map (\w -> f64.cos (9 * w))) at
  let ((value, _), (along, turned)) = jvp2 (\w -> vjp2 f w 1) at direction
  let plain = jvp (\w -> vjp f w 1) at direction
  in close value (f at) && close along (jvp f at direction)
     && and (map and (map2 (map2 close) turned plain))
