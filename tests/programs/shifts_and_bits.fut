-- `>>` is arithmetic on signed and logical on unsigned numbers; counting and setting bits.
-- ==
-- entry: shifts
-- input { -8i32 200u8 } output { -2i32 50u8 -16i32 }

-- ==
-- entry: bits
-- input { 0b1011i32 } output { 3i32 28i32 0i32 15i32 true }

entry shifts (a: i32) (b: u8) = (a >> 2, b >> 2, a << 1)

entry bits (a: i32) =
  (i32.popc a, i32.clz a, i32.ctz a, i32.set_bit 2 a 1, i32.get_bit 3 a == 1)
