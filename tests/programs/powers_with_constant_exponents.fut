-- Powers whose exponent is a constant are products, quotients and roots, and within 2 ulp of `pow`.
-- ==
-- entry: doubles
-- input { }
-- output { true }
-- ==
-- entry: singles
-- input { }
-- output { true }
-- ==
-- entry: integers
-- input { [0i32, 1i32, -1i32, 2i32, -3i32, 46341i32, 65536i32, -2147483648i32] }
-- output { true }
-- ==
-- entry: shifts
-- input { [0i32, 1i32, 5i32, 31i32, 32i32, 100i32] }
-- output { [1i32, 2i32, 32i32, -2147483648i32, 0i32, 0i32] }
-- ==
-- entry: slopes
-- input { [0f64, 4f64, 0.25f64] }
-- output { [0f64, 8f64, 0.5f64] [0f64, 48f64, 0.1875f64] [0f64, 0.25f64, 1f64]
--          [0f64, -0.0625f64, -16f64] [0f64, 3f64, 0.75f64] }

def close64 (a: f64) (b: f64) =
  f64.isnan a && f64.isnan b || a == b && f64.to_bits a == f64.to_bits b
  || i64.abs (i64.u64 (f64.to_bits a) - i64.u64 (f64.to_bits b)) <= 2

def close32 (a: f32) (b: f32) =
  f32.isnan a && f32.isnan b || a == b && f32.to_bits a == f32.to_bits b
  || i32.abs (i32.u32 (f32.to_bits a) - i32.u32 (f32.to_bits b)) <= 2

def special64 : []f64 =
  [ 0
  , -0.0
  , 1
  , -1
  , 2.5
  , -3.7
  , 1e-310
  , -1e-310
  , 1e-200
  , 1e155
  , -1e160
  , 1e300
  , 7e-104
  , f64.inf
  , -f64.inf
  , f64.nan
  , 0.1
  , 1e20
  ]

def special32 : []f32 =
  [ 0
  , -0.0
  , 1
  , -1
  , 2.5
  , -3.7
  , 1e-40
  , -1e-40
  , 1e-25
  , 1e19
  , -1e20
  , 1e38
  , 7e-14
  , f32.inf
  , -f32.inf
  , f32.nan
  , 0.1
  , 1e7
  ]

entry doubles =
  let test (x: f64) =
    let same (power: f64) (e: f64) = close64 power (x ** opaque e)
    in same (x ** -2) (-2) && same (x ** -1.5) (-1.5) && same (x ** -1) (-1)
       && same (x ** -0.5) (-0.5)
       && same (x ** 0) 0
       && same (x ** 0.5) 0.5
       && same (x ** 1) 1
       && same (x ** 1.5) 1.5
       && same (x ** 2) 2
       && same (x ** 3) 3
       && same (x ** 4) 4
       && same (x ** 5) 5
       && same (x ** 6) 6
       && same (x ** 15) 15
       && same (x ** 16) 16
  in and (map test special64)

entry singles =
  let test (x: f32) =
    let same (power: f32) (e: f32) = close32 power (x ** opaque e)
    in same (x ** -2) (-2) && same (x ** -1.5) (-1.5) && same (x ** -1) (-1)
       && same (x ** -0.5) (-0.5)
       && same (x ** 0) 0
       && same (x ** 0.5) 0.5
       && same (x ** 1) 1
       && same (x ** 1.5) 1.5
       && same (x ** 2) 2
       && same (x ** 3) 3
       && same (x ** 4) 4
       && same (x ** 5) 5
       && same (x ** 6) 6
       && same (x ** 15) 15
       && same (x ** 16) 16
  in and (map test special32)

entry integers (xs: []i32) =
  let test (x: i32) =
    let same (power: i32) (e: i32) = power == x ** opaque e
    in same (x ** 2) 2 && same (x ** 3) 3 && same (x ** 7) 7 && same (x ** 16) 16
       && same (x ** 63) 63
       && same (x ** 64) 64
  in and (map test xs)

entry shifts (es: []i32) = map (\e -> 2 ** e) es

-- The derivative is 0 at 0 where the exponent is less than 1.
entry slopes (xs: []f64) =
  ( map (\x -> vjp (** 2) x 1) xs
  , map (\x -> vjp (** 3) x 1) xs
  , map (\x -> vjp (** 0.5) x 1) xs
  , map (\x -> vjp (** -1) x 1) xs
  , map (\x -> jvp (** 1.5) x 1) xs
  )
