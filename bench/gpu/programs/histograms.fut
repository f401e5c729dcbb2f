-- Histograms by bins and operator.

import "data"

entry keys = places
entry floats = numbers

entry counts [n] (bins: i64) (keys: [n]i64) : [bins]i32 =
  reduce_by_index (replicate bins 0) (+) 0 keys (replicate n 1)

entry weights [n] (bins: i64) (keys: [n]i64) (xs: [n]f32) : [bins]f32 =
  reduce_by_index (replicate bins 0) (+) 0 keys xs

entry greatest [n] (bins: i64) (keys: [n]i64) (xs: [n]f32) : [bins]f32 =
  reduce_by_index (replicate bins (-f32.inf)) f32.max (-f32.inf) keys xs

entry arg_greatest [n] (bins: i64) (keys: [n]i64) (xs: [n]f32) : ([bins]f32, [bins]i64) =
  let better (x: f32, i: i64) (y, j) = if x > y || (x == y && i < j) then (x, i) else (y, j)
  in unzip (reduce_by_index (replicate bins (-f32.inf, -1)) better (-f32.inf, -1) keys (zip xs (iota n)))
