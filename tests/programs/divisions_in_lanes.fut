-- Integers of all sizes divided by others in vector lanes, which divide real numbers: every quotient
-- and remainder of extremes, their neighbours and numbers between, beside those of 64 bits.

-- ==
-- entry: of_i8 of_u8 of_i16 of_u16 of_i32 of_u32
-- input { } output { true }

def agree [n] 't (to: t -> i64)
          (of: i64 -> t)
          (eq: t -> t -> bool)
          (div: t -> t -> t)
          (mod: t -> t -> t)
          (quot: t -> t -> t)
          (rem: t -> t -> t)
          (numbers: [n]t) : bool =
  let divisors = filter (\y -> to y != 0) numbers
  let agree_at (x: t) (y: t) : bool =
    let (a, b) = (to x, to y)
    in eq (div x y) (of (a / b)) && eq (mod x y) (of (a % b))
       && eq (quot x y) (of (a // b))
       && eq (rem x y) (of (a %% b))
  in and (map (\x -> loop ok = true for y in divisors do ok && agree_at x y) numbers)

def around (centres: []i64) : []i64 =
  flatten (map (\c -> map (\d -> c + d) [-3, -2, -1, 0, 1, 2, 3]) centres)

def numbers : []i64 =
  around ([ 0
          , 100
          , 127
          , 128
          , 255
          , 256
          , 1000
          , 32767
          , 32768
          , 65535
          , 65536
          , 99991
          , 16777216
          , 46341
          , 65537
          , 2147483647
          , 2147483648
          , 4294967295
          , 1431655765
          , 715827882
          ]
          ++ map (\k -> (k * 2654435761) % 4294967296) (1...40))

def both_signs = numbers ++ map (\x -> -x) numbers

entry of_i8 =
  agree i64.i8 i8.i64 (==) (/) (%) (//) (%%) (map i8.i64 both_signs)

entry of_u8 =
  agree i64.u8 u8.i64 (==) (/) (%) (//) (%%) (map u8.i64 both_signs)

entry of_i16 =
  agree i64.i16 i16.i64 (==) (/) (%) (//) (%%) (map i16.i64 both_signs)

entry of_u16 =
  agree i64.u16 u16.i64 (==) (/) (%) (//) (%%) (map u16.i64 both_signs)

entry of_i32 =
  agree i64.i32 i32.i64 (==) (/) (%) (//) (%%) (map i32.i64 both_signs)

entry of_u32 =
  agree i64.u32 u32.i64 (==) (/) (%) (//) (%%) (map u32.i64 both_signs)
