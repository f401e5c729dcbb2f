-- Threads that work together in blocks, at barriers, while the elements they compute need arrays of
-- their own: of a size that the host knows, and of one that only the element knows.
-- ==
-- entry: sum_of_sorted sum_of_ragged
-- input { 0i64 50i64 } output { true }
-- input { 10i64 400i64 } output { true }
-- input { 10000i64 40i64 } output { true }

-- ==
-- entry: sums_of_rows
-- input { 3i64 1000i64 60i64 } output { true }
-- input { 400i64 70i64 17i64 } output { true }

-- ==
-- entry: scanned
-- input { 1i64 3i64 } output { true }
-- input { 5000i64 40i64 } output { true }

-- ==
-- entry: counted
-- input { 6000i64 40i64 } output { true }

-- x mod m, found by walking an array of m numbers turned by x.
def by_array (m: i64) (x: i64) : i64 =
  let turned = loop a = replicate m 0 for i < m do a with [(i + m - x % m) % m] = i
  in loop found = -1 for i < m do if i == 0 then turned[i] else i64.max found (-1)

def ragged (m: i64) (x: i64) : i64 = by_array (1 + x * 7 % m) x
def straight (m: i64) (x: i64) : i64 = x % (1 + x * 7 % m)

entry sum_of_sorted (n: i64) (m: i64) =
  i64.sum (map (by_array m) (iota n)) == i64.sum (map (% m) (iota n))

entry sum_of_ragged (n: i64) (m: i64) =
  i64.sum (map (ragged m) (iota n)) == i64.sum (map (straight m) (iota n))

entry sums_of_rows (rows: i64) (n: i64) (m: i64) =
  let of_rows f = tabulate rows (\r -> i64.sum (tabulate n (\i -> f m (r * n + i))))
  in and (map2 (==) (of_rows ragged) (of_rows straight))
     && and (map2 (==) (of_rows by_array) (of_rows (\m x -> x % m)))

-- An operator that does not commute, and elements that may fail.
entry scanned (n: i64) (m: i64) =
  let compose (a, b) (c, d) = (a * c % 1009, (b * c + d) % 1009)
  let of f = scan compose (1, 0) (tabulate n (\i -> let x = f m i in (1 + x % 1008, assert (x >= 0) x)))
  in and (map2 (\(a, b) (c, d) -> a == c && b == d) (of ragged) (of straight))

entry counted (n: i64) (m: i64) =
  let pairs f =
    reduce_by_index (replicate 20 (0, i64.lowest))
                    (\(a, b) (c, d) -> (a + c, i64.max b d))
                    (0, i64.lowest)
                    (tabulate n (% 20))
                    (tabulate n (\i -> let x = f m i in (x, i - x)))
  let same = map2 (\(a, b) (c, d) -> a == c && b == d) (pairs ragged) (pairs straight)
  let sums f = reduce_by_index (replicate 20 0) (+) 0 (tabulate n (% 20)) (tabulate n (f m))
  in and same && and (map2 (==) (sums by_array) (sums (\m x -> x % m)))
