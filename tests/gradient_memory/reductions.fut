-- | Gradients of reductions take at most the adjoint of the argument beside what the primal takes.
--
-- memory: sum_gradient n=1000000: gradient <= 2.1 * primal
-- memory: product_gradient n=1000000: gradient <= 2.1 * primal
-- memory: minimum_gradient n=1000000: gradient <= 2.1 * primal
-- memory: rows_gradient n=1000000: gradient <= 2.1 * primal
-- memory: row_products_gradient n=1000000: gradient <= 2.1 * primal
-- memory: logarithm_gradient n=1000000: gradient <= 2.1 * primal
-- memory: recurrence_gradient n=1000000: gradient <= 2.1 * primal
-- memory: saturating_gradient n=1000000: gradient <= 2.1 * primal
-- memory: segments_gradient n=1000000: gradient <= 2.1 * primal

def compose (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) = (b.0 + b.1 * a.0, a.1 * b.1)
def saturating_add (a: f64) (b: f64) : f64 = if a + b > 4 then 4 else a + b

def sum [n] (xs: [n]f64) : f64 = f64.sum (map f64.sin xs)
def product [n] (xs: [n]f64) : f64 = f64.product (map (+ 0.5) xs)
def minimum [n] (xs: [n]f64) : f64 = f64.minimum (map (\x -> x * x - x) xs)

def rows [n] (xs: [n]f64) : f64 =
  f64.sum (reduce (map2 (+)) (replicate 3 0) (map (\x -> [x, x * x, 1 - x]) xs))

def row_products [n] (xs: [n]f64) : f64 =
  f64.sum (reduce (map2 (*)) (replicate 2 1) (map (\x -> [0.5 + x, 1.5 - x]) xs))

def logarithm [n] (xs: [n]f64) : f64 =
  let m = f64.maximum xs
  in m + f64.log (f64.sum (map (\x -> f64.exp (x - m)) xs))

def recurrence [n] (xs: [n]f64) : f64 =
  (reduce compose (0, 1) (map (\x -> (x, 1.1 - 0.2 * x)) xs)).0

def saturating [n] (xs: [n]f64) : f64 = reduce saturating_add 0 xs

def segments [n] (xs: [n]f64) : f64 =
  f64.sum (map (\row -> f64.product (map (+ 0.5) row)) (unflatten (xs :> [(n / 100) * 100]f64)))

entry generate (n: i64) : [n]f64 = map (\i -> f64.i64 (i * 7919 % n) / f64.i64 n) (iota n)

entry sum_primal [n] (xs: [n]f64) : f64 = sum xs
entry sum_gradient [n] (xs: [n]f64) : [n]f64 = vjp sum xs 1
entry product_primal [n] (xs: [n]f64) : f64 = product xs
entry product_gradient [n] (xs: [n]f64) : [n]f64 = vjp product xs 1
entry minimum_primal [n] (xs: [n]f64) : f64 = minimum xs
entry minimum_gradient [n] (xs: [n]f64) : [n]f64 = vjp minimum xs 1
entry rows_primal [n] (xs: [n]f64) : f64 = rows xs
entry rows_gradient [n] (xs: [n]f64) : [n]f64 = vjp rows xs 1
entry row_products_primal [n] (xs: [n]f64) : f64 = row_products xs
entry row_products_gradient [n] (xs: [n]f64) : [n]f64 = vjp row_products xs 1
entry logarithm_primal [n] (xs: [n]f64) : f64 = logarithm xs
entry logarithm_gradient [n] (xs: [n]f64) : [n]f64 = vjp logarithm xs 1
entry recurrence_primal [n] (xs: [n]f64) : f64 = recurrence xs
entry recurrence_gradient [n] (xs: [n]f64) : [n]f64 = vjp recurrence xs 1
entry saturating_primal [n] (xs: [n]f64) : f64 = saturating xs
entry saturating_gradient [n] (xs: [n]f64) : [n]f64 = vjp saturating xs 1
entry segments_primal [n] (xs: [n]f64) : f64 = segments xs
entry segments_gradient [n] (xs: [n]f64) : [n]f64 = vjp segments xs 1
