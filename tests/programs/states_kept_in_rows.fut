-- A loop that keeps every state, whose next state is made where it is kept: only where nothing else
-- is there, reads it there or writes over it.
-- ==
-- entry: history
-- input { 4i64 } output { [[0i64, 1i64, 2i64], [1i64, 3i64, 2i64], [4i64, 5i64, 3i64], [9i64, 8i64, 7i64]]
--   [17i64, 15i64, 16i64] }
-- input { 1i64 } output { [[0i64, 1i64, 2i64]] [1i64, 3i64, 2i64] }
-- input { 0i64 } output { empty([0][3]i64) [0i64, 1i64, 2i64] }
-- ==
-- entry: history_by_narrow_index
-- input { 4i32 } output { [[0i64, 1i64, 2i64], [1i64, 3i64, 2i64], [4i64, 5i64, 3i64], [9i64, 8i64, 7i64]]
--   [17i64, 15i64, 16i64] }
-- input { 0i32 } output { empty([0][3]i64) [0i64, 1i64, 2i64] }
-- ==
-- entry: more_rows_than_iterations
-- input { 2i64 } output { [[0i64, 1i64, 2i64], [1i64, 3i64, 2i64], [7i64, 7i64, 7i64], [7i64, 7i64, 7i64]] }
-- input { 0i64 } output { [[7i64, 7i64, 7i64], [7i64, 7i64, 7i64]] }
-- ==
-- entry: row_is_read_before
-- input { 3i64 } output { [[0i64, 1i64, 2i64], [7i64, 9i64, 11i64], [21i64, 25i64, 29i64]] [49i64, 57i64, 65i64] }
-- ==
-- entry: next_row_is_read
-- input { 3i64 } output { [[0i64, 1i64, 2i64], [7i64, 9i64, 11i64], [21i64, 25i64, 29i64]] [42i64, 51i64, 60i64] }
-- ==
-- entry: state_is_overwritten
-- input { 3i64 } output { [[0i64, 1i64, 2i64], [100i64, 2i64, 3i64], [101i64, 3i64, 4i64]] [102i64, 4i64, 5i64] }
-- ==
-- entry: swapped
-- input { 3i64 } output { [[1i64, 1i64], [6i64, 6i64], [3i64, 3i64]] [[5i64, 5i64], [2i64, 2i64], [12i64, 12i64]] }
-- ==
-- entry: state_before_last
-- input { 3i64 } output { [[1i64, 2i64], [2i64, 4i64], [4i64, 8i64]] [4i64, 8i64] [8i64, 16i64] }
-- ==
-- entry: kept_twice
-- input { 3i64 } output { [[1i64, 2i64], [2i64, 4i64], [4i64, 8i64]] [[1i64, 2i64], [2i64, 4i64], [4i64, 8i64]] }
-- ==
-- entry: next_is_kept_too
-- input { 3i64 } output { [[1i64, 2i64], [2i64, 4i64], [4i64, 8i64]] [[2i64, 4i64], [4i64, 8i64], [8i64, 16i64]] }
-- ==
-- entry: backwards
-- input { 3i64 } output { [[4i64, 8i64], [2i64, 4i64], [1i64, 2i64]] }
-- ==
-- entry: last_state_is_changed
-- input { 3i64 } output { [[1i64, 2i64], [2i64, 4i64], [4i64, 8i64]] [9i64, 16i64] }
-- ==
-- entry: history_of_histories
-- input { 2i64 } output { [[[1i64, 2i64], [2i64, 4i64]], [[4i64, 8i64], [8i64, 16i64]]] }
-- ==
-- entry: gradients_agree
-- input { 5i64 4i64 } output { true true true true }
-- input { 1i64 3i64 } output { true true true true }
-- input { 5i64 1i64 } output { true true true true }
-- input { 5i64 0i64 } output { true true true true }

-- Every element and its right neighbour.
def next (y: [3]i64) : [3]i64 = tabulate 3 (\i -> y[i] + y[(i + 1) % 3])

def start (_: i64) : [3]i64 = iota 3

entry history_by_narrow_index (n: i32) : ([][3]i64, [3]i64) =
  let rows = i64.i32 n
  let (y, ys) =
    loop (y, ys) = (start rows, replicate rows (replicate 3 0))
    for i < n do
      (next y, ys with [i64.i32 i] = y)
  in (ys, y)

entry history (n: i64) : ([n][3]i64, [3]i64) =
  let (y, ys) =
    loop (y, ys) = (start n, replicate n (replicate 3 0))
    for i < n do
      (next y, ys with [i] = y)
  in (ys, y)

entry more_rows_than_iterations (n: i64) : [][3]i64 =
  let (_, ys) =
    loop (y, ys) = (start n, replicate (n + 2) (replicate 3 7))
    for i < n do
      (next y, ys with [i] = y)
  in ys

entry row_is_read_before (n: i64) : ([n][3]i64, [3]i64) =
  let (y, ys) =
    loop (y, ys) = (start n, replicate n (replicate 3 7))
    for i < n do
      (map2 (\a b -> 2 * a + b) y (copy ys[i]), ys with [i] = y)
  in (ys, y)

entry next_row_is_read (n: i64) : ([n][3]i64, [3]i64) =
  let (y, ys) =
    loop (y, ys) = (start n, replicate n (replicate 3 7))
    for i < n do
      ( map2 (\a b -> 2 * a + b) y (if i + 1 < n then copy ys[i + 1] else copy y)
      , ys with [i] = y
      )
  in (ys, map2 (-) y [21, 24, 27])

entry state_is_overwritten (n: i64) : ([n][3]i64, [3]i64) =
  let (y, ys) =
    loop (y: *[3]i64, ys) = (copy (start n), replicate n (replicate 3 0))
    for i < n do
      let ys = ys with [i] = copy y
      let y = if i == 0 then y with [0] = 99 else y
      in (map (+ 1) y, ys)
  in (ys, y)

entry swapped (n: i64) : ([n][2]i64, [n][2]i64) =
  let (_, _, as, bs) =
    loop (a, b, as, bs) =
           ( replicate 2 1
           , replicate 2 5
           , replicate n (replicate 2 0)
           , replicate n (replicate 2 0)
           )
    for i < n do
      (map (+ 1) b, map (* 2) a, as with [i] = a, bs with [i] = b)
  in (as, bs)

entry state_before_last (n: i64) : ([n][2]i64, [2]i64, [2]i64) =
  let (y, before, ys) =
    loop (y, _, ys) = (map (+ 1) (iota 2), replicate 2 0, replicate n (replicate 2 0))
    for i < n do
      (map (* 2) y, y, ys with [i] = y)
  in (ys, before, y)

entry kept_twice (n: i64) : ([n][2]i64, [n][2]i64) =
  let (_, ys, zs) =
    loop (y, ys, zs) =
           ( map (+ 1) (iota 2)
           , replicate n (replicate 2 0)
           , replicate n (replicate 2 7)
           )
    for i < n do
      (map (* 2) y, ys with [i] = y, zs with [i] = y)
  in (ys, zs)

entry next_is_kept_too (n: i64) : ([n][2]i64, [n][2]i64) =
  let (_, ys, zs) =
    loop (y, ys, zs) =
           ( map (+ 1) (iota 2)
           , replicate n (replicate 2 0)
           , replicate n (replicate 2 0)
           )
    for i < n do
      let y' = map (* 2) y
      in (y', ys with [i] = y, zs with [i] = y')
  in (ys, zs)

entry backwards (n: i64) : [n][2]i64 =
  let (_, ys) =
    loop (y, ys) = (map (+ 1) (iota 2), replicate n (replicate 2 0))
    for i < n do
      (map (* 2) y, ys with [n - 1 - i] = y)
  in ys

entry last_state_is_changed (n: i64) : ([n][2]i64, [2]i64) =
  let (y, ys) =
    loop (y: *[2]i64, ys) = (map (+ 1) (iota 2), replicate n (replicate 2 0))
    for i < n do
      (map (* 2) y, ys with [i] = copy y)
  let y = y with [0] = 9
  in (ys, y)

entry history_of_histories (n: i64) : [n][n][2]i64 =
  let (_, all) =
    loop (y, all) = (map (+ 1) (iota 2), replicate n (replicate n (replicate 2 0)))
    for i < n do
      let (y, ys) =
        loop (y, ys) = (y, replicate n (replicate 2 0))
        for j < n do
          (map (* 2) y, ys with [j] = y)
      in (y, all with [i] = ys)
  in all

def mixed [n] (x: [n]f64) (y: [n]f64) : [n]f64 =
  map3 (\x a b -> x * a + 0.5 * f64.sin b) x y (rotate 1 y)

-- Against forward mode: kept states, fewer of them, those of a `while`, and two that change places or
-- are overwritten.
entry gradients_agree (n: i64) (s: i64) : (bool, bool, bool, bool) =
  let x = tabulate n (\i -> 0.3 + 0.1 * f64.i64 i)
  let plain x = f64.sum (loop y = x for _i < s do mixed x y)
  let stripmined x = f64.sum (#[stripmine(2)] loop y = x for _i < s do mixed x y)
  let bounded x =
    let (y, _) = #[bound(6)] loop (y, i) = (x, 0) while i < s do (mixed x y, i + 1)
    in f64.sum y
  let two x =
    let (a, b, c) =
      loop (a, b, c: *[n]f64) = (x, map (* 2) x, copy x)
      for i < s do
        let c = c with [i % n] = a[0] * b[0]
        in (mixed x b, mixed x a, map2 (+) c a)
    in f64.sum a + 2 * f64.sum b + 3 * f64.sum c
  let agree f =
    let reverse = vjp f x 1
    let along i = jvp f x (tabulate n (\j -> f64.bool (i == j)))
    in and (map2 (\g i -> f64.abs (g - along i) < 1e-12 * (1 + f64.abs g)) reverse (iota n))
  in (agree plain, agree stripmined, agree bounded, agree two)
