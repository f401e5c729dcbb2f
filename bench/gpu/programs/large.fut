-- Large scans, reductions, histograms and moves that check themselves: each entry point gives how
-- many of its elements are wrong.

import "data"

def wrong = \bad -> i64.sum (map i64.bool bad)

-- | A scan is right where each element follows from the one before it.
def scan_is_right [n] 't (equal: t -> t -> bool) (op: t -> t -> t) (xs: [n]t) (ys: [n]t) : i64 =
  wrong (tabulate n (\i -> !(equal ys[i] (if i == 0 then xs[0] else op ys[i - 1] xs[i]))))

entry scan_i32 (n: i64) : i64 =
  let xs = map (\i -> i32.u32 (hash i)) (iota n)
  in scan_is_right (==) (+) xs (scan (+) 0 xs)

entry scan_f32_max (n: i64) : i64 =
  let xs = map (\i -> number i * f32.i64 i) (iota n)
  in scan_is_right (==) f32.max xs (scan f32.max (-f32.inf) xs)

-- | Functions x ↦ a x + b of integers, which do not commute.
entry scan_pairs (n: i64) : i64 =
  let after (a: i64, b: i64) (c, d) = (a * c, b * c + d)
  let fs = map (\i -> (i64.u32 (hash i) | 1, i)) (iota n)
  in scan_is_right (==) after fs (scan after (1, 0) fs)

entry scan_flagged (n: i64) : i64 =
  let join (f, x: i32) (g, y) = (f || g, if g then y else x + y)
  let xs = map (\i -> (hash i % 1000 == 0, i32.i64 i)) (iota n)
  in scan_is_right (\a b -> a.1 == b.1) join xs (scan join (false, 0) xs)

entry sum (n: i64) : i64 =
  let found = reduce (+) 0 (map (\i -> i * 3 + 1) (iota n))
  in i64.bool (found != 3 * (n * (n - 1) / 2) + n)

entry arg_max (n: i64) : i64 =
  let peak = n / 3
  let better (x: i64, i: i64) (y, j) = if x > y || (x == y && i < j) then (x, i) else (y, j)
  let (_, at) = reduce_comm better (-1, n) (map (\i -> (if i < peak then i else 2 * peak - i, i)) (iota n))
  in i64.bool (at != peak)

entry kept (n: i64) : i64 =
  let found = filter (\i -> i % 3 == 0) (iota n)
  in i64.bool (length found != (n + 2) / 3) + wrong (map2 (\i x -> x != 3 * i) (indices found) found)

entry parted (n: i64) : i64 =
  let (even, odd) = partition (\i -> i % 2 == 0) (iota n)
  in wrong (map2 (\i x -> x != 2 * i) (indices even) even)
     + wrong (map2 (\i x -> x != 2 * i + 1) (indices odd) odd)

-- Histograms, by hardware's additions, by compare-and-swap, and under locks.

entry counts (bins: i64) (n: i64) : i64 =
  let found = reduce_by_index (replicate bins 0i32) (+) 0 (map (% bins) (iota n)) (replicate n 1)
  in wrong (map2 (\b x -> i64.i32 x != (n - b + bins - 1) / bins) (iota bins) found)

entry greatest (bins: i64) (n: i64) : i64 =
  let found =
    reduce_by_index (replicate bins (-f32.inf))
                    f32.max
                    (-f32.inf)
                    (map (% bins) (iota n))
                    (map (\i -> f32.i64 (i % 16777216)) (iota n))
  let last b = let i = n - 1 - (n - 1 - b) % bins in i64.min i 16777215
  in wrong (map2 (\b x -> !(x <= 16777215 && (n > 16777216 || x == f32.i64 (last b)))) (iota bins) found)

entry arg_greatest (bins: i64) (n: i64) : i64 =
  let better (x: i64, i: i64) (y, j) = if x > y || (x == y && i < j) then (x, i) else (y, j)
  let found =
    reduce_by_index (replicate bins (-1, -1))
                    better
                    (-1, -1)
                    (map (% bins) (iota n))
                    (map (\i -> (i, i)) (iota n))
  in wrong (map2 (\b (x, i) -> x != i || i != n - 1 - (n - 1 - b) % bins) (iota bins) found)

-- | Under locks: a sum modulo a prime, and how many there were.
entry locked (bins: i64) (n: i64) : i64 =
  let prime = 1000003
  let join (a: i64, b: i64, c: i64) (a', b', c') = ((a + a') % prime, b + b', i64.max c c')
  let found =
    reduce_by_index (replicate bins (0, 0, -1))
                    join
                    (0, 0, -1)
                    (map (% bins) (iota n))
                    (map (\i -> (1, i, i)) (iota n))
  let count b = (n - b + bins - 1) / bins
  let right b (a, s, top) =
    let k = count b
    in a == k % prime && s == k * b + bins * (k * (k - 1) / 2) && top == b + bins * (k - 1)
  in wrong (map2 (\b x -> !(right b x)) (iota bins) found)

entry turned (n: i64) (m: i64) : i64 =
  let xs = tabulate_2d n m (\i j -> i32.i64 (i * m + j))
  let ys = #[opaque] transpose xs
  in wrong (flatten (tabulate_2d m n (\j i -> ys[j, i] != i32.i64 (i * m + j))))

entry scattered (n: i64) : i64 =
  -- An odd factor is a permutation where n is a power of two.
  let places = map (\i -> (i * 40503) % n) (iota n)
  let xs = scatter (replicate n (-1)) places (iota n)
  in wrong (map2 (\place i -> xs[place] != i) places (iota n))

entry product (n: i64) : i64 =
  let a = tabulate_2d n n (\i j -> i32.u32 (hash (i * n + j)) % 100)
  let b = tabulate_2d n n (\i j -> i32.u32 (hash (i + n * j)) % 100)
  let c = map (\row -> map (\column -> reduce (+) 0 (map2 (*) row column)) (transpose b)) a
  -- (A B) x = A (B x)
  let x = map (\i -> i32.u32 (hash i) % 10) (iota n)
  let by (m: [n][n]i32) (x: [n]i32) = map (\row -> loop sum = 0 for j < n do sum + row[j] * x[j]) m
  in wrong (map2 (!=) (by c x) (by a (by b x)))
