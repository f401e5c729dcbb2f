-- Writes and additions at places that points compute: each rank sends those who have the rows what it
-- has for them, and they write and add.
--
-- The first of four ranks has how many it has for each of the others, 24 bytes; 250 places and values, of
-- 8 bytes each, for the last; and nothing for rows that there are not.
-- counts: permuted: [1000]f64: agree 1 8, deliver 2 4048
-- All its bins are those of the second rank.  Then it tells its sum.
-- counts: many_bins: [1000]f64: agree 1 8, deliver 1 4024, collect 1 8
-- Four steps with the same places, 150 of them for others: these go in the first, and in the others
-- 8 bytes to agree on that.
-- counts: same_places: [1000]f64: agree 1 8, deliver 4 6048
-- Where points have more for rows than there are rows, ranks combine what they have for all of them.
-- counts: few_rows_back: [1000]f64: agree 1 8, reduce 1 8000
-- ==
-- entry: written written_rows written_pairs if_written found
-- random input { [31]i64 [17]f64 } auto output
-- random input { [3]i64 [17]f64 } auto output
-- random input { [31]i64 [2]f64 } auto output
-- random input { [31]i64 [1]f64 } auto output
-- random input { [0]i64 [2]f64 } auto output

-- ==
-- entry: permuted
-- random input { [31]f64 } auto output
-- random input { [2]f64 } auto output

-- ==
-- entry: written_at_two counted_rows
-- random input { [31]i64 [7][4]f64 } auto output
-- random input { [31]i64 [2][4]f64 } auto output
-- random input { [0]i64 [2][4]f64 } auto output

-- ==
-- entry: many_bins same_places few_rows_back
-- random input { [31]f64 } auto output
-- random input { [2]f64 } auto output

-- ==
-- entry: best largest kept_apart
-- random input { 17i64 [31]i64 } auto output
-- random input { 2i64 [31]i64 } auto output
-- random input { 17i64 [3]i64 } auto output
-- random input { 0i64 [3]i64 } auto output

-- ==
-- entry: repeated
-- random input { 5i64 [17]i64 } auto output
-- random input { 5i64 [2]i64 } auto output
-- random input { 0i64 [2]i64 } auto output

-- ==
-- entry: checked_places
-- input { [0i64, 5i64, 2i64, 2i64, 1i64] [1i64, 2i64, 3i64, 4i64, 5i64] }
-- error: Index \[5\] out of bounds for array of shape \[5\]
-- input { [0i64, 4i64, 2i64, 2i64, 1i64] [1i64, 2i64, 3i64, 4i64, 5i64] }
-- output { [3i64, 5i64, 7i64, 5i64, 11i64] }

-- ==
-- entry: chosen_back branches_back
-- random input { [31]i64 [17]f64 } auto output
-- random input { [3]i64 [17]f64 } auto output
-- random input { [31]i64 [2]f64 } auto output
-- random input { [31]i64 [1]f64 } auto output
-- random input { [0]i64 [2]f64 } auto output

-- ==
-- entry: chosen_rows_back chosen_elements_back
-- random input { [31]i64 [7][4]f64 [7]f64 } auto output
-- random input { [31]i64 [2][4]f64 [2]f64 } auto output
-- random input { [2]i64 [7][4]f64 [7]f64 } auto output

-- ==
-- entry: chosen_rows_back
-- random input { [31]i64 [7][0]f64 [7]f64 } auto output

-- ==
-- entry: product_back steps_back
-- random input { 3i64 [17]f64 } auto output
-- random input { 3i64 [2]f64 } auto output
-- random input { 0i64 [5]f64 } auto output

-- ==
-- entry: loops_back
-- random input { 3i64 [31]i64 [17]f64 } auto output
-- random input { 3i64 [31]i64 [2]f64 } auto output
-- random input { 0i64 [31]i64 [5]f64 } auto output
-- random input { -2i64 [31]i64 [5]f64 } auto output

-- ==
-- entry: checked_back
-- input { [0i64, 4i64, 2i64, 5i64, 1i64] [1.0, 2.0, 3.0, 4.0, 5.0] }
-- error: Index \[5\] out of bounds for array of shape \[5\]
-- input { [0i64, -4i64, 2i64, 4i64, 1i64] [1.0, 2.0, 3.0, 4.0, 5.0] }
-- error: Index \[-4\] out of bounds for array of shape \[5\]
-- input { [0i64, 4i64, 2i64, 2i64, 1i64] [1.0, 2.0, 3.0, 4.0, 5.0] }
-- output { [3.0, 6.0, 15.0, 4.0, 15.0] }

-- Places in an array of n, one below it and one behind it; each as often as it comes.
def place (n: i64) (i: i64) : i64 = i %% (n + 2) - 1

-- What is for one place is the same: who writes last is not said.
def places [m] (n: i64) (is: [m]i64) : [m]i64 = map (place n) is

entry written [m] [n] (is: [m]i64) (xs: [n]f64) : [n]f64 =
  let ys = map (* 2) xs
  let js = places n is
  in map (+ 1) (scatter ys js (map (\j -> f64.i64 (j * j)) js))

entry written_rows [m] [n] (is: [m]i64) (xs: [n]f64) : [n][3]f64 =
  let ys = map (\x -> [x, x + 1, x * 2]) xs
  let js = places n is
  in map (map (+ 1)) (scatter ys js (map (\j -> let x = f64.i64 j in [x, x / 2, x - 1]) js))

-- Of different elements, as tuples, and another array at the same places.
entry written_pairs [m] [n] (is: [m]i64) (xs: [n]f64) : ([n]f64, [n][2]f32, [n]bool) =
  let ys = map (\x -> (x * 2, [f32.f64 x, 1])) xs
  let bs = map (> 0.5) xs
  let js = places n is
  let (as, rows) = unzip (scatter ys js (map (\j -> let x = f64.i64 j in (x, [f32.f64 x, 2])) js))
  in (as, rows, map (\b -> !b) (scatter bs js (map (\j -> j % 2 == 0) js)))

-- A permutation of all rows, and one of every other.
entry permuted [n] (xs: [n]f64) : ([n]f64, [n]f64) =
  let ys = map (* 2) xs
  let zs = map (+ 1) xs
  let js = map (\i -> n - 1 - i) (iota n)
  in (scatter (replicate n 0) js ys, scatter (copy zs) (map (* 2) js) ys)

entry many_bins [n] (xs: [n]f64) : f64 =
  let sums = hist (+) 0 100000 (map (\i -> (i * 100 + 25000) % 100000) (iota n)) xs
  in f64.sum (map (\x -> x * x) sums)

entry same_places [n] (xs: [n]f64) : [n]f64 =
  let js = map (\i -> (i * 5 + 3) % n) (iota n)
  in loop ys = xs for _i < 4i64 do
       map2 (\x y -> x / 2 + y) ys (scatter (replicate n 0) js (map (+ 1) ys))

entry few_rows_back [n] (xs: [n]f64) : [n]f64 =
  let f xs = f64.sum (flatten (tabulate_2d n 3 (\i j -> f64.exp xs[(i * 7 + j * 3) % n])))
  in map2 (\x a -> x - a / 8) xs (vjp f xs 1)

entry if_written [m] [n] (is: [m]i64) (xs: [n]f64) : [n]f64 =
  let ys = map (* 2) xs
  let js = map (\i -> if i % 2 == 0 then place n i else -1) is
  in scatter ys js (map (\j -> f64.i64 (j * j)) js)

-- The places themselves, and how many points have each.
entry found [m] [n] (is: [m]i64) (xs: [n]f64) : ([n]i64, [n]i64) =
  let ys = map (\x -> if x > 0.5 then -1 else -2) xs
  let js = map (place n) is
  in (map (* 2) (scatter ys js js), map (+ 1) (hist (+) 0 n js (map (const 1) js)))

entry written_at_two [m] [n] [d] (is: [m]i64) (xs: [n][d]f64) : [n][d]f64 =
  let ys = map (map (* 2)) xs
  let js = map (\i -> (place n i, place d (i / 7))) is
  in map (map (+ 1)) (scatter_2d ys js (map (\(j, k) -> f64.i64 (j * 10 + k)) js))

entry counted_rows [m] [n] [d] (is: [m]i64) (xs: [n][d]f64) : [n][d]i64 =
  let ys = map (map (\x -> i64.f64 (x * 100))) xs
  let rows = map (\i -> tabulate d (\k -> (i + k) % 1000)) is
  in map (map (+ 1)) (reduce_by_index ys (map2 (+)) (replicate d 0) (map (place n) is) rows)

-- The largest for each place, and the first point that has it.
entry best [m] (n: i64) (is: [m]i64) : ([n]i64, [n]i64) =
  let ys = tabulate n (\j -> (j * 7 % 5 - 2, m + j))
  in reduce_by_index ys
                     (\(x, i) (y, j) -> if y > x || (y == x && j < i) then (y, j) else (x, i))
                     (i64.lowest, i64.highest)
                     (map (place n) is)
                     (zip (map (% 100) is) (iota m))
     |> map (\(x, i) -> (x + 1, i))
     |> unzip

entry largest [m] (n: i64) (is: [m]i64) : [n]i64 =
  map (\x -> x % 1000) (hist i64.max i64.lowest n (map (place n) is) is)

-- Two histograms of other sizes that points make at once.
entry kept_apart [m] (n: i64) (is: [m]i64) : ([n]i64, []i64) =
  let sums = reduce_by_index (tabulate n (* 3)) (+) 0 (map (place n) is) (map (% 100) is)
  let others = reduce_by_index (tabulate (n + 5) (* 2)) (*) 1 (map (place n) is) (map (% 7) is)
  in (map (+ 1) sums, map (* 2) others)

-- The same places in each step.
entry repeated [n] (steps: i64) (xs: [n]i64) : [n]i64 =
  let js = map (place n) xs
  in loop ys = map (% 100) xs
     for _i < steps do
       let sums = reduce_by_index (replicate n 1) (+) 0 js ys
       in map2 (\a b -> (a * 3 + b) % 1009) sums ys

entry checked_places [m] [n] (is: [m]i64) (xs: [n]i64) : [n]i64 =
  let ys = map (+ 1) xs
  let zs = map (\i -> xs[i] * 2 + 1) is
  in scatter ys is zs

-- ---- gradients of reads at places that points compute

def wrapped (n: i64) (i: i64) : i64 = if n == 0 then 0 else i % n

def chosen [m] [n] (is: [m]i64) (xs: [n]f64) : f64 =
  f64.sum (map (\i -> let x = xs[wrapped n i] in x * x * f64.i64 (1 + i % 5)) is)

entry chosen_back [m] [n] (is: [m]i64) (xs: [n]f64) : [n]f64 =
  map2 (\x a -> x - a / 8) xs (vjp (chosen is) xs 1)

-- Rows go as rows; two arrays at the same places go together.
entry chosen_rows_back [m] [n] [d] (is: [m]i64) (xs: [n][d]f64) (ws: [n]f64) : ([n][d]f64, [n]f64) =
  let f (xs: [n][d]f64, ws: [n]f64) =
    f64.sum (map (\i ->
                    let k = wrapped n i
                    in ws[k] * f64.sum (map2 (\x j -> x * x * f64.i64 (1 + j)) xs[k] (iota d)))
                 is)
  let (a, b) = vjp f (xs, ws) 1
  in (map2 (map2 (\x y -> x - y / 8)) xs a, map2 (\x y -> x - y / 8) ws b)

-- One element of a row.
entry chosen_elements_back [m] [n] [d] (is: [m]i64) (xs: [n][d]f64) (ws: [n]f64) : [n][d]f64 =
  let f xs = f64.sum (map (\i -> let k = wrapped n i in ws[k] * xs[k, wrapped d (i / 3)] ** 2) is)
  in map2 (map2 (\x y -> x - y / 8)) xs (vjp f xs 1)

def product [m] [k] [n] (columns: [m][k]i64) (values: [m][k]f64) (x: [n]f64) : [m]f64 =
  map2 (\js as -> f64.sum (map2 (\j a -> a * x[wrapped n j]) js as)) columns values

entry product_back [n] (k: i64) (x: [n]f64) : [n]f64 =
  let columns = tabulate_2d (2 * n) k (\i j -> i * 7 + j * 13)
  let values = tabulate_2d (2 * n) k (\i j -> f64.i64 (1 + (i + j) % 3))
  let f x = f64.sum (map (** 2) (product columns values x))
  in map2 (\x a -> x - a / 64) x (vjp f x 1)

-- The same matrix in each step.
entry steps_back [n] (steps: i64) (x: [n]f64) : [n]f64 =
  let columns = tabulate_2d n 4 (\i j -> i * 7 + j * 13)
  let values = tabulate_2d n 4 (\i j -> 0.25 * f64.i64 (1 + (i + j) % 3))
  let f x = f64.sum (map (** 2) (loop x for _i < steps do product columns values x))
  in vjp f x 1

-- In branches, and in loops that carry what they add.
entry branches_back [m] [n] (is: [m]i64) (xs: [n]f64) : [n]f64 =
  let f xs =
    f64.sum (map (\i ->
                    let r = loop r = 1 for k < 3 do
                              r * (if i % 2 == k then xs[wrapped n (i + k)] else 1 + r / 8)
                    in if i % 7 == 0 then r else r * xs[wrapped n i] * xs[wrapped n (i / 2)])
                 is)
  in map2 (\x a -> x - a / 8) xs (vjp f xs 1)

entry loops_back [m] [n] (steps: i64) (is: [m]i64) (xs: [n]f64) : [n]f64 =
  let f xs =
    f64.sum (map (\i ->
                    loop s = 0 for k < steps do
                      s / 2 + xs[wrapped n (i + k * 3)] ** 2)
                 is)
  in map2 (\x a -> x - a / 8) xs (vjp f xs 1)

entry checked_back [m] [n] (is: [m]i64) (xs: [n]f64) : [n]f64 =
  let f xs = f64.sum (map (\i -> xs[i] * xs[i]) is)
  in map2 (+) xs (vjp f xs 1)
