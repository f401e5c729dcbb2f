-- | Gradients of histograms whose bins' numbers are computed take at most the adjoint of the argument
-- beside what the primal takes, which computes the numbers as it goes.
--
-- memory: sum_gradient n=1000000 bins=401: gradient <= 2.1 * primal
-- memory: product_gradient n=1000000 bins=401: gradient <= 2.1 * primal
-- memory: minimum_gradient n=1000000 bins=401: gradient <= 2.1 * primal
-- memory: general_gradient n=1000000 bins=401: gradient <= 2.1 * primal

def sum_of_products (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) = (a.0 + b.0 + a.1 * b.1, a.1 + b.1)

def computed (n: i64) (bins: i64) : [n]i64 = map (\i -> i * i * 31 % bins) (iota n)

def sum [n] (bins: i64) (xs: [n]f64) : [bins]f64 = hist (+) 0 bins (computed n bins) (map f64.sin xs)

def product [n] (bins: i64) (xs: [n]f64) : [bins]f64 =
  hist (*) 1 bins (computed n bins) (map (+ 0.5) xs)

def minimum [n] (bins: i64) (xs: [n]f64) : [bins]f64 =
  hist f64.min f64.inf bins (computed n bins) (map f64.cos xs)

def general [n] (bins: i64) (xs: [n]f64) : [bins]f64 =
  map (.0) (hist sum_of_products (0, 0) bins (computed n bins) (map (\x -> (x, 1.1 - 0.2 * x)) xs))

entry generate (n: i64) (bins: i64) : ([n]f64, [bins]f64) =
  ( map (\i -> f64.i64 (i * 7919 % n) / f64.i64 n) (iota n)
  , map (\i -> f64.i64 (i % 5)) (iota bins)
  )

entry sum_primal [n] [b] (xs: [n]f64) (_: [b]f64) : [b]f64 = sum b xs
entry sum_gradient [n] [b] (xs: [n]f64) (w: [b]f64) : [n]f64 = vjp (sum b) xs w
entry product_primal [n] [b] (xs: [n]f64) (_: [b]f64) : [b]f64 = product b xs
entry product_gradient [n] [b] (xs: [n]f64) (w: [b]f64) : [n]f64 = vjp (product b) xs w
entry minimum_primal [n] [b] (xs: [n]f64) (_: [b]f64) : [b]f64 = minimum b xs
entry minimum_gradient [n] [b] (xs: [n]f64) (w: [b]f64) : [n]f64 = vjp (minimum b) xs w
entry general_primal [n] [b] (xs: [n]f64) (_: [b]f64) : [b]f64 = general b xs
entry general_gradient [n] [b] (xs: [n]f64) (w: [b]f64) : [n]f64 = vjp (general b) xs w
