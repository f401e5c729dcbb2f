-- Results that lie where arrays lie that they replace, and parts of concatenations that are made
-- where they end up: with sizes that blocks of points divide, and others.
-- ==
-- entry: sums_of_products
-- input { 64i64 64i64 } output { true }
-- input { 50i64 50i64 } output { true }
-- input { 17i64 35i64 } output { true }
-- input { 35i64 17i64 } output { true }
-- input { 5i64 16i64 } output { true }
-- input { 4i64 19i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 0i64 0i64 } output { true }
-- ==
-- entry: rows_written
-- input { 64i64 10i64 } output { true }
-- input { 50i64 7i64 } output { true }
-- input { 3i64 50i64 } output { true }
-- ==
-- entry: written_after_a_reader written_twice
-- input { 6i64 } output { [1i64, 4i64, 9i64, 0i64, 1i64, 2i64] }
-- ==
-- entry: neighbours_are_read_first
-- input { 64i64 } output { 1i64 }
-- input { 5i64 } output { 1i64 }
-- ==
-- entry: both_are_needed
-- input { 64i64 } output { 192i64 640i64 }
-- ==
-- entry: starts_are_read_again
-- input { 5i64 } output { [-2i64, -4i64, -6i64, -8i64, 0i64] }
-- ==
-- entry: first_of_each_row
-- input { [[1i64, 4i64, 6i64], [9i64, 2i64, 5i64]] } output { [[0i64, 5i64, 5i64], [0i64, 19i64, 19i64]] }
-- input { [[20i64, 1i64, 9i64, 3i64, 1i64, 2i64, 6i64, 6i64, 30i64]] }
-- output { [[0i64, 1i64, 5i64, 4i64, 3i64, 29i64, 29i64, 29i64, 29i64]] }
-- ==
-- entry: parts
-- input { 3i64 } output { [0i64, 0i64, 1i64, 2i64, 2i64, 4i64, 7i64, 0i64, 1i64, 4i64] 7i64 }
-- input { 0i64 } output { [7i64] 7i64 }
-- ==
-- entry: part_twice
-- input { 2i64 } output { [0i64, 3i64, 0i64, 3i64] }
-- ==
-- entry: parts_of_sizes_known_late
-- input { [3i64, -1i64, 5i64] } output { [6i64, -2i64, 10i64, 3i64, 5i64] }

-- A sum of products that a loop adds to: point by point of what was there before.
entry sums_of_products (n: i64) (m: i64) : bool =
  let a i = tabulate_2d n 9 (\j k -> (i + j * k) % 7)
  let b i = tabulate_2d 9 m (\j k -> (i * j + k) % 5)
  let product a b = map (\row -> map (\column -> i64.sum (map2 (*) row column)) (transpose b)) a
  let sums =
    loop sums = replicate n (replicate m 0)
    for i < 4 do
      map2 (map2 (+)) sums (product (a i) (b i))
  let right j k = i64.sum (tabulate 4 (\i -> i64.sum (map2 (*) (a i)[j] (transpose (b i))[k])))
  in and (flatten (tabulate_2d n m (\j k -> sums[j, k] == right j k)))

-- A product whose rows are made where a loop puts them.
entry rows_written (n: i64) (m: i64) : bool =
  let a = tabulate_2d n 9 (\j k -> f64.i64 (j * k % 7))
  let b = tabulate_2d 9 m (\j k -> f64.i64 (j * 3 + k))
  let element j k = f64.sum (map2 (*) a[j] (transpose b)[k])
  let rows = n / 3
  let made =
    loop all = replicate n (replicate m 0)
    for c < 3 do
      let part =
        map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b))
            a[c * rows:(c + 1) * rows]
      in all with [c * rows:(c + 1) * rows] = part
  in and (flatten (tabulate_2d n m (\j k ->
                                      made[j, k] == if j < 3 * rows then element j k else 0)))

-- What is put into an array must not be there before the array is read.
entry written_after_a_reader (n: i64) : []i64 =
  let half = n / 2
  in loop xs = iota n
     for _i < 1 do
       let part = map (\i -> (i + 1) * (i + 1)) (iota half)
       let before = copy xs[0:half]
       let xs[0:half] = part
       let xs[half:2 * half] = before
       in xs

entry written_twice (n: i64) : []i64 =
  let half = n / 2
  in loop xs = replicate n 7
     for _i < 1 do
       let numbers = map (% half) (iota half)
       let squares = map (\i -> (i + 1) * (i + 1)) (iota half)
       let xs[0:half] = numbers
       let xs[0:half] = squares
       let xs[half:2 * half] = numbers
       in xs

-- The sum stays 1 only if no element is overwritten before its neighbour reads it.
entry neighbours_are_read_first (n: i64) : i64 =
  i64.sum (loop xs = tabulate n (\i -> i64.bool (i == 0))
           for _i < 3 do
             map (\i -> xs[(i + n - 1) % n]) (iota n))

-- What an iteration replaces is read after it, too.
entry both_are_needed (n: i64) : (i64, i64) =
  let ones = replicate n 1
  let (_, before, after) =
    loop (xs, before, _) = (map (* 1) ones, ones, ones)
    for _i < 3 do
      let next = map (+ 1) xs
      in (next, xs, map2 (\x y -> x * 2 + y) xs next)
  in (i64.sum before, i64.sum after)

entry starts_are_read_again (n: i64) : []i64 =
  let start = map (* 2) (iota n)
  in (loop (round, _) = (0i64, start)
      while round < 3 do
        (round + 1, tabulate n (\i -> -start[(i + 1) % n]))).1

entry first_of_each_row [n] [m] (rows: [n][m]i64) : [n][m]i64 =
  let sums = tabulate_2d n m (\i j -> rows[i, j] + rows[i, (j + 1) % m] * rows[i, (j + 2) % m])
  in map (\row -> map (\x -> row[0] % x) row) sums

entry parts (n: i64) : ([]i64, i64) =
  let squares = map (\i -> i * i) (iota n)
  let doubles = tabulate_2d n 2 (\i j -> i * (j + 1))
  let all = flatten doubles ++ [7] ++ squares
  in (all, all[2 * n])

entry part_twice (n: i64) : []i64 =
  let part = map (* 3) (iota n)
  in part ++ part

entry parts_of_sizes_known_late [n] (xs: [n]i64) : []i64 =
  let doubles = map (* 2) xs
  in doubles ++ map (+ 0) (filter (> 0) xs)
