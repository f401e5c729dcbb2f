-- Graphs, clouds of points, and what is inferred from data.

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

-- | Steps of Hamiltonian Monte Carlo (Neal 2011) on the weights of a logistic regression.
entry leapfrog [n] [d] (xs: [n][d]f32) (ys: [n]f32) (w: [d]f32) (momentum: [d]f32) : ([d]f32, [d]f32) =
  let one w x y =
    let z = f32.sum (map2 (*) x w)
    in y * z - f32.max z 0 - f32.log1p (f32.exp (-f32.abs z))
  let posterior w = f32.sum (map2 (one w) xs ys) - 0.5 * f32.sum (map (\v -> v * v) w)
  let step: f32 = 0.001
  let kick w momentum = map2 (\p g -> p + step / 2 * g) momentum (vjp posterior w 1)
  in loop (w, momentum) for _i < 20 do
       let half = kick w momentum
       let w = map2 (\v p -> v + step * p) w half
       in (w, kick w half)

-- | The edit distance of two words, whose table is made diagonal by diagonal.
entry edit_distance [n] [m] (a: [n]i32) (b: [m]i32) : i32 =
  let none = replicate (n + 1) 0i32
  let (_, last) =
    loop (before, now) = (none, none)
    for k < n + m + 1 do
      let at i =
        let j = k - i
        in if j < 0 || j > m
           then 0
           else if i == 0
           then i32.i64 j
           else if j == 0
           then i32.i64 i
           else i32.min (1 + i32.min now[i - 1] now[i])
                        (before[i - 1] + i32.bool (a[i - 1] != b[j - 1]))
      in (now, tabulate (n + 1) at)
  in last[n]
