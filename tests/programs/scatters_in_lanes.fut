-- Scatters of as many elements as blocks of lanes have, or a few more or less, some outside.
-- ==
-- entry: shifted rows pairs kept parted inside_of_two one_place
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 31i64 } output { true }
-- input { 32i64 } output { true }
-- input { 33i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 70001i64 } output { true }

def equal [n] (a: [n]i64) (b: [n]i64) : bool = and (map2 (==) a b)

entry shifted (n: i64) : bool =
  let shifts = scatter (replicate n (-7)) (map (+ 3) (iota n)) (iota n)
  in equal shifts (map (\i -> if i < 3 then -7 else i - 3) (iota n))

entry one_place (n: i64) : bool =
  let all = scatter (replicate 3 7) (replicate n 1) (replicate n 9)
  in equal all [7, if n > 0 then 9 else 7, 7]

entry rows (n: i64) : bool =
  let places = map (\i -> if i % 3 == 0 then -1 else (n - 1 - i)) (iota n)
  let found = map (\k -> scatter (replicate n k) places (map (* k) (iota n))) (iota 3)
  in and (tabulate 3 (\k ->
                        equal found[k] (map (\j -> let i = n - 1 - j in if i % 3 == 0 then k else k * i) (iota n))))

entry pairs (n: i64) : bool =
  let (a, b) =
    unzip (scatter (replicate n (0i64, false))
                   (map (\i -> n - 1 - i) (iota n))
                   (map (\i -> (i * i, i % 5 == 0)) (iota n)))
  in equal a (map (\j -> (n - 1 - j) * (n - 1 - j)) (iota n))
     && and (map2 (==) b (map (\j -> (n - 1 - j) % 5 == 0) (iota n)))

entry kept (n: i64) : bool =
  let few = filter (\x -> x % 7 < 3) (iota n)
  in and (map (\i -> few[i] == i / 3 * 7 + i % 3) (indices few))
     && length few == n / 7 * 3 + i64.min 3 (n % 7)

entry parted (n: i64) : bool =
  let (even, odd) = partition (\x -> x % 2 == 0) (iota n)
  in equal even (map (* 2) (indices even)) && equal odd (map (\i -> 2 * i + 1) (indices odd))

entry inside_of_two (n: i64) : bool =
  let a =
    scatter_2d (replicate 3 (replicate n 0i64))
               (map (\i -> (i % 5 - 1, i)) (iota n))
               (map (+ 1) (iota n))
  in and (tabulate 3 (\k -> equal a[k] (map (\i -> if i % 5 == k + 1 then i + 1 else 0) (iota n))))
