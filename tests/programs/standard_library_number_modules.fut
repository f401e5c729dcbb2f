-- The number modules convert, wrap and round as the language says.
-- ==
-- entry: unsigned_bits
-- input { 200u8 3u8 }
-- output { 249u8 25u8 3 200u8 1u8 56u8 0u8 2u8 }

-- ==
-- entry: set_bits
-- input { 0i64 40 }
-- output { 1099511627776i64 1 0u64 5i8 }

-- ==
-- entry: conversions
-- input { -1i8 300 -2.7 }
-- output { 255u64 -1i64 44u8 -2i64 true 18446744073709551615u64 }

-- ==
-- entry: limits
-- input { }
-- output { 127i8 -128i8 65535u16 0u16 9223372036854775807i64 -9223372036854775808i64 f32.inf -f64.inf }

-- ==
-- entry: rounding
-- input { 2.5f32 -2.5f32 }
-- output { 2f32 -2f32 2f32 -2f32 3f32 -3f32 }

-- ==
-- entry: reductions
-- input { [1.5, 2.5] }
-- output { 4.0 3.75 2.5 1.5 -f64.inf 0 }

-- ==
-- entry: division
-- input { -7 2 }
-- output { -4 1 -3 -1 }

-- ==
-- entry: real_bits
-- input { 1.5f32 }
-- output { 1069547520u32 1.5f32 1 -1.5f32 }

-- ==
-- entry: interpolation
-- input { 1.0 3.0 0.25 }
-- output { 1.5 3.25 0.5 true }

-- ==
-- entry: wide_products
-- input { 4000000000u32 3u32 }
-- output { 2u32 7u32 -1 }

entry unsigned_bits (x: u8) (y: u8) =
  (x u8.>> y, x u8.>>> y, u8.popc x, u8.abs x, u8.sgn x, u8.neg x, x u8.% 2, x u8./ 100)

entry set_bits (x: i64) (bit: i32) =
  let y = i64.set_bit bit x 1
  in (y, i64.get_bit bit y, u64.set_bit 63 (1 << 63) 0, i8.set_bit 1 7 0)

entry conversions (a: i8) (b: i32) (c: f64) =
  (u64.i8 a, i64.i8 a, u8.i32 b, i64.f64 c, bool.f64 c, u64.i64 (i64.i8 a))
  |> \(p, q, r, s, t, u) -> (p, q, r, s, t, u)

entry limits =
  ( i8.highest
  , i8.lowest
  , u16.highest
  , u16.lowest
  , i64.highest
  , i64.lowest
  , f32.highest
  , f64.lowest
  )

entry rounding (x: f32) (y: f32) =
  (f32.trunc x, f32.trunc y, f32.round x, f32.round y, f32.ceil x, f32.floor y)

entry reductions (xs: []f64) =
  (f64.sum xs, f64.product xs, f64.maximum xs, f64.minimum xs, f64.maximum [], i32.sum [])

entry division (x: i32) (y: i32) = (x i32./ y, x i32.% y, x i32.// y, x i32.%% y)

entry real_bits (x: f32) =
  (f32.to_bits x, f32.from_bits (f32.to_bits x), f32.get_bit 22 x, f32.set_bit 31 x 1)

entry interpolation (a: f64) (b: f64) (part: f64) =
  (f64.lerp a b part, f64.mad a b part, f64.from_fraction 1 2, f64.isnan f64.nan)

entry wide_products (x: u32) (y: u32) =
  (u32.mul_hi x y, u32.mad_hi x y 5, i32.mul_hi (-1) 1)
