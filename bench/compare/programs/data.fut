-- Graphs and clouds of points.

-- | So many steps of a walk that follows edges and, now and then, begins anew anywhere.
entry page_rank [e] [n]
                (steps: i64)
                (sources: [e]i64)
                (targets: [e]i64)
                (degrees: [n]f64)
                : [n]f64 =
  let start = 1 / f64.i64 n
  in loop ranks = replicate n start
     for _i < steps do
       let shares = map2 (/) ranks degrees
       let sums = reduce_by_index (replicate n 0) (+) 0 targets (map (\i -> shares[i]) sources)
       in map (\sum -> 0.15 * start + 0.85 * sum) sums

-- | One round of Lloyd's: each centre goes to the mean of the points that are nearest to it.
entry k_means [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) : [k][d]f32 =
  let distance (p: [d]f32) (c: [d]f32) = reduce (+) 0 (map2 (\a b -> (a - b) * (a - b)) p c)
  let nearer (x: f32, i: i64) (y, j) = if x < y || (x == y && i < j) then (x, i) else (y, j)
  let nearest p = (reduce_comm nearer (f32.inf, k) (zip (map (distance p) centres) (iota k))).1
  let places = map nearest points
  let sums = reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) places points
  let counts = reduce_by_index (replicate k 0) (+) 0 places (replicate n 1)
  in map2 (\sum count -> map (/ f32.max 1 count) sum) sums counts
