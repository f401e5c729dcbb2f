-- | Gradients, Jacobians and products with Hessians, in terms of `jvp` and `vjp`; and a check of
-- hand-written derivatives.  `import "derivatives"` gives the functions for `f64`; the module
-- `derivatives` makes them for another type of reals.

-- | Derivatives of functions on the numbers of `R`.
module derivatives (R: real) = {
  local def units (n: i64) : [n][n]R.t =
    tabulate_2d n n (\i j -> if i == j then R.i32 1 else R.i32 0)

  -- | The gradient of a function with a scalar result, of the shape of its argument:
  -- `grad (\(x, y) -> x * x * y) (3, 2)` is `(12, 9)`.
  def grad 'a (f: a -> R.t) (x: a) : a = vjp f x (R.i32 1)

  -- | The value and the gradient, for little more than the gradient alone:
  -- `value_and_grad (\x -> x * x) 3` is `(9, 6)`.
  def value_and_grad 'a (f: a -> R.t) (x: a) : (R.t, a) = vjp2 f x (R.i32 1)

  -- | The Jacobian, row by result and column by argument, in forward mode: good when there are
  -- fewer arguments than results.  `jacobian_fwd (\x -> [x[0] * x[1], x[0]]) [2, 3]` is
  -- `[[3, 2], [1, 0]]`.
  def jacobian_fwd [n] [m] (f: [n]R.t -> [m]R.t) (x: [n]R.t) : [m][n]R.t =
    transpose (jmp f x (units n))

  -- | The Jacobian in reverse mode: good when there are fewer results than arguments.
  -- `jacobian_rev (\x -> [x[0] * x[1]]) [2, 3]` is `[[3, 2]]`.
  def jacobian_rev [n] [m] (f: [n]R.t -> [m]R.t) (x: [n]R.t) : [m][n]R.t =
    mjp f x (units m)

  -- | The Hessian at `x` times the vector `v`, without the Hessian:
  -- `hvp (\x -> x[0] * x[1]) [2, 3] [1, 0]` is `[0, 1]`.
  def hvp 'a (f: a -> R.t) (x: a) (v: a) : a = jvp (\y -> grad f y) x v

  -- | The Hessian, by one product for each argument: `hessian (\x -> x[0] * x[1]) [2, 3]` is
  -- `[[0, 1], [1, 0]]`.
  def hessian [n] (f: [n]R.t -> R.t) (x: [n]R.t) : [n][n]R.t =
    jmp (\y -> grad f y) x (units n)

  -- | The diagonal of the Hessian, without the rest in memory:
  -- `hessian_diagonal (\x -> x[0] * x[0] * x[1]) [2, 3]` is `[6, 0]`.  Where no argument meets
  -- another, as in a sum of functions of one argument each, `hvp f x` of ones is the diagonal too,
  -- for the cost of one product.
  def hessian_diagonal [n] (f: [n]R.t -> R.t) (x: [n]R.t) : [n]R.t =
    map2 (\i unit -> (hvp f x unit)[i]) (iota n) (units n)

  -- | The largest difference between the gradient and central differences with step `h`,
  -- relative to the gradient where that is greater than 1.
  -- `check_gradient_with_step 1e-5 (\x -> f64.sin x[0]) [1]` is below 1e-9.
  def check_gradient_with_step [n] (h: R.t) (f: [n]R.t -> R.t) (x: [n]R.t) : R.t =
    let moved (i: i64) (by: R.t) =
      f (map2 (\j y -> if i == j then y R.+ by else y) (iota n) x)
    let difference (i: i64) (g: R.t) =
      let slope = (moved i h R.- moved i (R.neg h)) R./ (h R.+ h)
      in R.abs (g R.- slope) R./ R.max (R.i32 1) (R.abs g)
    in R.maximum (map2 difference (iota n) (grad f x))

  -- | `check_gradient_with_step` with a step that suits numbers near 1: below 1e-6 for smooth
  -- functions on f64.
  def check_gradient [n] (f: [n]R.t -> R.t) (x: [n]R.t) : R.t =
    check_gradient_with_step (R.from_fraction 1 10000) f x
}

open derivatives f64

-- | The same for `f32`.
module derivatives_f32 = derivatives f32
