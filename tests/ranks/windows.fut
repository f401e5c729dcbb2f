-- Points that read rows beside their own: a rank is sent the rows that it lacks, by the ranks that have
-- them, in a message from each.  Counted is what the first of four hands over: it has a neighbour on
-- one side alone, or on two where rows are counted modulo their number.
--
-- Two messages of one number a step, and the rows of the result.
-- counts: ring: 10i64 [1000]f64: agree 1 8, windows 10 160 20
-- One message of a row of five numbers a step.
-- counts: diffused: 10i64 [1000][5]f64: agree 1 8, windows 10 400 10
-- Forwards a step is sent a row beside its own, and backwards what it added to that.
-- counts: diffused_back: 10i64 [1000][5]f64: add_rows 10 400 10, agree 1 8, collect 1 8, windows 10 400 10
-- counts on sim: diffused_back: 10i64 [1000][5]f64: agree 22 176, collect 1 8, gather 10 100000, windows 10 400 10
-- Two fields of a wave, in one message; the speed is sent once, not by the first rank.
-- counts: wave: 10i64 [1000]f64 [1000]f64: agree 1 8, windows 11 160 10
-- ==
-- entry: ring wide ahead
-- random input { 4i64 [17]f64 } auto output
-- random input { 4i64 [5]f64 } auto output
-- random input { 4i64 [2]f64 } auto output
-- random input { 4i64 [1]f64 } auto output
-- random input { 4i64 [0]f64 } auto output

-- ==
-- entry: diffused diffused_back
-- random input { 3i64 [13][4]f64 } auto output
-- random input { 3i64 [2][4]f64 } auto output
-- random input { 3i64 [1][4]f64 } auto output
-- random input { 3i64 [0][4]f64 } auto output
-- random input { 0i64 [13][4]f64 } auto output

-- ==
-- entry: wave
-- random input { 4i64 [17]f64 [17]f64 } auto output
-- random input { 4i64 [2]f64 [2]f64 } auto output

-- ==
-- entry: life sliced padded inner between differences
-- random input { [31]i64 } auto output
-- random input { [4]i64 } auto output
-- random input { [3]i64 } auto output
-- random input { [2]i64 } auto output

-- ==
-- entry: checked
-- input { empty([0]i64) } error: out of bounds
-- input { [3i64, 4i64, -6000i64] } error: out of bounds
-- input { [3i64, 4i64, 5i64, 6i64, -6000i64, 7i64, 8i64, 9i64, 1i64, 2i64, 3i64, 4i64, 5i64] } error: out of bounds
-- input { [3i64, 4i64, -60i64, 9i64] } output { -90i64 }

-- ==
-- entry: scattered_around added_around added_at_both
-- random input { [31]i64 } auto output
-- random input { [3]i64 } auto output
-- random input { [1]i64 } auto output
-- random input { [0]i64 } auto output

-- ==
-- entry: ring_back wide_back
-- random input { 4i64 [17]f64 } auto output
-- random input { 4i64 [5]f64 } auto output
-- random input { 4i64 [2]f64 } auto output
-- random input { 4i64 [1]f64 } auto output

-- ==
-- entry: running_after
-- random input { [31]i64 } auto output
-- random input { [1]i64 } auto output

def ring_step [n] (u: [n]f64) : [n]f64 =
  map3 (\l c r -> c + 0.1 * (l + r - 2 * c)) (rotate (-1) u) u (rotate 1 u)

entry ring [n] (steps: i64) (u: [n]f64) : [n]f64 = loop u for _i < steps do ring_step u

-- Of several ranks where they have few rows.
entry wide [n] (steps: i64) (u: [n]f64) : [n]f64 =
  loop u for _i < steps do
    map (\i -> f64.sum (map (\k -> u[(i + k - 2) % n]) (iota 5)) / 5 + u[i64.min (i + 3) (n - 1)])
        (iota n)

-- Only rows behind its own.
entry ahead [n] (steps: i64) (u: [n]f64) : [n]f64 =
  loop u for _i < steps do map2 (\a b -> a / 2 + b) (rotate 2 u) (rotate 3 u)

def diffused_step [n] [m] (u: [n][m]f64) : [n][m]f64 =
  tabulate_2d n m (\i j ->
                     let up = u[i64.max 0 (i - 1), j]
                     let down = u[i64.min (n - 1) (i + 1), j]
                     let left = u[i, i64.max 0 (j - 1)]
                     let right = u[i, i64.min (m - 1) (j + 1)]
                     in u[i, j] + 0.1 * (up + down + left + right - 4 * u[i, j]))

entry diffused [n] [m] (steps: i64) (u: [n][m]f64) : [n][m]f64 =
  loop u for _i < steps do diffused_step u

entry diffused_back [n] [m] (steps: i64) (u: [n][m]f64) : (f64, [n][m]f64) =
  vjp2 (\u -> f64.sum (map (\row -> f64.sum (map (** 2) row)) (diffused steps u))) u 1

entry wave [n] (steps: i64) (u: [n]f64) (v: [n]f64) : ([n]f64, [n]f64) =
  let speed = map (\x -> 1 + f64.cos x) u
  in loop (u, v) for _i < steps do
       let at (x: [n]f64) i = x[i64.max 0 (i64.min (n - 1) i)]
       let w = map (\i -> v[i] + at speed (i + 1) * (at u (i - 1) - 2 * u[i] + at u (i + 1))) (iota n)
       in (map2 (\x y -> x + 0.1 * y) u w, map (\i -> 0.5 * w[i] + 0.25 * at v (i - 1)) (iota n))

-- Bit for bit, by integers.
entry life [n] (cells: [n]i64) : [n]i64 =
  loop cells for _i < 5 do
    map3 (\l c r -> (l + 3 * c + r) %% 1000003) (rotate (-1) cells) cells (rotate 1 cells)

-- The ranks agree that nobody failed.
entry checked [n] (xs: [n]i64) : i64 =
  let ys = map (\x -> x * 2) xs
  let zs = map (\i -> ys[i64.max 0 (i - 1)] + (if ys[i] < -10000 then ys[i + n] else 1)) (iota n)
  in i64.sum zs + ys[0]

entry sliced [n] (xs: [n]i64) : [n]i64 =
  let ys = map (\x -> x %% 1000) xs
  in map (\i -> if i > 0 && i < n - 1 then i64.sum ys[i - 1:i + 2] else ys[i]) (iota n)

entry padded [n] (xs: [n]i64) : [n]i64 =
  let ys = map (\x -> x %% 1000) xs
  in map (\i -> (if i > 0 then ys[i - 1] else 0) - (if i + 2 < n then ys[i + 2] else 7)) (iota n)

-- Fewer points than rows.
entry inner [n] (xs: [n]i64) : [n - 2]i64 =
  let ys = map (\x -> x %% 1000) xs
  in map (\i -> ys[i] - 2 * ys[i + 1] + ys[i + 2]) (iota (n - 2))

entry between [n] (xs: [n]i64) : i64 =
  let ys = map (\x -> x %% 1000) xs
  in i64.sum (map (\i -> ys[i] * ys[i + 1]) (iota (n - 1)))

entry differences [n] (xs: [n]i64) : ([]i64, i64) =
  let ys = scan (+) 0 (map (\x -> x %% 1000) xs)
  let ds = map2 (-) (tail ys) (init ys)
  in (ds, reduce i64.max 0 ds)

-- Additions to rows beside one's own.
entry scattered_around [n] (xs: [n]i64) : [n]i64 =
  let ys = map (\x -> x %% 1000) xs
  in reduce_by_index (replicate n 5) (+) 0 (map (\i -> i + 1) (iota n)) ys

entry added_around [n] (xs: [n]i64) : [n]i64 =
  vjp (\xs -> i64.sum (map3 (\a b c -> a * b + c * c) (rotate 1 xs) (rotate (-2) xs) xs)) xs 1

entry added_at_both [n] (xs: [n]i64) : [n]i64 =
  vjp (\xs -> i64.sum (map (\i -> xs[i64.max 0 (i - 2)] * xs[i64.min (n - 1) (i + 1)]) (iota n))) xs 1

entry ring_back [n] (steps: i64) (u: [n]f64) : [n]f64 =
  vjp (\u -> f64.sum (map (** 2) (ring steps u))) u 1

entry wide_back [n] (steps: i64) (u: [n]f64) : [n]f64 =
  vjp (\u -> f64.sum (map (** 2) (wide steps u))) u 1

-- A scan and a window of its results.
entry running_after [n] (xs: [n]i64) : [n]i64 =
  let sums = scan (+) 0 (map (\x -> x %% 1000) xs)
  in map (\i -> sums[i] - sums[i64.max 0 (i - 3)]) (iota n)
