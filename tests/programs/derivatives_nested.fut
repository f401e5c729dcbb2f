-- Derivatives inside what is differentiated, to third order: in maps, loops and recursions, through
-- custom adjoints with tapes, and of arrays without elements.
-- ==
-- entry: gradient_in_a_map gradient_in_a_loop tangents_and_adjoints_of_arrays newton
-- input { [1.2, 0.6, 0.9, 1.7] } output { true }
-- ==
-- entry: tape_in_a_loop tape_in_a_map_of_loops tape_in_a_recursion tape_of_an_array
-- input { [1.2, 0.6, 0.9, 1.7] } output { true }
-- ==
-- entry: consuming_recursion no_elements third_order
-- input { [1.2, 0.6, 0.9, 1.7] } output { true }

type v = [4]f64
def units : [4]v = tabulate_2d 4 4 (\i j -> f64.bool (i == j))
def direction : v = [0.7, -0.4, 1.1, 0.3]
def dot (a: v) (b: v) : f64 = f64.sum (map2 (*) a b)

def close (e: f64) (a: v) (b: v) : bool =
  and (map2 (\p q -> f64.abs (p - q) <= e * (1 + f64.abs p + f64.abs q)) a b)

def difference (f: v -> f64) (x: v) : v =
  map (\u -> (f (map2 (\a b -> a + 1e-5 * b) x u) - f (map2 (\a b -> a - 1e-5 * b) x u)) / 2e-5) units

-- Forward, reverse, many at once, and differences give one gradient; forward over reverse and
-- reverse over forward one product of the Hessian with the direction.
def agrees (f: v -> f64) (x: v) : bool =
  let g = vjp f x 1
  let h = jvp (\y -> vjp f y 1) x direction
  in close 1e-6 g (difference f x)
     && close 1e-9 g (map (jvp f x) units)
     && close 1e-9 g (jmp f x units)
     && close 1e-9 g (mjp f x [1, 2])[0]
     && close 1e-9 h (vjp (\y -> jvp f y direction) x 1)
     && close 1e-9 h (vjp (\y -> dot direction (vjp f y 1)) x 1)
     && close 2e-6 h (difference (\y -> jvp f y direction) x)

def square = with_vjp_tape (\(z: f64) -> (z, z * z)) (\(z, w) -> 2 * z * w)

def sines =
  with_vjp_tape (\(zs: v) -> (zs, map f64.sin zs))
                (\(zs, ws) -> map2 (\z w -> f64.cos z * w) zs ws)

entry gradient_in_a_map (x: v) =
  agrees (\x -> dot x (map (\k -> f64.sum (vjp (\y -> f64.product (map (* k) y)) x 1)) x)) x

entry gradient_in_a_loop (x: v) =
  agrees (\x -> loop a = x[0] for i < 3 do a * 0.5 + 0.1 * vjp (\b -> f64.sin (b * x[i])) a 1) x

entry tangents_and_adjoints_of_arrays (x: v) =
  agrees (\x ->
            f64.sum (jmp f64.product x [x, map f64.sin x])
            + dot x (mjp (scan (*) 1) x [x])[0])
         x

entry newton (x: v) =
  agrees (\x ->
            loop y = x[0]
            for _i < 3 do
              y - 0.5 * (y * y * y - x[1]) / vjp (\z -> z * z * z - x[1]) y 1)
         x

entry tape_in_a_loop (x: v) =
  agrees (\x -> loop b = x[0] for i < 3 do 0.3 * square b + 0.1 * x[i]) x

entry tape_in_a_map_of_loops (x: v) =
  agrees (\x -> f64.sum (map (\a -> loop b = a for _i < 3 do 0.3 * square b + 0.1 * a) x)) x

def squares (n: i64) (a: f64) (b: f64) : f64 =
  if n <= 0 then a * b else square (squares (n - 1) (a * 0.5 + b * 0.1) (f64.sin b)) + a

entry tape_in_a_recursion (x: v) = agrees (\x -> squares 3 x[0] x[1]) x

entry tape_of_an_array (x: v) =
  agrees (\x -> f64.sum (map (\k -> dot x (sines (map (* k) x))) x)) x

def overwritten (n: i64) (a: *v) : *v =
  if n <= 0 then a else let t = a[n - 1] * a[n] in overwritten (n - 1) (a with [n] = f64.sin t)

entry consuming_recursion (x: v) = agrees (\x -> dot x (overwritten 3 (copy x))) x

entry no_elements (x: v) =
  agrees (\x ->
            f64.sum (map (\row -> f64.sum row * x[0] + x[1] * x[1]) (replicate 3 (take 0 x)))
            + reduce (\a b -> a + b + a * b) 0 (take 0 x)
            + f64.sum (map f64.sum (scan (map2 (+)) (replicate 4 0) (take 0 [x])))
            + f64.sum (scatter (copy (take 0 x)) [0, 1] (take 2 x)) * x[2])
         x

entry third_order (x: v) =
  let f = \x -> f64.product (map f64.sin x) + f64.sum (scan (*) 1 x)
  let reverse x = dot direction (vjp (\y -> dot direction (vjp f y 1)) x 1)
  let forward x = jvp (\y -> jvp f y direction) x direction
  let mixed x = dot direction (jvp (\y -> vjp f y 1) x direction)
  let third = vjp reverse x 1
  in close 1e-9 third (map (jvp forward x) units) && close 1e-9 third (vjp mixed x 1)
     && close 1e-5 third (difference forward x)
