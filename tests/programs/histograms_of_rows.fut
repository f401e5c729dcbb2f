-- Histograms of rows give what loops give: bins in one and two dimensions, bins that are not there,
-- pairs of rows, and more elements in all bins than the memory of a block has room for.
-- ==
-- entry: sums in_planes products
-- input { 0i64 5i64 3i64 } output { true }
-- input { 100i64 5i64 0i64 } output { true }
-- input { 100i64 5i64 1i64 } output { true }
-- input { 1000i64 7i64 33i64 } output { true }
-- input { 300i64 400i64 40i64 } output { true }

-- Numbers without a pattern.
def number (i: i64) (j: i64) : i64 =
  let x = (i * 31 + j + 1) * 2654435761 in (x ^ (x >> 15)) % 1009

def rows_of (n: i64) (d: i64) : [n][d]i64 = tabulate_2d n d number

-- Some are outside.
def bins_of (n: i64) (k: i64) : [n]i64 = tabulate n (\i -> number i 7 % (k + 2) - 1)

def binned [n] [d] 'a (k: i64) (op: a -> a -> a) (ne: a) (bins: [n]i64) (rows: [n][d]a) : [k][d]a =
  loop all = replicate k (replicate d ne)
  for i < n do
    if bins[i] < 0 || bins[i] >= k
    then all
    else all with [bins[i]] = map2 op (copy all[bins[i]]) rows[i]

def is_same [k] [d] 'a (equal: a -> a -> bool) (as: [k][d]a) (bs: [k][d]a) : bool =
  and (map and (map2 (map2 equal) as bs))

entry sums (n: i64) (k: i64) (d: i64) : bool =
  let (bins, rows) = (bins_of n k, rows_of n d)
  let found =
    reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) bins rows
  in is_same (==) found (binned k (+) 0 bins rows)

entry in_planes (n: i64) (k: i64) (d: i64) : bool =
  let (bins, rows) = (bins_of n (2 * k), rows_of n d)
  let places = map (\bin -> (bin / 2, bin % 2)) bins
  let found =
    reduce_by_index_2d (replicate k (replicate 2 (replicate d i64.highest)))
                       (map2 i64.min)
                       (replicate d i64.highest)
                       places
                       rows
  in is_same (==) (flatten found) (binned (k * 2) i64.min i64.highest bins rows)

-- Products of complex numbers, which no atomic instruction makes.
entry products (n: i64) (k: i64) (d: i64) : bool =
  let (bins, rows) = (bins_of n k, map (map (\x -> (x % 3, x))) (rows_of n d))
  let equal (a, b) (c, d) = a == c && b == d : bool
  let times (a, b) (c, d) = (a * c - b * d, a * d + b * c) : (i64, i64)
  let found =
    reduce_by_index (replicate k (replicate d (1, 0)))
                    (map2 times)
                    (replicate d (1, 0))
                    bins
                    rows
  in is_same equal found (binned k times (1, 0) bins rows)
