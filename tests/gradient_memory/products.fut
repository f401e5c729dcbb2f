-- | Gradients of products of matrices take the adjoints and a chunk of what a nest of sums needs; the
-- sums stay where they are, whatever the sizes.
--
-- memory: product_gradient n=100 m=100: gradient <= 2.1 * primal
-- memory: product_gradient n=300 m=300: gradient <= 2.1 * primal
-- memory: product_gradient n=1000 m=1000: gradient <= 2.1 * primal
-- memory: product_gradient n=100 m=700: gradient <= 2.1 * max(primal, least)
-- memory: product_gradient n=700 m=100: gradient <= 2.1 * primal
-- memory: square_gradient n=100 m=1: gradient <= 2.1 * primal
-- memory: square_gradient n=300 m=1: gradient <= 2.1 * primal
-- memory: square_gradient n=1000 m=1: gradient <= 2.1 * primal
-- memory: nest_gradient n=100 m=100: gradient <= 2.1 * primal
-- memory: nest_gradient n=300 m=300: gradient <= 2.1 * primal
-- memory: nest_gradient n=1000 m=1000: gradient <= 2.1 * primal
-- memory: nest_gradient n=100 m=700: gradient <= 2.1 * max(primal, least)
-- memory: nest_gradient n=700 m=100: gradient <= 2.1 * primal
-- memory: chain_gradient n=100 m=100: gradient <= 2.1 * primal
-- memory: chain_gradient n=300 m=300: gradient <= 2.1 * primal
-- memory: chain_gradient n=1000 m=1000: gradient <= 2.1 * primal
-- memory: chain_gradient n=100 m=700: gradient <= 2.1 * primal
-- memory: chain_gradient n=700 m=100: gradient <= 2.1 * primal

def times [n] [m] [k] (a: [n][m]f64) (b: [m][k]f64) : [n][k]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

def nest [n] [m] (a: [n][m]f64) (b: [m][n]f64) : f64 =
  let others = transpose b
  in f64.sum (map (\row ->
                     f64.sum (map (\other -> f64.exp (-(f64.sum (map2 (*) row other))))
                                  others))
                  a)

def chain [n] [m] (a: [n][m]f64) (b: [m][n]f64) : f64 =
  f64.sum (map f64.sum (map (map f64.tanh) (times a (map (map f64.tanh) (times b a)))))

entry generate (n: i64) (m: i64) : ([n][m]f64, [m][n]f64, [n][n]f64) =
  let of n m seed = tabulate_2d n m (\i j -> f64.i64 ((i * seed + j * 7919) % 1009) / 1009)
  in (of n m 31, of m n 57, of n n 101)

entry product_primal [n] [m] (a: [n][m]f64) (b: [m][n]f64) (_: [n][n]f64) : [n][n]f64 = times a b

entry product_gradient [n] [m] (a: [n][m]f64) (b: [m][n]f64) (w: [n][n]f64) : ([n][m]f64, [m][n]f64) =
  vjp (uncurry times) (a, b) w

entry square_primal [n] [m] (_: [n][m]f64) (_: [m][n]f64) (a: [n][n]f64) : [n][n]f64 = times a a

entry square_gradient [n] [m] (_: [n][m]f64) (_: [m][n]f64) (a: [n][n]f64) : [n][n]f64 =
  vjp (\a -> times a a) a a

entry nest_primal [n] [m] (a: [n][m]f64) (b: [m][n]f64) (_: [n][n]f64) : f64 = nest a b

entry nest_gradient [n] [m] (a: [n][m]f64) (b: [m][n]f64) (_: [n][n]f64) : ([n][m]f64, [m][n]f64) =
  vjp (uncurry nest) (a, b) 1

entry chain_primal [n] [m] (a: [n][m]f64) (b: [m][n]f64) (_: [n][n]f64) : f64 = chain a b

entry chain_gradient [n] [m] (a: [n][m]f64) (b: [m][n]f64) (_: [n][n]f64) : ([n][m]f64, [m][n]f64) =
  vjp (uncurry chain) (a, b) 1
