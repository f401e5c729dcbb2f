-- Every function of reals at many points, chosen by a number, so that two entry points hold them
-- all. `run-all` knows the names that belong to the numbers.

entry unary_f32 (which: i64) (xs: []f32) : []f32 =
  match which
  case 0 -> map f32.sqrt xs
  case 1 -> map f32.cbrt xs
  case 2 -> map f32.exp xs
  case 3 -> map f32.log xs
  case 4 -> map f32.log2 xs
  case 5 -> map f32.log10 xs
  case 6 -> map f32.log1p xs
  case 7 -> map f32.sin xs
  case 8 -> map f32.cos xs
  case 9 -> map f32.tan xs
  case 10 -> map f32.asin xs
  case 11 -> map f32.acos xs
  case 12 -> map f32.atan xs
  case 13 -> map f32.sinh xs
  case 14 -> map f32.cosh xs
  case 15 -> map f32.tanh xs
  case 16 -> map f32.asinh xs
  case 17 -> map f32.acosh xs
  case 18 -> map f32.atanh xs
  case 19 -> map f32.gamma xs
  case 20 -> map f32.lgamma xs
  case 21 -> map f32.erf xs
  case _ -> map f32.erfc xs

entry unary_f64 (which: i64) (xs: []f64) : []f64 =
  match which
  case 0 -> map f64.sqrt xs
  case 1 -> map f64.cbrt xs
  case 2 -> map f64.exp xs
  case 3 -> map f64.log xs
  case 4 -> map f64.log2 xs
  case 5 -> map f64.log10 xs
  case 6 -> map f64.log1p xs
  case 7 -> map f64.sin xs
  case 8 -> map f64.cos xs
  case 9 -> map f64.tan xs
  case 10 -> map f64.asin xs
  case 11 -> map f64.acos xs
  case 12 -> map f64.atan xs
  case 13 -> map f64.sinh xs
  case 14 -> map f64.cosh xs
  case 15 -> map f64.tanh xs
  case 16 -> map f64.asinh xs
  case 17 -> map f64.acosh xs
  case 18 -> map f64.atanh xs
  case 19 -> map f64.gamma xs
  case 20 -> map f64.lgamma xs
  case 21 -> map f64.erf xs
  case _ -> map f64.erfc xs

entry binary_f32 [n] (which: i64) (xs: [n]f32) (ys: [n]f32) : [n]f32 =
  match which
  case 0 -> map2 (**) xs ys
  case 1 -> map2 f32.atan2 xs ys
  case 2 -> map2 f32.hypot xs ys
  case 3 -> map2 (%) xs ys
  case _ -> map2 (/) xs ys

entry binary_f64 [n] (which: i64) (xs: [n]f64) (ys: [n]f64) : [n]f64 =
  match which
  case 0 -> map2 (**) xs ys
  case 1 -> map2 f64.atan2 xs ys
  case 2 -> map2 f64.hypot xs ys
  case 3 -> map2 (%) xs ys
  case _ -> map2 (/) xs ys
