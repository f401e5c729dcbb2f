-- | The operations that the compiler itself provides, as a module type.  The checker reads this
-- file and binds the module `intrinsics` to it before anything else is checked; the elaborator
-- knows how to build each one.  A `'t` in an arithmetic operation stands for any primitive type
-- for which the operation makes sense: only the prelude's modules use these, at concrete types.

module type intrinsics = {
  -- Arithmetic on numbers; integer division and power check their operands.
  val add 't : t -> t -> t
  val sub 't : t -> t -> t
  val mul 't : t -> t -> t

  -- | Division that rounds towards negative infinity (integers), or exact (reals).
  val div 't : t -> t -> t

  -- | The remainder that goes with `div`; for reals, with the sign of the dividend.
  val mod 't : t -> t -> t

  -- | Division and remainder that round towards zero.
  val quot 't : t -> t -> t
  val rem 't : t -> t -> t
  val pow 't : t -> t -> t
  val neg 't : t -> t
  val abs 't : t -> t
  val sgn 't : t -> t
  val min 't : t -> t -> t
  val max 't : t -> t -> t

  -- Comparisons.  `eq` and `ne` work on every type without functions.
  val eq 't : t -> t -> bool
  val ne 't : t -> t -> bool
  val lt 't : t -> t -> bool
  val le 't : t -> t -> bool
  val gt 't : t -> t -> bool
  val ge 't : t -> t -> bool

  -- Bits.  `shift_right` is arithmetic on signed and logical on unsigned types; the other two
  -- say which they are.
  val bit_and 't : t -> t -> t
  val bit_or 't : t -> t -> t
  val bit_xor 't : t -> t -> t
  val bit_not 't : t -> t
  val shift_left 't : t -> t -> t
  val shift_right 't : t -> t -> t
  val shift_right_arithmetic 't : t -> t -> t
  val shift_right_logical 't : t -> t -> t
  val popc 't : t -> i32
  val clz 't : t -> i32
  val ctz 't : t -> i32

  -- | The upper half of the double-width product; and that plus a third number.
  val mul_hi 't : t -> t -> t
  val mad_hi 't : t -> t -> t -> t

  -- Conversion between any two primitive types.  Between integers: the low bits, or extended by
  -- zeros if either type is unsigned and by the sign otherwise.  From a real to an integer:
  -- towards zero, not-a-number to zero.  To `bool`: whether it is not zero.
  val convert 'a 'b : a -> b

  -- | The bits of a real as an integer of the same width, and back.
  val to_bits 'f 'i : f -> i
  val from_bits 'i 'f : i -> f

  -- Reals.
  val sqrt 't : t -> t
  val rsqrt 't : t -> t
  val cbrt 't : t -> t
  val exp 't : t -> t
  val log 't : t -> t
  val log2 't : t -> t
  val log10 't : t -> t
  val log1p 't : t -> t
  val sin 't : t -> t
  val cos 't : t -> t
  val tan 't : t -> t
  val asin 't : t -> t
  val acos 't : t -> t
  val atan 't : t -> t
  val sinh 't : t -> t
  val cosh 't : t -> t
  val tanh 't : t -> t
  val asinh 't : t -> t
  val acosh 't : t -> t
  val atanh 't : t -> t
  val sinpi 't : t -> t
  val cospi 't : t -> t
  val tanpi 't : t -> t
  val asinpi 't : t -> t
  val acospi 't : t -> t
  val atanpi 't : t -> t
  val atan2 't : t -> t -> t
  val atan2pi 't : t -> t -> t
  val hypot 't : t -> t -> t
  val gamma 't : t -> t
  val lgamma 't : t -> t
  val erf 't : t -> t
  val erfc 't : t -> t
  val ceil 't : t -> t
  val floor 't : t -> t

  -- | To the nearest integer, halves to even.
  val round 't : t -> t
  val fma 't : t -> t -> t -> t
  val isinf 't : t -> bool
  val isnan 't : t -> bool
  val nextafter 't : t -> t -> t
  val copysign 't : t -> t -> t
  val ldexp 't : t -> i32 -> t

  -- Arrays: second-order operations.
  val map 'a [n] 'x : (f: a -> x) -> (as: [n]a) -> *[n]x
  val reduce [n] 'a : (op: a -> a -> a) -> (ne: a) -> (as: [n]a) -> a
  val reduce_comm [n] 'a : (op: a -> a -> a) -> (ne: a) -> (as: [n]a) -> a
  val scan [n] 'a : (op: a -> a -> a) -> (ne: a) -> (as: [n]a) -> *[n]a

  val hist_1d [n] 'a [k] :
    (dest: *[k]a) -> (op: a -> a -> a) -> (ne: a) -> (is: [n]i64) -> (as: [n]a) -> *[k]a

  val hist_2d [n] 'a [k] [m] :
    (dest: *[k][m]a)
    -> (op: a -> a -> a)
    -> (ne: a)
    -> (is: [n](i64, i64)) -> (as: [n]a) -> *[k][m]a

  val hist_3d [n] 'a [k] [m] [l] :
    (dest: *[k][m][l]a)
    -> (op: a -> a -> a)
    -> (ne: a)
    -> (is: [n](i64, i64, i64)) -> (as: [n]a) -> *[k][m][l]a

  val scatter [k] 't [n] : (dest: *[k]t) -> (is: [n]i64) -> (vs: [n]t) -> *[k]t
  val scatter_2d [k] [m] 't [n] : (dest: *[k][m]t) -> (is: [n](i64, i64)) -> (vs: [n]t) -> *[k][m]t

  val scatter_3d [k] [m] [l] 't [n] :
    (dest: *[k][m][l]t) -> (is: [n](i64, i64, i64)) -> (vs: [n]t) -> *[k][m][l]t

  val partition [n] 'a : (p: a -> bool) -> (as: [n]a) -> ?[k].([k]a, [n - k]a)
  val filter [n] 'a : (p: a -> bool) -> (as: [n]a) -> ?[k].*[k]a

  val flatmap [n] 'a 'b 'c :
    (f: a -> ?[k].([k]b, c)) -> (as: [n]a) -> ?[m].([n]i64, [m]bool, [n]i64, [m]b, [n]c)

  -- Arrays: first-order operations.
  val iota : (n: i64) -> *[n]i64
  val replicate 't : (n: i64) -> t -> *[n]t
  val rep [n] 't : t -> *[n]t
  val length [n] 't : [n]t -> i64
  val concat [n] [m] 't : [n]t -> [m]t -> *[n + m]t
  val reverse [n] 't : [n]t -> [n]t
  val rotate [n] 't : i64 -> [n]t -> *[n]t
  val flatten [n] [m] 't : [n][m]t -> [n * m]t
  val unflatten [n] [m] 't : [n * m]t -> [n][m]t
  val transpose [n] [m] 't : [n][m]t -> [m][n]t
  val copy 't : t -> *t
  val manifest 't : t -> *t
  val zip [n] 'a 'b : [n]a -> [n]b -> *[n](a, b)
  val unzip [n] 'a 'b : [n](a, b) -> ([n]a, [n]b)

  -- Strided views of flat arrays: element (i, j, …) is at offset + i*s1 + j*s2 + ….
  val flat_index_2d [n] 'a : (as: [n]a) -> (offset: i64) -> (n1: i64) -> (s1: i64) -> (n2: i64) -> (s2: i64) -> [n1][n2]a
  val flat_index_3d [n] 'a : (as: [n]a) -> (offset: i64) -> (n1: i64) -> (s1: i64) -> (n2: i64) -> (s2: i64) -> (n3: i64) -> (s3: i64) -> [n1][n2][n3]a
  val flat_index_4d [n] 'a : (as: [n]a) -> (offset: i64) -> (n1: i64) -> (s1: i64) -> (n2: i64) -> (s2: i64) -> (n3: i64) -> (s3: i64) -> (n4: i64) -> (s4: i64) -> [n1][n2][n3][n4]a
  val flat_update_2d [n] [k] [l] 'a : (as: *[n]a) -> (offset: i64) -> (s1: i64) -> (s2: i64) -> [k][l]a -> *[n]a
  val flat_update_3d [n] [k] [l] [p] 'a : (as: *[n]a) -> (offset: i64) -> (s1: i64) -> (s2: i64) -> (s3: i64) -> [k][l][p]a -> *[n]a
  val flat_update_4d [n] [k] [l] [p] [q] 'a : (as: *[n]a) -> (offset: i64) -> (s1: i64) -> (s2: i64) -> (s3: i64) -> (s4: i64) -> [k][l][p][q]a -> *[n]a

  -- Arrays while many threads write to them: what is written is stored, or combined with what is
  -- there; outside the array nothing happens.
  type~ acc '~t
  val acc_write [n] 't : *acc ([n]t) -> (i: i64) -> (v: t) -> *acc ([n]t)
  val scatter_stream [k] 'a 'b [n] : (dest: *[k]a) -> (f: *acc ([k]a) -> b -> acc ([k]a)) -> (bs: [n]b) -> *[k]a
  val hist_stream [k] 'a 'b [n] : (dest: *[k]a) -> (op: a -> a -> a) -> (ne: a) -> (f: *acc ([k]a) -> b -> acc ([k]a)) -> (bs: [n]b) -> *[k]a

  -- One of two numbers: the first on a CPU and in the interpreter, the second on a GPU.
  val by_device : (cpu: i64) -> (gpu: i64) -> i64

  -- Control.
  val opaque 't : t -> t
  val trace 't : t -> t
  val break 't : t -> t

  -- Differentiation; `jmp2` and `mjp2` take several seeds at once.
  val jvp2 'a 'b : (f: a -> b) -> a -> a -> (b, b)
  val vjp2 'a 'b : (f: a -> b) -> a -> b -> (b, a)
  val jmp2 'a 'b [n] : (f: a -> b) -> a -> [n]a -> (b, [n]b)
  val mjp2 'a 'b [n] : (f: a -> b) -> a -> [n]b -> (b, [n]a)
  val with_vjp 'a 'b : (f: a -> b) -> (adjoint: (res: b) -> (res_adj: b) -> a) -> a -> b
  val with_vjp_tape 'a 'b 'c : (f: a -> (c, b)) -> (adjoint: (c, b) -> a) -> a -> b

  -- The same, for an f that gives its result twice: first in a way whose derivatives can be taken,
  -- which is evaluated only for these, then in one that is quicker.
  val with_vjp_twin 'a 'b 'c : (f: a -> (c, b, b)) -> (adjoint: (c, b) -> a) -> a -> b
}
