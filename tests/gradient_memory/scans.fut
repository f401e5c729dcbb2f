-- | Gradients of scans take at most as much again as what is scanned and its scan.
--
-- memory: sum_gradient n=1000000: gradient <= 2.1 * primal
-- memory: product_gradient n=1000000: gradient <= 2.1 * primal
-- memory: minimum_gradient n=1000000: gradient <= 2.1 * primal
-- memory: rows_gradient n=1000000: gradient <= 2.1 * primal
-- memory: recurrence_gradient n=1000000: gradient <= 2.1 * primal
-- memory: matrices_gradient n=1000000: gradient <= 2.1 * primal
-- memory: saturating_gradient n=1000000: gradient <= 2.1 * primal
-- memory: segments_gradient n=1000000: gradient <= 2.1 * primal

def compose (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) = (b.0 + b.1 * a.0, a.1 * b.1)
def saturating_add (a: f64) (b: f64) : f64 = if a + b > 4 then 4 else a + b

type square = (f64, f64, f64, f64)

def multiply (a: square) (b: square) : square =
  ( a.0 * b.0 + a.1 * b.2
  , a.0 * b.1 + a.1 * b.3
  , a.2 * b.0 + a.3 * b.2
  , a.2 * b.1 + a.3 * b.3
  )

def sum [n] (xs: [n]f64) : [n]f64 = scan (+) 0 xs
def product [n] (xs: [n]f64) : [n]f64 = scan (*) 1 (map (+ 0.5) xs)
def minimum [n] (xs: [n]f64) : [n]f64 = scan f64.min f64.inf xs

def rows [n] (xs: [n]f64) : [n]f64 =
  map f64.sum (scan (map2 (+)) (replicate 3 0) (map (\x -> [x, x * x, 1 - x]) xs))

def recurrence [n] (xs: [n]f64) : [n]f64 =
  map (.0) (scan compose (0, 1) (map (\x -> (x, 1.1 - 0.2 * x)) xs))

def matrices [n] (xs: [n]f64) : [n]f64 =
  map (\m -> m.0 + m.3)
      (scan multiply (1, 0, 0, 1) (map (\x -> (1 + 0.1 * x, x * 0.2, -0.1 * x, 1)) xs))

def saturating [n] (xs: [n]f64) : [n]f64 = scan saturating_add 0 xs

def segments [n] (xs: [n]f64) : [n]f64 =
  flatten (map (scan (+) 0) (unflatten (xs :> [(n / 100) * 100]f64))) :> [n]f64

entry generate (n: i64) : ([n]f64, [n]f64) =
  ( map (\i -> f64.i64 (i * 7919 % n) / f64.i64 n) (iota n)
  , map (\i -> f64.i64 (i * 104729 % n) / f64.i64 n) (iota n)
  )

entry sum_primal [n] (xs: [n]f64) (_: [n]f64) : [n]f64 = sum xs
entry sum_gradient [n] (xs: [n]f64) (w: [n]f64) : [n]f64 = vjp sum xs w
entry product_primal [n] (xs: [n]f64) (_: [n]f64) : [n]f64 = product xs
entry product_gradient [n] (xs: [n]f64) (w: [n]f64) : [n]f64 = vjp product xs w
entry minimum_primal [n] (xs: [n]f64) (_: [n]f64) : [n]f64 = minimum xs
entry minimum_gradient [n] (xs: [n]f64) (w: [n]f64) : [n]f64 = vjp minimum xs w
entry rows_primal [n] (xs: [n]f64) (_: [n]f64) : [n]f64 = rows xs
entry rows_gradient [n] (xs: [n]f64) (w: [n]f64) : [n]f64 = vjp rows xs w
entry recurrence_primal [n] (xs: [n]f64) (_: [n]f64) : [n]f64 = recurrence xs
entry recurrence_gradient [n] (xs: [n]f64) (w: [n]f64) : [n]f64 = vjp recurrence xs w
entry matrices_primal [n] (xs: [n]f64) (_: [n]f64) : [n]f64 = matrices xs
entry matrices_gradient [n] (xs: [n]f64) (w: [n]f64) : [n]f64 = vjp matrices xs w
entry saturating_primal [n] (xs: [n]f64) (_: [n]f64) : [n]f64 = saturating xs
entry saturating_gradient [n] (xs: [n]f64) (w: [n]f64) : [n]f64 = vjp saturating xs w
entry segments_primal [n] (xs: [n]f64) (_: [n]f64) : [n]f64 = segments xs
entry segments_gradient [n] (xs: [n]f64) (w: [n]f64) : [n]f64 = vjp segments xs w
