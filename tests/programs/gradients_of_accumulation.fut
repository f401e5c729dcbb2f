-- Gradients through accumulators: sums, products, maxima and other operators, and writes that
-- overwrite what is differentiated.
-- ==
-- entry: products maxima saturated overwrite
-- input { [1.5, -0.5, 2.0, 0.25] } output { true }

-- Functions that are handed accumulators.
-- ==
-- entry: recursive_sums recursive_products operator_with_a_captured_value recursion_in_a_recursion
-- input { [1.5, -0.5, 2.0, 0.25] } output { true }
-- ==
-- entry: values_of_recursion
-- input { [1.5, -0.5, 2.0, 0.25] } output { [1.0, 1.0625, 4.090547426825682] }
-- ==
-- entry: many_tangents
-- input { [1.5, -0.5, 2.0, 0.25] } output { true }

type~ acc 't = intrinsics.acc t
def write [n] (acc: *acc ([n]f64)) (i: i64) (v: f64) : *acc ([n]f64) = intrinsics.acc_write acc i v

def scatter_stream [n] 'a (xs: *[n]f64) (f: *acc ([n]f64) -> a -> acc ([n]f64)) (ys: []a) : *[n]f64 =
  intrinsics.scatter_stream xs f ys

def hist_stream [n] 'a (xs: *[n]f64)
                (op: f64 -> f64 -> f64)
                (ne: f64)
                (f: *acc ([n]f64) -> a -> acc ([n]f64))
                (ys: []a) : *[n]f64 =
  intrinsics.hist_stream xs op ne f ys

def is : [5]i64 = [0, 2, 0, 1, 7]

-- Whether reverse mode is forward mode transposed, and the gradient a central difference.
def agrees [n] (f: [n]f64 -> f64) (x: [n]f64) : bool =
  let units = tabulate_2d n n (\i j -> f64.bool (i == j))
  let reverse = vjp f x 1
  let forward = map (jvp f x) units
  let difference u = (f (map2 (\a b -> a + 1e-6 * b) x u) - f (map2 (\a b -> a - 1e-6 * b) x u)) / 2e-6
  let close a b = f64.abs (a - b) <= 1e-6 * f64.max 1 (f64.abs b)
  in and (map2 close reverse forward) && and (map2 close reverse (map difference units))

def written (x: [4]f64) : [5]f64 = [x[0] * x[1], f64.sin x[2], x[3], x[0] + x[3], x[1]]
def weighted [n] (ys: [n]f64) : f64 = f64.sum (map2 (\i y -> f64.i64 (i + 1) * y) (iota n) ys)

entry products (x: [4]f64) : bool =
  agrees (\x ->
            let ys = written x
            in weighted (hist_stream (copy (take 3 x))
                                     (*)
                                     1
                                     (\(acc: *acc ([3]f64)) (i: i64, y: f64) -> write acc i y)
                                     (zip is ys)))
         x

entry maxima (x: [4]f64) : bool =
  agrees (\x ->
            let ys = written x
            in weighted (hist_stream (replicate 3 (-10))
                                     f64.max
                                     f64.lowest
                                     (\(acc: *acc ([3]f64)) (i: i64, y: f64) -> write acc i (y * x[1]))
                                     (zip is ys)))
         x

-- a ⊙ b = a + b - ab has no simple inverse.
entry saturated (x: [4]f64) : bool =
  agrees (\x ->
            let ys = written x
            in weighted (hist_stream (copy (take 3 x))
                                     (\a b -> a + b - a * b)
                                     0
                                     (\(acc: *acc ([3]f64)) (i: i64, y: f64) -> loop acc for k < 2 do write acc i (y * f64.i64 k))
                                     (zip is ys)))
         x

entry overwrite (x: [4]f64) : bool =
  agrees (\x ->
            let ys = written x
            in weighted (scatter_stream (copy x)
                                        (\(acc: *acc ([4]f64)) (i: i64, y: f64) -> write acc i (y * y))
                                        (zip [3, 1, 9, 0, -1] ys)))
         x

-- Writes y at i, and smaller values after it.
def trailing [n] (k: i64) (acc: *acc ([n]f64)) (i: i64) (y: f64) : *acc ([n]f64) =
  if k <= 0 then acc else trailing (k - 1) (write acc i y) (i + 1) (y * 0.5 + 0.1 * y * y)

-- Writes k rows of them, from the last one on.
def rows [n] (k: i64) (acc: *acc ([n]f64)) (y: f64) : *acc ([n]f64) =
  if k <= 0 then acc else rows (k - 1) (loop acc for j < 2 do trailing 2 acc (k + j - 2) (y * y)) (y + 1)

def along (op: f64 -> f64 -> f64) (ne: f64) (x: [4]f64) : [3]f64 =
  hist_stream (copy (take 3 x))
              op
              ne
              (\(acc: *acc ([3]f64)) (i: i64, y: f64) -> trailing 2 acc i y)
              (zip is (written x))

entry recursive_sums (x: [4]f64) : bool = agrees (\x -> weighted (along (+) 0 x)) x
entry recursive_products (x: [4]f64) : bool = agrees (\x -> weighted (along (*) 1 x)) x

entry operator_with_a_captured_value (x: [4]f64) : bool =
  agrees (\x -> weighted (along (\a b -> a + b + a * b * x[0]) 0 x)) x

entry recursion_in_a_recursion (x: [4]f64) : bool =
  agrees (\x ->
            weighted (hist_stream (copy (take 3 x))
                                  (+)
                                  0
                                  (\(acc: *acc ([3]f64)) (y: f64) -> rows 2 acc y)
                                  (written x)))
         x

entry values_of_recursion (x: [4]f64) : [3]f64 = along (+) 0 x

entry many_tangents (x: [4]f64) : bool =
  let units = tabulate_2d 4 4 (\i j -> f64.bool (i == j))
  let close a b = f64.abs (a - b) <= 1e-12
  let together = jmp (along (+) 0) x units
  in and (map2 (\u t -> and (map2 close (jvp (along (+) 0) x u) t)) units together)
