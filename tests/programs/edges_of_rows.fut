-- Points at the ends of rows read other places than those between: the nearest that there is, the
-- other end, or nothing.  Rows of every length up to a few vectors.
-- ==
-- entry: nearest other_end nothing of_pairs of_single_rows
-- input { 5i64 } output { true }

-- ==
-- entry: of_nearest of_nothing
-- input { 7i64 [1.2, 0.6, 0.9, 1.7] } output { true true true true }
-- input { 1i64 [1.2, 0.6, 0.9, 1.7] } output { true true true true }

import "shared/derivative_properties"

def lengths (f: i64 -> bool) : bool =
  loop right = true for n < 70 do right && f n

def field (n: i64) (m: i64) : [n][m]i64 = tabulate_2d n m (\i j -> (i * 37 + j * 101 + 5) % 97)

-- Each element of a row by a loop, which nothing takes apart.
def by_loop [m] (row: [m]i64) (f: i64 -> i64) : [m]i64 =
  loop out = replicate m 0 for j < m do out with [j] = f j

def same [n] [m] (a: [n][m]i64) (b: [n][m]i64) : bool = and (flatten (map2 (map2 (==)) a b))

entry nearest (n: i64) =
  lengths (\m ->
             let a = field n m
             let at (row: [m]i64) j = row[i64.max 0 (i64.min (m - 1) j)]
             in same (tabulate_2d n m (\i j -> at a[i] (j - 3) + 2 * a[i, j] + 3 * at a[i] (j + 2)))
                     (map (\row -> by_loop row (\j -> at row (j - 3) + 2 * row[j] + 3 * at row (j + 2))) a))

entry other_end (n: i64) =
  lengths (\m ->
             let a = field n m
             in same (tabulate_2d n m (\i j -> a[(i + 1) % n, j] + 2 * a[i, (j + 1) % m] + 3 * a[i, (j - 2) % m]))
                     (map2 (\i row -> by_loop row (\j -> a[(i + 1) % n, j] + 2 * row[(j + 1) % m] + 3 * row[(j - 2) % m]))
                           (iota n)
                           a))

entry nothing (n: i64) =
  lengths (\m ->
             let a = field n m
             let sum i j =
               if i == 0 || j == 0 || i == n - 1 || j == m - 1
               then a[i, j]
               else a[i - 1, j] + 2 * a[i + 1, j] + 3 * a[i, j - 1] + 5 * a[i, j + 1]
             in same (tabulate_2d n m sum) (map2 (\i row -> by_loop row (sum i)) (iota n) a))

-- Two results, and conditions that hold at some edges only.
entry of_pairs (n: i64) =
  lengths (\m ->
             let a = field n m
             let left i j = if j >= 2 && i != 1 then a[i, j - 2] else 0
             let right i j = if j + 3 < m then a[i, j + 3] else -1
             let (xs, ys) =
               unzip (flatten (tabulate_2d n m (\i j -> (left i j, right i j + left i j))))
             in and (map2 (==) xs (flatten (map2 (\i row -> by_loop row (left i)) (iota n) a)))
                && and (map2 (==)
                             ys
                             (flatten (map2 (\i row -> by_loop row (\j -> right i j + left i j)) (iota n) a))))

entry of_single_rows (_: i64) =
  lengths (\m ->
             let row = (field 1 m)[0]
             let at j = row[i64.min (m - 1) (j + 1)] - row[i64.max 0 (j - 1)]
             in and (map2 (==) (map at (iota m)) (by_loop row at)))

def image (n: i64) (x: [4]f64) : [n][n + 2]f64 =
  tabulate_2d n (n + 2) (\i j -> x[(i * 3 + j) % 4] + f64.i64 (i * j) / 10)

entry of_nearest n =
  properties (\x ->
                let f [k] [l] (a: [k][l]f64) =
                  let at i j = a[i64.max 0 (i64.min (k - 1) i), i64.max 0 (i64.min (l - 1) j)]
                  in tabulate_2d k l (\i j -> f64.sin (at i j + at (i + 1) j * at i (j - 2)))
                in weighted (flatten (f (f (image n x)))))

entry of_nothing n =
  properties (\x ->
                let f [k] [l] (a: [k][l]f64) =
                  tabulate_2d k l (\i j ->
                                     f64.sin (a[i, j] + (if j > 1 then a[i, j - 2] else 0)
                                              + (if i + 1 < k && j + 1 < l then a[i + 1, j + 1] else 0)))
                in weighted (flatten (f (f (image n x)))))
