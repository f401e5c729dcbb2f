-- Scans and filters long enough that tasks share them, beside what they give by formulas.
-- ==
-- entry: sums maxima recurrence between_flags rows of_arrays kept parts
-- input { 0 }
-- output { true }
-- input { 1 }
-- output { true }
-- input { 300007 }
-- output { true }

entry sums (n: i64) : bool =
  and (map2 (\s i -> s == i * (i + 1) / 2) (scan (+) 0 (iota n)) (iota n))

entry maxima (n: i64) : bool =
  let xs = map (\i -> f64.i64 (i - i % 7)) (iota n)
  in and (map2 (==) (scan f64.max (-f64.inf) xs) xs)

-- | y[i] = 3 y[i - 1] + 1, in arithmetic that wraps: (3^(i + 1) - 1) / 2.
entry recurrence (n: i64) : bool =
  let compose (a: u64, b: u64) (c, d) = (a * c, b * c + d)
  let ys = map (.1) (scan compose (1, 0) (replicate n (3, 1)))
  in and (map (\i -> if i == 0 then ys[0] == 1 else ys[i] == 3 * ys[i - 1] + 1) (iota n))

entry between_flags (n: i64) : bool =
  let flags = map (\i -> i % 1009 == 0) (iota n)
  let add (f, a) (g, b) = (f || g, if g then b else a + b)
  in and (map2 (\(_, s) i -> s == i % 1009)
               (scan add (false, 0) (zip flags (map (\i -> i64.bool (i % 1009 != 0)) (iota n))))
               (iota n))

-- Two long rows.
entry rows (n: i64) : bool =
  and (map2 (\row k -> and (map2 (\s i -> s == k * (i + 1)) row (iota n)))
            (map (\k -> scan (+) 0 (replicate n k)) [1, 2])
            [1, 2])

entry of_arrays (n: i64) : bool =
  and (map2 (\s i -> s[0] == i + 1 && s[1] == i * (i + 1) / 2)
            (scan (map2 (+)) [0, 0] (map (\i -> [1, i]) (iota n)))
            (iota n))

entry kept (n: i64) : bool =
  let xs = filter (\i -> i % 3 == 1) (iota n)
  in length xs == (n + 1) / 3 && and (map2 (\x i -> x == 3 * i + 1) xs (indices xs))

entry parts (n: i64) : bool =
  let (a, b, c) = partition2 (\i -> i % 3 == 1) (\i -> i % 3 == 0) (iota n)
  let is k xs = and (map2 (\x i -> x == 3 * i + k) xs (indices xs))
  in length a + length b + length c == n && is 1 a && is 0 b && is 2 c
