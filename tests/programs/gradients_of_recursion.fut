-- Derivatives of recursive functions: called in maps, giving arrays of sizes known only to them, and
-- differentiating their own calls.
-- ==
-- entry: in_a_map sizes_known_inside second_order
-- input { [1.2, 0.6, 0.9, 1.7] } output { true }

-- The derivatives of sin y · y, of any order.
-- ==
-- entry: reverse_of_itself forward_of_itself
-- input { 0i64 0.5 } output { 0.2397127693021015 }
-- input { 1i64 0.5 } output { 0.9182168195493894 }
-- input { 3i64 0.5 } output { -1.8770678967577954 }
-- input { 6i64 0.5 } error: more than 5 levels deep

-- ==
-- entry: gradient_of_itself second_order_of_itself
-- input { [1.2, 0.6, 0.9, 1.7] } output { true }

def agrees (f: [4]f64 -> f64) (x: [4]f64) : bool =
  let unit i = tabulate 4 (\j -> f64.bool (i == j))
  let along (change: [4]f64 -> f64) = loop ds = replicate 4 0 for i < 4 do ds with [i] = change (unit i)
  let forward = along (jvp f x)
  let difference u = (f (map2 (\a b -> a + 1e-5 * b) x u) - f (map2 (\a b -> a - 1e-5 * b) x u)) / 2e-5
  let close e a b = f64.abs (a - b) <= e * (1 + f64.abs a + f64.abs b)
  in and (map2 (close 1e-10) (vjp f x 1) forward) && and (map2 (close 1e-6) forward (along difference))

def scaled [m] (n: i64) (a: [m]f64) : f64 =
  if n <= 0 then f64.product a else f64.sum (map (\s -> scaled (n - 1) (map (* s) a)) [0.5, 0.9])

def folded [n] (a: [n]f64) : []f64 =
  if n <= 1 then a else folded (map2 (*) (init a) (tail a)) ++ a

entry in_a_map (x: [4]f64) = agrees (\y -> loop s = 0 for k < 2 do s + scaled 1 (map (* y[k]) y)) x
entry sizes_known_inside (x: [4]f64) = agrees (\y -> f64.product (folded y)) x

entry second_order (x: [4]f64) =
  agrees (\y -> f64.sum (map2 (*) y (vjp (\z -> f64.sum (folded z) + scaled 2 z) y 1))) x

def reverse_of_itself' (n: i64) (y: f64) : f64 =
  if n <= 0 then f64.sin y * y else vjp (\z -> reverse_of_itself' (n - 1) z) y 1

def forward_of_itself' (n: i64) (y: f64) : f64 =
  if n <= 0 then f64.sin y * y else jvp (\z -> forward_of_itself' (n - 1) z) y 1

def both (n: i64) (y: [4]f64) : f64 =
  if n <= 0
  then f64.sum (map f64.sin y)
  else f64.sum (map2 (*) y (vjp (\z -> both (n - 1) (map (\a -> a * a) z) * z[0]) y 1))

entry reverse_of_itself (n: i64) (y: f64) = reverse_of_itself' n y
entry forward_of_itself (n: i64) (y: f64) = forward_of_itself' n y
entry gradient_of_itself (x: [4]f64) = agrees (both 2) x

entry second_order_of_itself (x: [4]f64) =
  agrees (\y -> f64.sum (map2 (*) y (vjp (both 2) y 1))) x
