-- | Gradients of histograms take at most the adjoint of the argument beside what the primal takes.
--
-- memory: sum_gradient n=100000 bins=401: gradient <= 2.1 * primal
-- memory: product_gradient n=100000 bins=401: gradient <= 2.1 * primal
-- memory: minimum_gradient n=100000 bins=401: gradient <= 2.1 * primal
-- memory: rows_gradient n=100000 bins=401: gradient <= 2.1 * primal
-- memory: general_gradient n=100000 bins=401: gradient <= 2.1 * primal
-- memory: product_gradient n=1000000 bins=50000: gradient <= 2.1 * primal
-- memory: general_gradient n=1000000 bins=50000: gradient <= 2.1 * primal

def sum_of_products (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) = (a.0 + b.0 + a.1 * b.1, a.1 + b.1)

def sum [n] (bins: i64) (is: [n]i64) (xs: [n]f64) : [bins]f64 = hist (+) 0 bins is (map f64.sin xs)

def product [n] (bins: i64) (is: [n]i64) (xs: [n]f64) : [bins]f64 =
  hist (*) 1 bins is (map (+ 0.5) xs)

def minimum [n] (bins: i64) (is: [n]i64) (xs: [n]f64) : [bins]f64 =
  hist f64.min f64.inf bins is (map f64.cos xs)

def rows [n] (bins: i64) (is: [n]i64) (xs: [n]f64) : [bins]f64 =
  map f64.sum (hist (map2 (+)) (replicate 3 0) bins is (map (\x -> [x, x * x, 1 - x]) xs))

def general [n] (bins: i64) (is: [n]i64) (xs: [n]f64) : [bins]f64 =
  map (.0) (hist sum_of_products (0, 0) bins is (map (\x -> (x, 1.1 - 0.2 * x)) xs))

entry generate (n: i64) (bins: i64) : ([n]f64, [n]i64, [bins]f64) =
  ( map (\i -> f64.i64 (i * 7919 % n) / f64.i64 n) (iota n)
  , map (\i -> i * i * 31 % bins) (iota n)
  , map (\i -> f64.i64 (i % 5)) (iota bins)
  )

entry sum_primal [n] [b] (xs: [n]f64) (is: [n]i64) (_: [b]f64) : [b]f64 = sum b is xs
entry sum_gradient [n] [b] (xs: [n]f64) (is: [n]i64) (w: [b]f64) : [n]f64 = vjp (sum b is) xs w
entry product_primal [n] [b] (xs: [n]f64) (is: [n]i64) (_: [b]f64) : [b]f64 = product b is xs

entry product_gradient [n] [b] (xs: [n]f64) (is: [n]i64) (w: [b]f64) : [n]f64 =
  vjp (product b is) xs w

entry minimum_primal [n] [b] (xs: [n]f64) (is: [n]i64) (_: [b]f64) : [b]f64 = minimum b is xs

entry minimum_gradient [n] [b] (xs: [n]f64) (is: [n]i64) (w: [b]f64) : [n]f64 =
  vjp (minimum b is) xs w

entry rows_primal [n] [b] (xs: [n]f64) (is: [n]i64) (_: [b]f64) : [b]f64 = rows b is xs
entry rows_gradient [n] [b] (xs: [n]f64) (is: [n]i64) (w: [b]f64) : [n]f64 = vjp (rows b is) xs w
entry general_primal [n] [b] (xs: [n]f64) (is: [n]i64) (_: [b]f64) : [b]f64 = general b is xs

entry general_gradient [n] [b] (xs: [n]f64) (is: [n]i64) (w: [b]f64) : [n]f64 =
  vjp (general b is) xs w
