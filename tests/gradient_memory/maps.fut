-- | Gradients of nests of maps, of products of matrices and of what moves numbers store nothing but
-- adjoints.
--
-- memory: elementwise_gradient n=300: gradient <= 2.1 * primal
-- memory: nest_gradient n=300: gradient <= 2.1 * primal
-- memory: branches_gradient n=300: gradient <= 2.1 * primal
-- memory: inner_loop_gradient n=300: gradient <= 2.1 * primal
-- memory: matrices_gradient n=300: gradient <= 2.1 * primal
-- memory: chain_gradient n=300: gradient <= 2.1 * primal
-- memory: stencil_gradient n=300: gradient <= 2.1 * primal
-- memory: gather_gradient n=300: gradient <= 2.1 * primal
-- memory: transposed_gradient n=300: gradient <= 2.1 * primal
-- memory: joined_gradient n=300: gradient <= 2.1 * primal
-- memory: update_gradient n=300: gradient <= 2.1 * primal
-- memory: scatter_gradient n=300: gradient <= 2.1 * primal

def elementwise [n] (a: [n][n]f64) (b: [n][n]f64) : f64 =
  f64.sum (map f64.sum (map2 (map2 (\x y -> f64.sin (x * y) + x)) a b))

def nest [n] (a: [n][n]f64) (b: [n][n]f64) : f64 =
  f64.sum (map (\row -> f64.sum (map (\other -> f64.exp (-(f64.sum (map2 (*) row other)))) b)) a)

def branches [n] (a: [n][n]f64) (b: [n][n]f64) : [n][n]f64 =
  map2 (map2 (\x y -> if x > y then x * y else if y > 0.5 then f64.tanh y else x)) a b

def inner_loop [n] (a: [n][n]f64) (b: [n][n]f64) : [n][n]f64 =
  map2 (map2 (\x y -> loop z = x for _i < 5 do z * z + 0.1 * y)) a b

def times [n] (a: [n][n]f64) (b: [n][n]f64) : [n][n]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

def chain [n] (a: [n][n]f64) (b: [n][n]f64) : f64 =
  f64.sum (map f64.sum (map (map f64.tanh) (times a (map (map f64.tanh) (times a b)))))

def stencil [n] (a: [n][n]f64) (b: [n][n]f64) : [n][n]f64 =
  tabulate_2d n n (\i j -> a[i, j] * b[i, j] + a[(i + 1) % n, j] * a[i, (j + n - 1) % n])

def gather [n] (a: [n][n]f64) (b: [n][n]f64) : [n][n]f64 =
  tabulate_2d n n (\i j -> a[i * 7 % n, (i + j) % n] * b[j, i])

def transposed [n] (a: [n][n]f64) (b: [n][n]f64) : [n][n]f64 =
  map2 (map2 (*)) (transpose a) (map (rotate 1) b)

def joined [n] (a: [n][n]f64) (b: [n][n]f64) : f64 =
  f64.sum (map (\row -> f64.sum (map f64.sin row)) (a ++ b))

def update [n] (a: [n][n]f64) (b: [n][n]f64) : [n][n]f64 =
  copy a with [0:n / 2] = copy b[n / 2:n - n % 2]

def moved [n] (a: [n][n]f64) (b: [n][n]f64) : [n][n]f64 =
  scatter (copy a) (map (\i -> i * 2) (iota n)) b

entry generate (n: i64) : ([n][n]f64, [n][n]f64, [n][n]f64) =
  let of seed = tabulate_2d n n (\i j -> f64.i64 ((i * seed + j * 7919) % 1009) / 1009)
  in (of 31, of 57, of 101)

entry elementwise_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : f64 =
  elementwise a b

entry elementwise_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry elementwise) (a, b) 1

entry nest_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : f64 =
  nest a b

entry nest_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry nest) (a, b) 1

entry branches_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : [n][n]f64 =
  branches a b

entry branches_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (w: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry branches) (a, b) w

entry inner_loop_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : [n][n]f64 =
  inner_loop a b

entry inner_loop_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (w: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry inner_loop) (a, b) w

entry matrices_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : [n][n]f64 =
  times a b

entry matrices_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (w: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry times) (a, b) w

entry chain_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : f64 =
  chain a b

entry chain_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry chain) (a, b) 1

entry stencil_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : [n][n]f64 =
  stencil a b

entry stencil_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (w: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry stencil) (a, b) w

entry gather_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : [n][n]f64 =
  gather a b

entry gather_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (w: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry gather) (a, b) w

entry transposed_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : [n][n]f64 =
  transposed a b

entry transposed_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (w: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry transposed) (a, b) w

entry joined_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : f64 =
  joined a b

entry joined_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry joined) (a, b) 1

entry update_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : [n][n]f64 =
  update a b

entry update_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (w: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry update) (a, b) w

entry scatter_primal [n] (a: [n][n]f64) (b: [n][n]f64) (_: [n][n]f64) : [n][n]f64 =
  moved a b

entry scatter_gradient [n] (a: [n][n]f64) (b: [n][n]f64) (w: [n][n]f64) : ([n][n]f64, [n][n]f64) =
  vjp (uncurry moved) (a, b) w
