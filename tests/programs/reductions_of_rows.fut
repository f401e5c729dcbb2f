-- Reductions of rows: with operators that work element by element, where on a GPU each element is
-- reduced on its own, and with others; of many rows, of few and of none.
-- ==
-- entry: sums
-- input { 4000i64 3i64 } output { true }
-- input { 50i64 200i64 } output { true }
-- input { 0i64 5i64 } output { true }
-- input { 7i64 0i64 } output { true }

-- ==
-- entry: sums_of_planes
-- input { 900i64 } output { true }

-- ==
-- entry: sums_and_largest
-- input { 3000i64 4i64 } output { true }

-- ==
-- entry: in_segments
-- input { 6i64 700i64 5i64 } output { true }

-- ==
-- entry: products
-- input { 5000i64 3i64 } output { true }
-- input { 1i64 2i64 } output { true }
-- input { 0i64 2i64 } output { true }

def value (i: i64) (j: i64) : i64 = (i * 37 + j * 11) % 101

entry sums (n: i64) (d: i64) =
  let rows = tabulate_2d n d value
  let found = reduce (map2 (+)) (replicate d 0) rows
  in and (map2 (==) found (tabulate d (\j -> loop sum = 0 for i < n do sum + value i j)))

entry sums_of_planes (n: i64) =
  let planes = tabulate n (\i -> tabulate_2d 3 4 (\j k -> value i (4 * j + k)))
  let found = reduce (map2 (map2 (+))) (replicate 3 (replicate 4 0)) planes
  in and (map2 (==)
               (flatten found)
               (tabulate (3 * 4) (\j -> loop sum = 0 for i < n do sum + value i j)))

-- The operator gets what stands before as its first argument.
entry sums_and_largest (n: i64) (d: i64) =
  let rows = tabulate_2d n d (\i j -> (value i j, i))
  let further = map2 (\(a, i) (b, j) -> if a >= b then (a, i) else (b, j))
  let found = reduce further (replicate d (-1, -1)) rows
  let wanted =
    tabulate d (\j ->
                  loop (a, at) = (-1, -1)
                  for i < n do
                    let b = value i j in if a >= b then (a, at) else (b, i))
  in and (map2 (==) found wanted)

entry in_segments (m: i64) (n: i64) (d: i64) =
  let rows = tabulate_3d m n d (\k i j -> value (k + i) j)
  let found = map (reduce (map2 (+)) (replicate d 0)) rows
  let wanted = tabulate_2d m d (\k j -> loop sum = 0 for i < n do sum + value (k + i) j)
  in and (map2 (==) (flatten found) (flatten wanted))

-- Products of matrices modulo 97, which do not commute.
entry products (n: i64) (d: i64) =
  let times (a: [d][d]i64) (b: [d][d]i64) : [d][d]i64 =
    map (\row -> map (\column -> i64.sum (map2 (*) row column) % 97) (transpose b)) a
  let unit = tabulate_2d d d (\i j -> if i == j then 1 else 0)
  let matrices = tabulate n (\i -> tabulate_2d d d (\j k -> value i (j * d + k) % 97))
  let found = reduce times unit matrices
  let wanted = loop product = unit for i < n do times product matrices[i]
  in and (map2 (==) (flatten found) (flatten wanted))
