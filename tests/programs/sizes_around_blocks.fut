-- | Scans and reductions of sizes around those of warps, blocks and tiles, checked by what defines
-- them: each element of a scan follows from the one before, and a reduction is a scan's last.

-- Composition of x ↦ a x + b, which is associative and does not commute.
def compose ((a, b): (i64, i64)) ((c, d): (i64, i64)) : (i64, i64) = (c * a, c * b + d)

def element (i: i64) : (i64, i64) = (2 * (i % 5) + 1, i % 7 - 3)

def is_scan [n] 't (same: t -> t -> bool) (op: t -> t -> t) (xs: [n]t) (ys: [n]t) : bool =
  all (\i -> same ys[i] (if i == 0 then xs[0] else op ys[i - 1] xs[i])) (iota n)

def equal (a: (i64, i64)) (b: (i64, i64)) : bool = a.0 == b.0 && a.1 == b.1

-- | One long segment.
-- ==
-- entry: long
-- input { 0i64 } output { true true true }
-- input { 1i64 } output { true true true }
-- input { 31i64 } output { true true true }
-- input { 32i64 } output { true true true }
-- input { 33i64 } output { true true true }
-- input { 255i64 } output { true true true }
-- input { 256i64 } output { true true true }
-- input { 257i64 } output { true true true }
-- input { 2047i64 } output { true true true }
-- input { 2049i64 } output { true true true }
-- input { 2303i64 } output { true true true }
-- input { 2304i64 } output { true true true }
-- input { 2305i64 } output { true true true }
-- input { 4608i64 } output { true true true }
-- input { 5000i64 } output { true true true }
-- input { 100000i64 } output { true true true }
entry long (n: i64) : (bool, bool, bool) =
  let xs = map element (iota n)
  let ys = scan compose (1, 0) xs
  let total = reduce compose (1, 0) xs
  let sums = scan (+) 0 (iota n)
  in ( is_scan equal compose xs ys
     , if n == 0 then equal total (1, 0) else equal total ys[n - 1]
     , all (\i -> sums[i] == i * (i + 1) / 2) (iota n)
       && i64.sum (iota n) == n * (n - 1) / 2
       && i32.maximum (map i32.i64 (iota n)) == (if n == 0 then i32.lowest else i32.i64 n - 1)
     )

-- | Segments: few and long, many and short, and in between.
-- ==
-- entry: segments
-- input { 1i64 70000i64 } output { true true true }
-- input { 3i64 2305i64 } output { true true true }
-- input { 3i64 1024i64 } output { true true true }
-- input { 3i64 1025i64 } output { true true true }
-- input { 9i64 257i64 } output { true true true }
-- input { 17i64 33i64 } output { true true true }
-- input { 17i64 31i64 } output { true true true }
-- input { 5000i64 1i64 } output { true true true }
-- input { 5000i64 2i64 } output { true true true }
-- input { 3000i64 40i64 } output { true true true }
-- input { 5i64 0i64 } output { true true true }
-- input { 0i64 5i64 } output { true true true }
entry segments (m: i64) (n: i64) : (bool, bool, bool) =
  let rows = tabulate_2d m n (\i j -> element (3 * i + j))
  let scans = map (scan compose (1, 0)) rows
  let totals = map (reduce compose (1, 0)) rows
  let columns = map (\column -> i64.sum (map (.1) column)) (transpose rows)
  in ( and (map2 (is_scan equal compose) rows scans)
     , and (map2 (\total ys -> if n == 0 then equal total (1, 0) else equal total (last ys))
                 totals
                 scans)
     , i64.sum columns == i64.sum (map (.1) (flatten rows))
     )

-- | Elements of several types at once, kept values, and results computed from a scan's.
-- ==
-- entry: mixed
-- input { 256i64 } output { true true }
-- input { 1279i64 } output { true true }
-- input { 1281i64 } output { true true }
-- input { 30000i64 } output { true true }
entry mixed (n: i64) : (bool, bool) =
  let flags = map (\i -> i % 10 == 0) (iota n)
  let segmented =
    scan (\(f: bool, a: f64, c: i8) (g, b, d) -> (f || g, if g then b else a + b, i8.max c d))
         (false, 0, i8.lowest)
         (map2 (\f i -> (f, f64.i64 i, i8.i64 (i % 100))) flags (iota n))
  let evens = filter (\i -> i % 2 == 0) (iota n)
  in ( and (map2 (\(_, s, c) i ->
                    let start = i / 10 * 10
                    in s == f64.i64 ((start + i) * (i - start + 1) / 2)
                       && c == i8.i64 (i64.min i 99))
                 segmented
                 (iota n))
     , and (map2 (\e i -> e == 2 * i) evens (indices evens))
     )

-- | A scan whose elements may fail to be computed.
-- ==
-- entry: checked
-- input { 10i64 } output { true }
-- input { 6000i64 } output { true }
-- input { -6000i64 } error: Index \[-1\] out of bounds
entry checked (n: i64) : bool =
  let size = i64.abs n
  let positions = map (\i -> if n < 0 && i == 5000 then -1 else (i * 7) % size) (iota size)
  let table = map (* 3) (iota size)
  let sums = scan (+) 0 (map (\p -> #[sequential] table[p]) positions)
  in is_scan (==) (+) (map (* 3) positions) sums

-- | Reductions of values that need memory of their own to be computed.
-- ==
-- entry: with_private_arrays
-- input { 7i64 300i64 } output { true }
-- input { 300i64 40i64 } output { true }
entry with_private_arrays (m: i64) (n: i64) : bool =
  let walk (k: i64) : i64 =
    let buffer = loop b = replicate n 0 for i < n do b with [(i * k) % n] = b[i] + i
    in buffer[n - 1] + buffer[0]
  let sum = i64.sum (map walk (iota m))
  let sums = scan (+) 0 (map walk (iota m))
  in sum == sums[m - 1]

-- | Histograms of pairs: few bins and many, one dimension and two, in segments.
-- ==
-- entry: pairs
-- input { 1000i64 7i64 } output { true true }
-- input { 3000i64 2000i64 } output { true true }
-- input { 3000i64 1i64 } output { true true }
-- input { 0i64 5i64 } output { true true }
entry pairs (n: i64) (bins: i64) : (bool, bool) =
  let latest (i: i64, a: f64) (j, b) = if i >= j then (i, a) else (j, b)
  let where i = (i * 7) % (bins + 1)
  let found =
    reduce_by_index (replicate bins (-1, 0))
                    latest
                    (-1, 0)
                    (map where (iota n))
                    (map (\i -> (i, f64.i64 (i * i))) (iota n))
  let rows =
    map (\r ->
           reduce_by_index (replicate bins (-1, 0))
                           latest
                           (-1, 0)
                           (map where (iota n))
                           (map (\i -> (i + r, f64.i64 r)) (iota n)))
        (iota 3)
  let last_of b = i64.maximum (map (\k -> if where k == b then k else -1) (iota n))
  let step = i64.max 1 (bins / 50)
  let some = map (* step) (iota (if bins < 50 then bins else 50))
  in ( all (\b ->
              let l = i64.max (-1) (last_of b)
              in found[b].0 == l && found[b].1 == (if l < 0 then 0 else f64.i64 (l * l)))
           some
     , all (\r ->
              all (\b ->
                     let l = i64.max (-1) (last_of b)
                     in rows[r, b].0 == (if l < 0 then -1 else l + r))
                  some)
           (iota 3)
     )

-- | Maps of little work a point, which a thread does several of.
-- ==
-- entry: short_maps
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 255i64 } output { true }
-- input { 256i64 } output { true }
-- input { 257i64 } output { true }
-- input { 1023i64 } output { true }
-- input { 1024i64 } output { true }
-- input { 1025i64 } output { true }
-- input { 5000i64 } output { true }
entry short_maps (n: i64) : bool =
  let xs = opaque (map f64.i64 (iota n))
  let ys = opaque (map2 (\x i -> 2 * x + f64.i64 i) xs (reverse (iota n)))
  in all (\i -> ys[i] == 2 * f64.i64 i + f64.i64 (n - 1 - i)) (iota n)
