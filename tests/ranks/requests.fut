-- Reads at places that points compute: each rank asks those who have the rows.
--
-- All 750 rows that others want of the first rank, and to each of these how many it wants itself.
-- counts: chosen: [1000]i64 [100000]f64: agree 1 8, request 1 6024
-- ==
-- entry: chosen chosen_rows chosen_pairs
-- random input { [31]i64 [17]f64 } auto output
-- random input { [3]i64 [17]f64 } auto output
-- random input { [31]i64 [2]f64 } auto output
-- random input { [0]i64 [2]f64 } auto output

-- ==
-- entry: sparse sparse_back ranked
-- random input { 3i64 [17]f64 } auto output
-- random input { 3i64 [5]f64 } auto output
-- random input { 3i64 [1]f64 } auto output
-- random input { 0i64 [5]f64 } auto output

-- ==
-- entry: changing
-- random input { 6i64 [17]i64 } auto output
-- random input { 6i64 [2]i64 } auto output

-- ==
-- entry: twice reversed if_chosen in_loops squared summed doubled counted
-- random input { [31]i64 } auto output
-- random input { [5]i64 } auto output
-- random input { [1]i64 } auto output

-- ==
-- entry: checked
-- input { [0i64, 5i64, 2i64, 2i64, 1i64] [1i64, 2i64, 3i64, 4i64, 5i64] }
-- error: Index \[5\] out of bounds for array of shape \[5\]
-- input { [0i64, 4i64, 2i64, -2i64, 1i64] [1i64, 2i64, 3i64, 4i64, 5i64] }
-- error: Index \[-2\] out of bounds for array of shape \[5\]
-- input { [0i64, 4i64, 2i64, 2i64, 1i64] [1i64, 2i64, 3i64, 4i64, 5i64] }
-- output { [2i64, 10i64, 6i64, 6i64, 4i64] }

-- ==
-- entry: checked_twice
-- input { [0i64, 4i64, 7i64, 2i64, 1i64] [1i64, 2i64, 3i64, 4i64, 5i64] }
-- error: Index \[7\] out of bounds for array of shape \[5\]
-- input { [0i64, 4i64, 3i64, 2i64, 1i64] [1i64, 2i64, 3i64, 4i64, 9i64] }
-- error: Index \[9\] out of bounds for array of shape \[5\]
-- input { [1i64, 3i64, 2i64, 2i64, 1i64] [1i64, 2i64, 3i64, 4i64, 9i64] }
-- output { [4i64, 10i64, 5i64, 5i64, 4i64] }

-- Somewhere in an array of n.
def place (n: i64) (i: i64) : i64 = if n == 0 then 0 else i % n

entry chosen [m] [n] (is: [m]i64) (xs: [n]f64) : [m]f64 =
  let ys = map (\x -> f64.sqrt (x * x + 1)) xs
  in map2 (\k i -> ys[place n (k * 7 + i % 3)] * 2) (iota m) is

entry chosen_rows [m] [n] (is: [m]i64) (xs: [n]f64) : [m]f64 =
  let ys = map (\x -> [x, x + 1, x * 2]) xs
  in map (\i ->
            let y = ys[place n i]
            in y[0] + y[2] + ys[place n (i + 1), 1])
         is

-- Of two arrays of different rows, and of a third with numbers of a byte.
entry chosen_pairs [m] [n] (is: [m]i64) (xs: [n]f64) : ([m]f64, [m][2]f32, [m]bool) =
  let ys = map (\x -> x * 2) xs
  let zs = map (\x -> [f32.f64 x, f32.f64 (x + 1)]) xs
  let bs = map (> 0.5) xs
  in unzip3 (map (\i -> let k = place n i in (ys[k], zs[k], bs[k])) is)

def multiplied [n] (x: [n]f64) : [n]f64 =
  tabulate n (\i -> 0.25 * f64.sum (tabulate 4 (\k -> f64.i64 (1 + (i + k) % 3) * x[place n (i * 7 + k * 13)])))

entry sparse [n] (steps: i64) (x: [n]f64) : [n]f64 =
  loop x for _i < steps do multiplied x

entry sparse_back [n] (steps: i64) (x: [n]f64) : [n]f64 =
  vjp (\x -> f64.sum (map (** 2) (sparse steps x))) x 1

-- By how much others point to each, and how many they point to.
entry ranked [n] (steps: i64) (x: [n]f64) : [n]f64 =
  let from = tabulate_2d n 3 (\i k -> place n (i * i + k * 5))
  let many = map (\i -> 1 + i % 4) (iota n)
  in loop r = x
     for _i < steps do
       map (\row -> 0.15 + 0.85 * f64.sum (map (\j -> r[j] / f64.i64 many[j]) row)) from

-- Other places in each step.
entry changing [n] (steps: i64) (xs: [n]i64) : [n]i64 =
  loop xs = map (% 1000) xs
  for t < steps do
    map (\i -> (xs[place n (i * i + t)] * 3 + xs[i]) % 1000003) (iota n)

entry twice [n] (xs: [n]i64) : [n]i64 =
  let js = map (\x -> (x * 7 + 1) % n) xs
  let ys = map (\x -> (x * x) % 1009) xs
  in map (\x -> ys[js[x % n]]) xs

entry reversed [n] (xs: [n]i64) : [n]i64 =
  let ys = map (\x -> (x * x) % 1009) xs
  in map (\i -> ys[n - 1 - i] + i) (iota n)

-- What nobody reads is not a place.
entry if_chosen [n] (xs: [n]i64) : [n]i64 =
  let ys = map (\x -> (x * x) % 1009) xs
  in map (\i ->
            let k = (xs[i] % 60) - 30
            in if k >= 0 && k < n then ys[k] else if i > 3 then ys[i * i % n] else k)
         (iota n)

-- Loops inside of points, with indices of their own.
entry in_loops [n] (xs: [n]i64) : [n]i64 =
  let ys = map (\x -> (x * x) % 1009) xs
  in map (\i ->
            loop s = 0
            for k < 5 do
              let t = if k % 2 == 0 then ys[(xs[i] + k * 3) % n] else s
              in (s * 3 + t) % 1009)
         (iota n)

entry squared [n] (xs: [n]i64) : [n][n]i64 =
  let ys = map (\x -> (x * x) % 1009) xs
  in tabulate_2d n n (\i j -> ys[(xs[i] + j * j) % n])

entry summed [n] (xs: [n]i64) : i64 =
  let ys = map (\x -> (x * x) % 1009) xs
  in i64.sum (map (\x -> ys[x % n] % 7) xs)

-- Found by a search that each point makes.
entry doubled [n] (xs: [n]i64) : [n]i64 =
  let ys = map (\x -> (x * x) % 1009) xs
  in map (\x ->
            let k = loop k = x % n while k > 0 && k % 2 == 0 do k / 2
            in ys[k])
         xs

entry counted [n] (xs: [n]i64) : [10]i64 =
  let ys = map (\x -> (x * x) % 1009) xs
  in hist (+) 0 10 (map (\x -> ys[x % n] % 10) xs) (map (\x -> ys[(x + 1) % n]) xs)

entry checked [n] [m] (is: [m]i64) (xs: [n]i64) : [m]i64 =
  let ys = map (* 2) xs
  in map (\i -> ys[i]) is

entry checked_twice [n] [m] (is: [m]i64) (xs: [n]i64) : [m]i64 =
  let js = map (+ 0) xs
  let ys = map (+ 1) xs
  in map (\i -> ys[js[i]]) is
