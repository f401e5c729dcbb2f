-- Every name that the prelude exports exists and has the type that programs rely on.
-- ==
-- entry: all_names
-- input { } output { true }

module functional : {
  val (|>) '^a '^b : a -> (a -> b) -> b
  val (<|) '^a '^b : (a -> b) -> a -> b
  val (>->) '^a '^b '^c : (a -> b) -> (b -> c) -> a -> c
  val (<-<) '^a '^b '^c : (b -> c) -> (a -> b) -> a -> c
  val flip '^a '^b '^c : (a -> b -> c) -> b -> a -> c
  val curry '^a '^b '^c : ((a, b) -> c) -> a -> b -> c
  val uncurry '^a '^b '^c : (a -> b -> c) -> (a, b) -> c
  val const '^a '^b : a -> b -> a
  val id '^a : a -> a
  val iterate 'a : i32 -> (a -> a) -> a -> a
  val iterate_until 'a : (a -> bool) -> (a -> a) -> a -> a
  val iterate_while 'a : (a -> bool) -> (a -> a) -> a -> a
} = import "/prelude/functional"

module conversions : {
  val r32 : i32 -> f32
  val t32 : f32 -> i32
  val r64 : i32 -> f64
  val t64 : f64 -> i32
  val not : bool -> bool
  val opaque 't : t -> t
  val trace 't : t -> t
  val break 't : t -> t
} = import "/prelude/prelude"

module zips : {
  val zip 'a 'b [n] : [n]a -> [n]b -> *[n](a, b)
  val zip2 'a 'b [n] : [n]a -> [n]b -> *[n](a, b)
  val zip3 'a 'b 'c [n] : [n]a -> [n]b -> [n]c -> *[n](a, b, c)
  val zip4 'a 'b 'c 'd [n] : [n]a -> [n]b -> [n]c -> [n]d -> *[n](a, b, c, d)
  val zip5 'a 'b 'c 'd 'e [n] : [n]a -> [n]b -> [n]c -> [n]d -> [n]e -> *[n](a, b, c, d, e)
  val unzip 'a 'b [n] : [n](a, b) -> ([n]a, [n]b)
  val unzip2 'a 'b [n] : [n](a, b) -> ([n]a, [n]b)
  val unzip3 'a 'b 'c [n] : [n](a, b, c) -> ([n]a, [n]b, [n]c)
  val unzip4 'a 'b 'c 'd [n] : [n](a, b, c, d) -> ([n]a, [n]b, [n]c, [n]d)
  val unzip5 'a 'b 'c 'd 'e [n] : [n](a, b, c, d, e) -> ([n]a, [n]b, [n]c, [n]d, [n]e)
} = import "/prelude/array"

module arrays : {
  val length [n] 't : [n]t -> i64
  val null [n] 't : [n]t -> bool
  val head [n] 't : [n]t -> t
  val last [n] 't : [n]t -> t
  val tail [n] 't : [n]t -> [n - 1]t
  val init [n] 't : [n]t -> [n - 1]t
  val take [n] 't : (i: i64) -> [n]t -> [i]t
  val drop [n] 't : (i: i64) -> [n]t -> [n - i]t
  val sized [m] 't : (n: i64) -> [m]t -> [n]t
  val split [n] [m] 't : [n + m]t -> ([n]t, [m]t)
  val reverse [n] 't : [n]t -> [n]t
  val (++) [n] [m] 't : [n]t -> [m]t -> *[n + m]t
  val concat [n] [m] 't : [n]t -> [m]t -> *[n + m]t
  val iota : (n: i64) -> *[n]i64
  val indices [n] 't : [n]t -> *[n]i64
  val rotate [n] 't : i64 -> [n]t -> [n]t
  val replicate 't : (n: i64) -> t -> *[n]t
  val rep 't [n] : t -> *[n]t
  val copy 't : t -> *t
  val manifest 't : t -> *t
  val flatten [n] [m] 't : [n][m]t -> [n * m]t
  val flatten_3d [n] [m] [l] 't : [n][m][l]t -> [n * m * l]t
  val flatten_4d [n] [m] [l] [k] 't : [n][m][l][k]t -> [n * m * l * k]t
  val unflatten 't [n] [m] : [n * m]t -> [n][m]t
  val unflatten_3d 't [n] [m] [l] : [n * m * l]t -> [n][m][l]t
  val unflatten_4d 't [n] [m] [l] [k] : [n * m * l * k]t -> [n][m][l][k]t
  val transpose [n] [m] 't : [n][m]t -> [m][n]t
  val and [n] : [n]bool -> bool
  val or [n] : [n]bool -> bool
  val foldl [n] 'a 'b : (a -> b -> a) -> a -> [n]b -> a
  val foldr [n] 'a 'b : (b -> a -> a) -> a -> [n]b -> a
  val tabulate 'a : (n: i64) -> (i64 -> a) -> *[n]a
  val tabulate_2d 'a : (n: i64) -> (m: i64) -> (i64 -> i64 -> a) -> *[n][m]a
  val tabulate_3d 'a : (n: i64) -> (m: i64) -> (o: i64) -> (i64 -> i64 -> i64 -> a) -> *[n][m][o]a
} = import "/prelude/array"

module soacs : {
  val map 'a [n] 'x : (a -> x) -> [n]a -> *[n]x
  val map1 'a [n] 'x : (a -> x) -> [n]a -> *[n]x
  val map2 'a 'b [n] 'x : (a -> b -> x) -> [n]a -> [n]b -> *[n]x
  val map3 'a 'b 'c [n] 'x : (a -> b -> c -> x) -> [n]a -> [n]b -> [n]c -> *[n]x
  val map4 'a 'b 'c 'd [n] 'x : (a -> b -> c -> d -> x) -> [n]a -> [n]b -> [n]c -> [n]d -> *[n]x

  val map5 'a 'b 'c 'd 'e [n] 'x :
    (a -> b -> c -> d -> e -> x) -> [n]a -> [n]b -> [n]c -> [n]d -> [n]e -> *[n]x

  val reduce [n] 'a : (a -> a -> a) -> a -> [n]a -> a
  val reduce_comm [n] 'a : (a -> a -> a) -> a -> [n]a -> a
  val hist 'a [n] : (a -> a -> a) -> a -> (k: i64) -> [n]i64 -> [n]a -> *[k]a
  val reduce_by_index 'a [k] [n] : *[k]a -> (a -> a -> a) -> a -> [n]i64 -> [n]a -> *[k]a

  val reduce_by_index_2d 'a [k] [n] [m] :
    *[k][m]a -> (a -> a -> a) -> a -> [n](i64, i64) -> [n]a -> *[k][m]a

  val reduce_by_index_3d 'a [k] [n] [m] [l] :
    *[k][m][l]a -> (a -> a -> a) -> a -> [n](i64, i64, i64) -> [n]a -> *[k][m][l]a

  val scan [n] 'a : (a -> a -> a) -> a -> [n]a -> *[n]a
  val exscan [n] 'a : (a -> a -> a) -> a -> [n]a -> *[n]a
  val all [n] 'a : (a -> bool) -> [n]a -> bool
  val any [n] 'a : (a -> bool) -> [n]a -> bool
  val spread 't [n] : (k: i64) -> t -> [n]i64 -> [n]t -> *[k]t
  val scatter 't [k] [n] : *[k]t -> [n]i64 -> [n]t -> *[k]t
  val scatter_2d 't [k] [n] [l] : *[k][n]t -> [l](i64, i64) -> [l]t -> *[k][n]t
  val scatter_3d 't [k] [n] [o] [l] : *[k][n][o]t -> [l](i64, i64, i64) -> [l]t -> *[k][n][o]t
  val filter [n] 'a : (a -> bool) -> [n]a -> *[]a
  val partition [n] 'a : (a -> bool) -> [n]a -> ?[k].([k]a, [n - k]a)

  val partition2 [n] 'a :
    (a -> bool) -> (a -> bool) -> [n]a -> ?[k][l].([k]a, [l]a, [n - k - l]a)

  val flatmap [n] 'a 'b 'c :
    (a -> ?[k].([k]b, c)) -> [n]a -> ?[m].([n]i64, [m]bool, [n]i64, [m]b, [n]c)

  val flatmap' [n] 'a 'b :
    (a -> ?[k].[k]b) -> [n]a -> ?[m].([n]i64, [m]bool, [n]i64, [m]b)
} = import "/prelude/soacs"

module derivatives : {
  val jvp 'a 'b : (a -> b) -> a -> a -> b
  val jvp2 'a 'b : (a -> b) -> a -> a -> (b, b)
  val vjp 'a 'b : (a -> b) -> a -> b -> a
  val vjp2 'a 'b : (a -> b) -> a -> b -> (b, a)
  val jmp 'a 'b [n] : (a -> b) -> a -> [n]a -> [n]b
  val jmp2 'a 'b [n] : (a -> b) -> a -> [n]a -> (b, [n]b)
  val mjp 'a 'b [n] : (a -> b) -> a -> [n]b -> [n]a
  val mjp2 'a 'b [n] : (a -> b) -> a -> [n]b -> (b, [n]a)
  val with_vjp 'a 'b : (a -> b) -> ((res: b) -> (b_adj: b) -> a) -> a -> b
  val with_vjp_tape 'a 'b 'c : (a -> (c, b)) -> ((c, b) -> a) -> a -> b
} = import "/prelude/ad"

module type conversion_names = {
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

module type number_names = {
  include conversion_names
  val (+) : t -> t -> t
  val (-) : t -> t -> t
  val (*) : t -> t -> t
  val (/) : t -> t -> t
  val (%) : t -> t -> t
  val (**) : t -> t -> t
  val (==) : t -> t -> bool
  val (<) : t -> t -> bool
  val (>) : t -> t -> bool
  val (<=) : t -> t -> bool
  val (>=) : t -> t -> bool
  val (!=) : t -> t -> bool
  val to_i64 : t -> i64
  val neg : t -> t
  val abs : t -> t
  val sgn : t -> t
  val max : t -> t -> t
  val min : t -> t -> t
  val highest : t
  val lowest : t
  val sum [n] : [n]t -> t
  val product [n] : [n]t -> t
  val maximum [n] : [n]t -> t
  val minimum [n] : [n]t -> t
}

module type integer_names = {
  include number_names
  val (//) : t -> t -> t
  val (%%) : t -> t -> t
  val (&) : t -> t -> t
  val (|) : t -> t -> t
  val (^) : t -> t -> t
  val (<<) : t -> t -> t
  val (>>) : t -> t -> t
  val (>>>) : t -> t -> t
  val not : t -> t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t
  val popc : t -> i32
  val clz : t -> i32
  val ctz : t -> i32
  val mul_hi : t -> t -> t
  val mad_hi : t -> t -> t -> t
}

module type real_names = {
  include number_names
  type int_t
  val recip : t -> t
  val from_fraction : i64 -> i64 -> t
  val to_f64 : t -> f64
  val sqrt : t -> t
  val rsqrt : t -> t
  val cbrt : t -> t
  val exp : t -> t
  val sin : t -> t
  val cos : t -> t
  val tan : t -> t
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
  val atan2 : t -> t -> t
  val atan2pi : t -> t -> t
  val hypot : t -> t -> t
  val gamma : t -> t
  val lgamma : t -> t
  val erf : t -> t
  val erfc : t -> t
  val lerp : t -> t -> t -> t
  val log : t -> t
  val log2 : t -> t
  val log10 : t -> t
  val log1p : t -> t
  val ceil : t -> t
  val floor : t -> t
  val trunc : t -> t
  val round : t -> t
  val mad : t -> t -> t -> t
  val fma : t -> t -> t -> t
  val isinf : t -> bool
  val isnan : t -> bool
  val inf : t
  val nan : t
  val pi : t
  val e : t
  val from_bits : int_t -> t
  val to_bits : t -> int_t
  val num_bits : i32
  val get_bit : i32 -> t -> i32
  val set_bit : i32 -> t -> i32 -> t
  val epsilon : t
  val nextafter : t -> t -> t
  val copysign : t -> t -> t
  val ldexp : t -> i32 -> t
}

module names_bool = bool : conversion_names with t = bool
module names_i8 = i8 : integer_names with t = i8
module names_i16 = i16 : integer_names with t = i16
module names_i32 = i32 : integer_names with t = i32
module names_i64 = i64 : integer_names with t = i64
module names_u8 = u8 : integer_names with t = u8
module names_u16 = u16 : integer_names with t = u16
module names_u32 = u32 : integer_names with t = u32
module names_u64 = u64 : integer_names with t = u64
module names_f16 = f16 : real_names with t = f16 with int_t = u16
module names_f32 = f32 : real_names with t = f32 with int_t = u32
module names_f64 = f64 : real_names with t = f64 with int_t = u64

-- The module types themselves are there for parametric modules.
module of_conversion (P: from_prim) = {def zero = P.bool false}
module of_numeric (P: numeric) = {def zero = P.i32 0}
module of_integral (P: integral) = {def zero = P.not (P.i32 (-1))}
module of_real (P: real) = {def zero = P.sqrt (P.i32 0)}
module of_float (P: float) = {def zero = P.copysign (P.i32 0) P.pi}
module c = of_conversion i8
module n = of_numeric i8
module i = of_integral i8
module r = of_real f32
module f = of_float f32

-- Without a qualifier every name is visible too.
entry all_names =
  let zeros = c.zero + n.zero + i.zero == 0 && r.zero + f.zero == 0
  let here = r32 (t32 2.5) == 2 && r64 (t64 2.5) == 2 && not false && opaque (trace (break true))
  let (xs, ys) = unzip (zip [1, 2] [3, 4])
  in zeros && here && length (map2 (+) xs ys |> reverse) == 2
