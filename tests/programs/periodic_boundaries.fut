-- Neighbours around the ends of rows, by remainders and by `rotate`, forwards and in adjoints.
-- ==
-- entry: shifts
-- input { 5i64 } output { [[1i64, 2i64, 3i64, 4i64, 0i64], [4i64, 0i64, 1i64, 2i64, 3i64], [2i64, 3i64, 4i64, 0i64, 1i64], [3i64, 4i64, 0i64, 1i64, 2i64]] }
-- input { 2i64 } output { [[1i64, 0i64], [1i64, 0i64], [1i64, 0i64], [1i64, 0i64]] }
-- input { 1i64 } output { [[0i64], [0i64], [0i64], [0i64]] }
-- input { 0i64 } output { empty([4][0]i64) }

-- ==
-- entry: same
-- input { 5i64 7i64 } output { true }
-- input { 1i64 3i64 } output { true }
-- input { 70i64 50i64 } output { true }
-- input { 0i64 3i64 } output { true }

-- ==
-- entry: of_remainders of_rotations of_both
-- input { 5i64 [1.2, 0.6, 0.9, 1.7] } output { true true true true }
-- input { 1i64 [1.2, 0.6, 0.9, 1.7] } output { true true true true }

-- ==
-- entry: by_nothing
-- input { 3i64 } error: division by zero

import "shared/derivative_properties"

entry shifts (n: i64) : [4][n]i64 =
  [ tabulate n (\i -> (i + 1) % n)
  , tabulate n (\i -> (i - 1) % n)
  , rotate 7 (iota n)
  , rotate (-7) (iota n)
  ]

def cell (n: i64) (i: i64) (j: i64) = (i * 31 + j * 17) % (n + 3)

entry same (n: i64) (m: i64) : bool =
  let a = tabulate_2d n m (cell n)
  let sums =
    tabulate_2d n m (\i j ->
                       a[(i + 1) % n, j] + 2 * a[(i - 1) % n, j] + 3 * a[i, (j + 2) % m]
                       + 5 * a[i, (j - 3) % m])
  let rotated =
    map4 (map4 (\p q r s -> p + 2 * q + 3 * r + 5 * s))
         (rotate 1 a)
         (rotate (-1) a)
         (map (rotate 2) a)
         (map (rotate (-3)) a)
  in and (map2 (==) (flatten sums) (flatten rotated))

def field (n: i64) (x: [4]f64) : [n][n + 1]f64 =
  tabulate_2d n (n + 1) (\i j -> x[(i + j) % 4] + f64.i64 (i * j) / 10)

entry of_remainders n =
  properties (\x ->
                let f [k] [l] (a: [k][l]f64) =
                  tabulate_2d k l (\i j -> f64.sin (a[i, j] + a[(i + 1) % k, j] * a[i, (j - 1) % l]))
                in weighted (flatten (f (f (field n x)))))

entry of_rotations n =
  properties (\x ->
                let f [k] [l] (a: [k][l]f64) =
                  map3 (map3 (\a b c -> f64.sin (a + b * c))) a (rotate 1 a) (map (rotate (-1)) a)
                in weighted (flatten (f (f (field n x)))))

entry of_both n =
  properties (\x ->
                let a = field n x
                in weighted (flatten (loop a for i < 3 do
                                        map2 (map2 (\a b -> a + f64.cos b)) a (rotate (i + 1) a))))

entry by_nothing (n: i64) : [n]i64 = let m = n - 3 in tabulate n (\i -> (i + 1) % m)
