-- How many there are of each.

entry counts [n] (bins: i64) (keys: [n]i64) : [bins]i32 =
  reduce_by_index (replicate bins 0) (+) 0 keys (replicate n 1)

entry weights [n] (bins: i64) (keys: [n]i64) (xs: [n]f64) : [bins]f64 =
  reduce_by_index (replicate bins 0) (+) 0 keys xs
