-- | Arithmetic on each primitive type as a module, for generic code and for what operators do not
-- give.  The modules come from two parametric ones: `intrinsics` is polymorphic, and what differs
-- between types (limits, the type of the bits) is a parameter.

-- | Conversion from every primitive type.  To an integer: towards zero, the low bits of a larger
-- integer, and not-a-number becomes zero.
module type from_prim = {
  type t
  val i8 : i8 -> t
  val i16 : i16 -> t
  val i32 : i32 -> t
  val i64 : i64 -> t
  val u8 : u8 -> t
  val u16 : u16 -> t
  val u32 : u32 -> t
  val u64 : u64 -> t
  val f16 : f16 -> t
  val f32 : f32 -> t
  val f64 : f64 -> t
  val bool : bool -> t
}

-- | What all number types have.
module type numeric = {
  include from_prim
  val (+) : t -> t -> t
  val (-) : t -> t -> t
  val (*) : t -> t -> t

  -- | For integers, rounds towards negative infinity.
  val (/) : t -> t -> t

  -- | For integers, the remainder that goes with `/`; for reals, with the sign of the dividend.
  val (%) : t -> t -> t

  -- | Power.  A negative integer exponent is an error.  A constant exponent is best: 2, 3, 4 and
  -- half powers of reals are products and roots, within 2 ulp, and those of integers products.
  val (**) : t -> t -> t
  val to_i64 : t -> i64
  val (==) : t -> t -> bool
  val (<) : t -> t -> bool
  val (>) : t -> t -> bool
  val (<=) : t -> t -> bool
  val (>=) : t -> t -> bool
  val (!=) : t -> t -> bool
  val neg : t -> t
  val max : t -> t -> t
  val min : t -> t -> t
  val abs : t -> t

  -- | -1, 0 or 1.
  val sgn : t -> t

  -- | The neutral element of `min`; infinity for reals.
  val highest : t

  -- | The neutral element of `max`.
  val lowest : t
  val sum [n] : [n]t -> t
  val product [n] : [n]t -> t

  -- | `lowest` if there are no elements.
  val maximum [n] : [n]t -> t

  -- | `highest` if there are no elements.
  val minimum [n] : [n]t -> t
}

-- | Integers.
module type integral = {
  include numeric

  -- | Division that rounds towards zero.
  val (//) : t -> t -> t

  -- | The remainder that goes with `//`.
  val (%%) : t -> t -> t
  val (&) : t -> t -> t
  val (|) : t -> t -> t
  val (^) : t -> t -> t
  val not : t -> t
  val (<<) : t -> t -> t

  -- | Copies the highest bit, whether the type is signed or not.
  val (>>) : t -> t -> t

  -- | Fills with zeros.
  val (>>>) : t -> t -> t
  val num_bits : i32

  -- | The bit at a position counted from the lowest.
  val get_bit : i32 -> t -> i32

  -- | `set_bit i x b` is `x` with bit `i` replaced by `b`.
  val set_bit : i32 -> t -> i32 -> t

  -- | How many bits are set.
  val popc : t -> i32

  -- | The upper half of the product.
  val mul_hi : (x: t) -> (y: t) -> t

  -- | The upper half of the product of `a` and `b`, plus `c`.
  val mad_hi : (a: t) -> (b: t) -> (c: t) -> t

  -- | How many zero bits there are above the highest one that is set.
  val clz : t -> i32

  -- | How many zero bits there are below the lowest one that is set.
  val ctz : t -> i32
}

-- | Real numbers.
module type real = {
  include numeric
  val recip : t -> t

  -- | The quotient of two integers.
  val from_fraction : i64 -> i64 -> t
  val to_i64 : t -> i64
  val to_f64 : t -> f64
  val sqrt : t -> t
  val rsqrt : t -> t
  val cbrt : t -> t
  val exp : t -> t
  val sin : t -> t
  val cos : t -> t
  val tan : t -> t

  -- | `sinpi x` is the sine of `x` half turns; so too the others on `pi`.
  val sinpi : t -> t
  val cospi : t -> t
  val tanpi : t -> t
  val asin : t -> t
  val acos : t -> t
  val atan : t -> t
  val asinpi : t -> t
  val acospi : t -> t
  val atanpi : t -> t
  val sinh : t -> t
  val cosh : t -> t
  val tanh : t -> t
  val asinh : t -> t
  val acosh : t -> t
  val atanh : t -> t

  -- | The angle of the point with ordinate `y` (given first) and abscissa `x`.
  val atan2 : t -> t -> t
  val atan2pi : t -> t -> t
  val hypot : t -> t -> t
  val gamma : t -> t
  val lgamma : t -> t
  val erf : t -> t
  val erfc : t -> t

  -- | `lerp a b t` is on the way from `a` to `b`, at the part `t` of it.
  val lerp : t -> t -> t -> t
  val log : t -> t
  val log2 : t -> t
  val log10 : t -> t
  val log1p : t -> t
  val ceil : t -> t
  val floor : t -> t
  val trunc : t -> t

  -- | To the nearest integer, halves to the even one.
  val round : t -> t

  -- | `mad a b c` is `a * b + c`.
  val mad : (a: t) -> (b: t) -> (c: t) -> t

  -- | `a * b + c`, rounded once.
  val fma : (a: t) -> (b: t) -> (c: t) -> t
  val isinf : t -> bool
  val isnan : t -> bool
  val inf : t
  val nan : t
  val pi : t
  val e : t
}

-- | Real numbers of a certain representation.
module type float = {
  include real

  -- | The unsigned integer type of the same width.
  type int_t
  val from_bits : int_t -> t
  val to_bits : t -> int_t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t

  -- | The distance from 1 to the next larger number.
  val epsilon : t

  -- | The number next to `x` in the direction of `y`.
  val nextafter : (x: t) -> (y: t) -> t

  -- | `ldexp x k` is `x` times two to the power `k`.
  val ldexp : t -> i32 -> t

  -- | The magnitude of `x` with the sign of `y`.
  val copysign : (x: t) -> (y: t) -> t
}

local module convert_to (P: {type t}) : from_prim with t = P.t = {
  type t = P.t
  def i8 (x: i8) : t = intrinsics.convert x
  def i16 (x: i16) : t = intrinsics.convert x
  def i32 (x: i32) : t = intrinsics.convert x
  def i64 (x: i64) : t = intrinsics.convert x
  def u8 (x: u8) : t = intrinsics.convert x
  def u16 (x: u16) : t = intrinsics.convert x
  def u32 (x: u32) : t = intrinsics.convert x
  def u64 (x: u64) : t = intrinsics.convert x
  def f16 (x: f16) : t = intrinsics.convert x
  def f32 (x: f32) : t = intrinsics.convert x
  def f64 (x: f64) : t = intrinsics.convert x
  def bool (x: bool) : t = intrinsics.convert x
}

local module type limited = {
  type t
  val highest : t
  val lowest : t
}

local module numeric_of (P: limited) : numeric with t = P.t = {
  open convert_to P
  def (+) (x: t) (y: t) : t = intrinsics.add x y
  def (-) (x: t) (y: t) : t = intrinsics.sub x y
  def (*) (x: t) (y: t) : t = intrinsics.mul x y
  def (/) (x: t) (y: t) : t = intrinsics.div x y
  def (%) (x: t) (y: t) : t = intrinsics.mod x y
  def (**) (x: t) (y: t) : t = intrinsics.pow x y
  def to_i64 (x: t) : i64 = intrinsics.convert x
  def (==) (x: t) (y: t) : bool = intrinsics.eq x y
  def (<) (x: t) (y: t) : bool = intrinsics.lt x y
  def (>) (x: t) (y: t) : bool = intrinsics.gt x y
  def (<=) (x: t) (y: t) : bool = intrinsics.le x y
  def (>=) (x: t) (y: t) : bool = intrinsics.ge x y
  def (!=) (x: t) (y: t) : bool = intrinsics.ne x y
  def neg (x: t) : t = intrinsics.neg x
  def max (x: t) (y: t) : t = intrinsics.max x y
  def min (x: t) (y: t) : t = intrinsics.min x y
  def abs (x: t) : t = intrinsics.abs x
  def sgn (x: t) : t = intrinsics.sgn x
  def highest : t = P.highest
  def lowest : t = P.lowest
  def sum [n] (xs: [n]t) : t = intrinsics.reduce (+) (i32 0) xs
  def product [n] (xs: [n]t) : t = intrinsics.reduce (*) (i32 1) xs
  def maximum [n] (xs: [n]t) : t = intrinsics.reduce max lowest xs
  def minimum [n] (xs: [n]t) : t = intrinsics.reduce min highest xs
}

local module integral_of (P: {include limited val num_bits : i32}) : integral with t = P.t = {
  open numeric_of P
  def (//) (x: t) (y: t) : t = intrinsics.quot x y
  def (%%) (x: t) (y: t) : t = intrinsics.rem x y
  def (&) (x: t) (y: t) : t = intrinsics.bit_and x y
  def (|) (x: t) (y: t) : t = intrinsics.bit_or x y
  def (^) (x: t) (y: t) : t = intrinsics.bit_xor x y
  def not (x: t) : t = intrinsics.bit_not x
  def (<<) (x: t) (y: t) : t = intrinsics.shift_left x y
  def (>>) (x: t) (y: t) : t = intrinsics.shift_right_arithmetic x y
  def (>>>) (x: t) (y: t) : t = intrinsics.shift_right_logical x y
  def num_bits : i32 = P.num_bits
  def get_bit (bit: i32) (x: t) : i32 = intrinsics.convert ((x >>> i32 bit) & i32 1)

  def set_bit (bit: i32) (x: t) (b: i32) : t =
    (x & not (i32 1 << i32 bit)) | (i32 b << i32 bit)

  def popc (x: t) : i32 = intrinsics.popc x
  def mul_hi (x: t) (y: t) : t = intrinsics.mul_hi x y
  def mad_hi (a: t) (b: t) (c: t) : t = intrinsics.mad_hi a b c
  def clz (x: t) : i32 = intrinsics.clz x
  def ctz (x: t) : i32 = intrinsics.ctz x
}

local module type representation = {
  include limited
  module bits : integral
  val epsilon : t
}

local module float_of (P: representation) : float with t = P.t with int_t = P.bits.t = {
  open numeric_of P
  type int_t = P.bits.t
  def recip (x: t) : t = i32 1 / x
  def from_fraction (x: i64) (y: i64) : t = i64 x / i64 y
  def to_f64 (x: t) : f64 = intrinsics.convert x
  def sqrt (x: t) : t = intrinsics.sqrt x
  def rsqrt (x: t) : t = intrinsics.rsqrt x
  def cbrt (x: t) : t = intrinsics.cbrt x
  def exp (x: t) : t = intrinsics.exp x
  def sin (x: t) : t = intrinsics.sin x
  def cos (x: t) : t = intrinsics.cos x
  def tan (x: t) : t = intrinsics.tan x
  def sinpi (x: t) : t = intrinsics.sinpi x
  def cospi (x: t) : t = intrinsics.cospi x
  def tanpi (x: t) : t = intrinsics.tanpi x
  def asin (x: t) : t = intrinsics.asin x
  def acos (x: t) : t = intrinsics.acos x
  def atan (x: t) : t = intrinsics.atan x
  def asinpi (x: t) : t = intrinsics.asinpi x
  def acospi (x: t) : t = intrinsics.acospi x
  def atanpi (x: t) : t = intrinsics.atanpi x
  def sinh (x: t) : t = intrinsics.sinh x
  def cosh (x: t) : t = intrinsics.cosh x
  def tanh (x: t) : t = intrinsics.tanh x
  def asinh (x: t) : t = intrinsics.asinh x
  def acosh (x: t) : t = intrinsics.acosh x
  def atanh (x: t) : t = intrinsics.atanh x
  def atan2 (y: t) (x: t) : t = intrinsics.atan2 y x
  def atan2pi (y: t) (x: t) : t = intrinsics.atan2pi y x
  def hypot (x: t) (y: t) : t = intrinsics.hypot x y
  def gamma (x: t) : t = intrinsics.gamma x
  def lgamma (x: t) : t = intrinsics.lgamma x
  def erf (x: t) : t = intrinsics.erf x
  def erfc (x: t) : t = intrinsics.erfc x
  def lerp (a: t) (b: t) (part: t) : t = a + (b - a) * part
  def log (x: t) : t = intrinsics.log x
  def log2 (x: t) : t = intrinsics.log2 x
  def log10 (x: t) : t = intrinsics.log10 x
  def log1p (x: t) : t = intrinsics.log1p x
  def ceil (x: t) : t = intrinsics.ceil x
  def floor (x: t) : t = intrinsics.floor x
  def trunc (x: t) : t = if x < i32 0 then ceil x else floor x
  def round (x: t) : t = intrinsics.round x
  def mad (a: t) (b: t) (c: t) : t = a * b + c
  def fma (a: t) (b: t) (c: t) : t = intrinsics.fma a b c
  def isinf (x: t) : bool = intrinsics.isinf x
  def isnan (x: t) : bool = intrinsics.isnan x
  def inf : t = P.highest
  def nan : t = highest - highest
  def pi : t = f64 3.14159265358979323846f64
  def e : t = f64 2.71828182845904523536f64
  def from_bits (x: int_t) : t = intrinsics.from_bits x
  def to_bits (x: t) : int_t = intrinsics.to_bits x
  def num_bits : i32 = P.bits.num_bits
  def get_bit (bit: i32) (x: t) : i32 = P.bits.get_bit bit (to_bits x)
  def set_bit (bit: i32) (x: t) (b: i32) : t = from_bits (P.bits.set_bit bit (to_bits x) b)
  def epsilon : t = P.epsilon
  def nextafter (x: t) (y: t) : t = intrinsics.nextafter x y
  def ldexp (x: t) (k: i32) : t = intrinsics.ldexp x k
  def copysign (x: t) (y: t) : t = intrinsics.copysign x y
}

-- | Truth values: only conversion, which says whether a number is not zero.
module bool : from_prim with t = bool = convert_to {
  type t = bool
}

module i8 : integral with t = i8 = integral_of {
  type t = i8
  def highest = 127i8
  def lowest = -128i8
  def num_bits = 8i32
}

module i16 : integral with t = i16 = integral_of {
  type t = i16
  def highest = 32767i16
  def lowest = -32768i16
  def num_bits = 16i32
}

module i32 : integral with t = i32 = integral_of {
  type t = i32
  def highest = 2147483647i32
  def lowest = -2147483648i32
  def num_bits = 32i32
}

module i64 : integral with t = i64 = integral_of {
  type t = i64
  def highest = 9223372036854775807i64
  def lowest = -9223372036854775808i64
  def num_bits = 64i32
}

module u8 : integral with t = u8 = integral_of {
  type t = u8
  def highest = 255u8
  def lowest = 0u8
  def num_bits = 8i32
}

module u16 : integral with t = u16 = integral_of {
  type t = u16
  def highest = 65535u16
  def lowest = 0u16
  def num_bits = 16i32
}

module u32 : integral with t = u32 = integral_of {
  type t = u32
  def highest = 4294967295u32
  def lowest = 0u32
  def num_bits = 32i32
}

module u64 : integral with t = u64 = integral_of {
  type t = u64
  def highest = 18446744073709551615u64
  def lowest = 0u64
  def num_bits = 64i32
}

module f64 : float with t = f64 with int_t = u64 = float_of {
  type t = f64
  module bits = u64
  def highest = 1f64 / 0f64
  def lowest = -1f64 / 0f64
  def epsilon = 0x1.0p-52f64
}

module f32 : float with t = f32 with int_t = u32 = float_of {
  type t = f32
  module bits = u32
  def highest = 1f32 / 0f32
  def lowest = -1f32 / 0f32
  def epsilon = 0x1.0p-23f32
}

module f16 : float with t = f16 with int_t = u16 = float_of {
  type t = f16
  module bits = u16
  def highest = 1f16 / 0f16
  def lowest = -1f16 / 0f16
  def epsilon = 0x1.0p-10f16
}
