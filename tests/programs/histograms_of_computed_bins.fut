-- | Bins that take arithmetic, with values that take none: read, constant, counted, or made where
-- what they are read from was.

def mixed (i: i64) : i64 =
  let x = i * 2654435761 + 12345
  let x = (x ^ (x >> 7)) * 40503
  in (x ^ (x >> 11)) & 1023

def bin (bins: i64) (i: i64) : i64 = mixed i * bins >> 10

def by_loop [n] (bins: i64) (first: i64) (values: [n]i64) : [bins]i64 =
  loop sums = replicate bins 0
  for i < n do
    let b = bin bins (i + first) in sums with [b] = sums[b] + values[i]

def equal [n] (xs: [n]i64) (ys: [n]i64) : bool = and (map2 (==) xs ys)

-- ==
-- entry: histograms segments gradients
-- input { 0i64 3i64 } output { true }
-- input { 1i64 3i64 } output { true }
-- input { 255i64 7i64 } output { true }
-- input { 257i64 7i64 } output { true }
-- input { 10000i64 13i64 } output { true }
-- input { 300i64 2000i64 } output { true }
entry histograms (n: i64) (bins: i64) : bool =
  let xs = opaque (map (\i -> i * i % 101) (iota n))
  let right first values =
    equal (hist (+) 0 bins (map (\i -> bin bins (i + first)) (iota n)) values)
          (by_loop bins first values)
  in right 0 xs
     && right 1 (reverse xs)
     && right 2 (replicate n 1)
     && right 3 (replicate n bins)
     && right 4 (iota n)
     && right 5 (map (\i -> xs[mixed i % n]) (iota n))

entry segments (n: i64) (bins: i64) : bool =
  let rows = opaque (tabulate_2d 3 n (\r i -> (r + 2) * i % 101))
  let sums = map (\row -> hist (+) 0 bins (map (bin bins) (iota n)) row) rows
  in and (map2 (\row sum -> equal sum (by_loop bins 0 row)) rows sums)

-- Each point adds what it reads and gives something else, for which the array it reads is free.
entry gradients (n: i64) (bins: i64) : bool =
  let f (ws: [bins]f64) (xs: [n]f64) =
    f64.sum (map2 (\i x -> ws[bin bins i] * x) (iota n) xs)
  let (ws, xs) = (map f64.i64 (iota bins), map (\i -> f64.i64 (i % 17)) (iota n))
  let (dws, dxs) = vjp (\(ws, xs) -> f ws xs) (ws, xs) 1
  in equal (map i64.f64 dws) (by_loop bins 0 (map i64.f64 xs))
     && and (map2 (\i d -> d == ws[bin bins i]) (iota n) dxs)
