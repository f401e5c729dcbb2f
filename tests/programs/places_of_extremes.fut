-- Reductions that choose an element and carry its place along: lanes may keep steps in its stead.

-- ==
-- entry: greatest greatest_in_order least least_place_first
-- random input { [5000]i32 } auto output
-- random input { [1023]i32 } auto output
-- random input { [70]i32 } auto output
-- input { empty([0]i32) }
-- input { [3] }

-- ==
-- entry: of_few_values
-- random input { [4099]i32 } auto output
-- random input { [262147]i32 } auto output

-- ==
-- entry: of_floats last_of_floats
-- random input { [2049]f64 } auto output
-- random input { [130]f64 } auto output

-- ==
-- entry: all_least
-- input { 3000i64 } output { 0i64 0i64 }
-- input { 1024i64 } output { 0i64 0i64 }
-- input { 0i64 } output { 0i64 -1i64 }

-- ==
-- entry: of_computed
-- input { 100000i64 } output { 23i64 100000i64 }

-- ==
-- entry: two_at_once
-- random input { [3001]i64 [3001]f32 } auto output

-- ==
-- entry: of_rows
-- random input { [7][1500]i32 } auto output
-- random input { [2][20000]i32 } auto output

entry greatest [n] (xs: [n]i32) : (i32, i64) =
  reduce_comm (\(x, i) (y, j) -> if x > y || (x == y && i < j) then (x, i) else (y, j))
              (i32.lowest, n)
              (zip xs (iota n))

entry greatest_in_order [n] (xs: [n]i32) : (i32, i64) =
  reduce (\(x, i) (y, j) -> if x >= y then (x, i) else (y, j)) (i32.lowest, -1) (zip xs (iota n))

entry least [n] (xs: [n]i32) : (i32, i64) =
  reduce_comm (\(x, i) (y, j) ->
                 if x < y then (x, i) else if y < x then (y, j) else (x, i64.min i j))
              (i32.highest, i64.highest)
              (zip xs (iota n))

-- Places that begin elsewhere, and come before what is chosen.
entry least_place_first [n] (xs: [n]i32) : (i64, i32) =
  reduce_comm (\(i, x) (j, y) -> if y < x || (y == x && j <= i) then (j, y) else (i, x))
              (i64.highest, i32.highest)
              (zip (map (+ 17) (iota n)) xs)

-- Among equal ones the first, the last.
entry of_few_values [n] (xs: [n]i32) : (i64, i64) =
  let few = map (% 3) xs
  let first = reduce (\(x, i) (y, j) -> if x >= y then (x, i) else (y, j)) (-4, -1)
  let last = reduce (\(x, i) (y, j) -> if x > y then (x, i) else (y, j)) (-4, -1)
  in ((first (zip few (iota n))).1, (last (zip few (iota n))).1)

entry of_floats [n] (xs: [n]f64) : (f64, i64) =
  reduce_comm (\(x, i) (y, j) -> if x < y || (x == y && i < j) then (x, i) else (y, j))
              (f64.inf, n)
              (zip xs (iota n))

entry last_of_floats [n] (xs: [n]f64) : (f64, i64) =
  reduce (\(x, i) (y, j) -> if x > y then (x, i) else (y, j)) (-f64.inf, -1) (zip xs (iota n))

-- No element is better than the neutral one.
entry all_least (n: i64) : (i64, i64) =
  let xs = replicate n (-f32.inf)
  let by_place =
    reduce_comm (\(x, i) (y, j) ->
                   if x > y || (x == y && i < j) then (x, i) else (y, j))
                (-f32.inf, n)
                (zip xs (iota n))
  let in_order =
    reduce (\(x, i) (y, j) ->
              if i < 0 then (y, j) else if x >= y then (x, i) else (y, j))
           (-f32.inf, -1)
  in (by_place.1, (in_order (zip xs (iota n))).1)

-- Elements and places that are made as they are met.
entry of_computed (n: i64) : (i64, i64) =
  (reduce_comm (\(x, i) (y, j) -> if x > y || (x == y && i < j) then (x, i) else (y, j))
               (-1, n + 1)
               (map (\i -> ((i * i) % 97 * 1000 / 96, i + 1)) (iota n))).1
  |> (\place -> (place, n))

-- The least and the greatest with their places, by one operator.
entry two_at_once [n] (xs: [n]i64) (ys: [n]f32) : (i64, i64, f32, i64) =
  reduce_comm (\(a, i, b, k) (c, j, d, l) ->
                 let (x, p) = if a < c || (a == c && i < j) then (a, i) else (c, j)
                 let (y, q) = if b > d || (b == d && k < l) then (b, k) else (d, l)
                 in (x, p, y, q))
              (i64.highest, n, -f32.inf, n)
              (zip4 xs (iota n) ys (iota n))

entry of_rows [n] [m] (xs: [n][m]i32) : [n](i32, i64) =
  map (\row ->
         reduce_comm (\(x, i) (y, j) -> if x > y || (x == y && i < j) then (x, i) else (y, j))
                     (i32.lowest, m)
                     (zip row (iota m)))
      xs
