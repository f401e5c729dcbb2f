-- | Differentiation.  A function may take and return anything that holds no functions; where a
-- value has no derivative (integers, booleans), its tangent and adjoint are zero.

-- | The value of `f` at `x`, and its directional derivative along the tangent `x'`.
def jvp2 'a 'b (f: a -> b) (x: a) (x': a) : (b, b) =
  intrinsics.jvp2 f x x'

-- | The value of `f` at `x`, and the adjoint of `x` that belongs to the adjoint `y'` of the
-- result.
def vjp2 'a 'b (f: a -> b) (x: a) (y': b) : (b, a) =
  intrinsics.vjp2 f x y'

-- | `jvp2` with several tangents at once, which share the evaluation of `f`.
def jmp2 'a 'b [n] (f: a -> b) (x: a) (xs': [n]a) : (b, [n]b) =
  intrinsics.jmp2 f x xs'

-- | `vjp2` with several adjoints at once, which share the evaluation of `f`.
def mjp2 'a 'b [n] (f: a -> b) (x: a) (ys': [n]b) : (b, [n]a) =
  intrinsics.mjp2 f x ys'

-- | The directional derivative of `f` at `x` along `x'`: Jacobian times vector.
def jvp 'a 'b (f: a -> b) (x: a) (x': a) : b =
  (intrinsics.jvp2 f x x').1

-- | The adjoint of `x` for the adjoint `y'` of `f x`: vector times Jacobian.
def vjp 'a 'b (f: a -> b) (x: a) (y': b) : a =
  (intrinsics.vjp2 f x y').1

-- | `jvp` with several tangents at once: Jacobian times matrix.
def jmp 'a 'b [n] (f: a -> b) (x: a) (xs': [n]a) : [n]b =
  (intrinsics.jmp2 f x xs').1

-- | `vjp` with several adjoints at once: matrix times Jacobian.
def mjp 'a 'b [n] (f: a -> b) (x: a) (ys': [n]b) : [n]a =
  (intrinsics.mjp2 f x ys').1

-- | `f x`, for which reverse mode uses `adjoint` (given the result and its adjoint) instead of
-- differentiating `f`.
def with_vjp 'a 'b (f: a -> b) (adjoint: (res: b) -> (b_adj: b) -> a) (x: a) : b =
  intrinsics.with_vjp f adjoint x

-- | `with_vjp` for a function that also returns what its derivative wants to remember.
def with_vjp_tape 'a 'b 'c (f: a -> (c, b)) (adjoint: (c, b) -> a) (x: a) : b =
  intrinsics.with_vjp_tape f adjoint x
