-- Conversions between number types: truncation, saturation to zero for NaN, widening.
-- ==
-- entry: to_integers
-- input { [2.9, -2.9, f64.nan] } output { [2i32, -2i32, 0i32] }

-- ==
-- entry: narrow
-- input { 300i32 -1i32 } output { 44u8 255u8 4294967295u32 -1i64 }

-- ==
-- entry: widen
-- input { -128i8 } output { 128u16 4294967168i64 -128i64 128u64 }

-- ==
-- entry: bits
-- input { 1f32 } output { 1065353216u32 1f32 }

entry to_integers (xs: []f64) = map i32.f64 xs
entry narrow (a: i32) (b: i32) = (u8.i32 a, u8.i32 b, u32.i32 b, i64.i32 b)
entry widen (a: i8) = (u16.i8 a, i64.u32 (u32.i32 (i32.i8 a)), i64.i8 a, u64.i8 a)
entry bits (x: f32) = (f32.to_bits x, f32.from_bits (f32.to_bits x))
