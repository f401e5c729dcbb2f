-- Scans and filters that are cut into pieces, against what they are defined by: operators that do not commute, several
-- segments, elements kept by a condition.
-- ==
-- entry: sums least affine of_rows kept parted nothing_before
-- input { 1000000i64 } output { true }
-- input { 999983i64 } output { true }
-- input { 100i64 } output { true }
-- input { 1i64 } output { true }
-- input { 0i64 } output { true }

def values (n: i64) : [n]i32 = map (\i -> i32.i64 ((i * 7919 + 13) % 1009)) (iota n)

entry sums (n: i64) : bool =
  let xs = copy (values n)
  let sums = scan (+) 0 (map i64.i32 xs)
  in and (map (\i -> sums[i] == (if i == 0 then 0 else sums[i - 1]) + i64.i32 xs[i]) (iota n))

entry least (n: i64) : bool =
  let xs = copy (map (\x -> 5000 - x) (values n))
  let least = scan i32.min i32.highest xs
  in and (map (\i -> least[i] == i32.min (if i == 0 then i32.highest else least[i - 1]) xs[i]) (iota n))

-- The composition of functions \x -> a x + b, modulo 2³².
entry affine (n: i64) : bool =
  let xs = copy (values n)
  let steps = map (\x -> (u32.i32 x * 2 + 1, u32.i32 x)) xs
  let all = scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) steps
  in and (map (\i ->
                 let (a, b) = if i == 0 then (1, 0) else all[i - 1]
                 let (c, d) = steps[i]
                 in all[i].0 == a * c && all[i].1 == b * c + d)
              (iota n))

entry of_rows (n: i64) : bool =
  let rows = 3
  let xs = copy (map (\r -> map (\x -> x + i32.i64 r) (values n)) (iota rows))
  let sums = map (scan (+) 0) xs
  in and (map (\r ->
                 and (map (\i -> sums[r, i] == (if i == 0 then 0 else sums[r, i - 1]) + xs[r, i]) (iota n)))
              (iota rows))

entry kept (n: i64) : bool =
  let xs = copy (zip (iota n) (values n))
  let large = filter (\(_, x) -> x > 300) xs
  let count = i64.sum (map (\(_, x) -> i64.bool (x > 300)) xs)
  in length large == count
     && and (map (\k -> large[k].1 > 300 && large[k].1 == xs[large[k].0].1) (indices large))
     && and (map (\k -> k == 0 || large[k - 1].0 < large[k].0) (indices large))

entry parted (n: i64) : bool =
  let xs = copy (iota n)
  let (even, odd) = partition (\i -> i % 3 == 0) xs
  in and (map (\k -> even[k] == 3 * k) (indices even))
     && and (map (\k -> odd[k] == k + k / 2 + 1) (indices odd))
     && length even + length odd == n

-- Exclusive sums, which shift what a scan gives.
entry nothing_before (n: i64) : bool =
  let xs = copy (values n)
  let sums = scan (+) 0 xs
  let before = map2 (-) sums xs
  in and (map (\i -> before[i] == (if i == 0 then 0 else sums[i - 1])) (iota n))
