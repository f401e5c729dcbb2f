-- | Points that each reduce sums, several of which run at once: the nearest, the first of the nearest,
-- results besides, and an operator that does not commute, for numbers of sums around a block's.

def count = 70i64
def point (i: i64) (d: i64) : [d]f64 = tabulate d (\k -> f64.i64 ((i * 7 + k * 3) % 11))
def other (j: i64) (d: i64) : [d]f64 = tabulate d (\k -> f64.i64 ((j / 2 * 5 + k * k) % 13))
def distance [d] (p: [d]f64) (q: [d]f64) : f64 = f64.sum (map2 (\a b -> (a - b) * (a - b)) p q)

-- The same without arrays of points.
def distance_at (d: i64) (i: i64) (j: i64) : f64 =
  loop sum = 0
  for k < d do
    let a = f64.i64 ((i * 7 + k * 3) % 11) - f64.i64 ((j / 2 * 5 + k * k) % 13)
    in sum + a * a

def closer (a: f64, i: i64) (b: f64, j: i64) : (f64, i64) =
  if a < b || (a == b && i < j) then (a, i) else (b, j)

def compose (a: i64, b: i64) (c: i64, d: i64) : (i64, i64) = (c * a % 1009, (c * b + d) % 1009)

-- ==
-- entry: nearest first_nearest composed besides
-- input { 0i64 4i64 } output { true }
-- input { 1i64 4i64 } output { true }
-- input { 2i64 3i64 } output { true }
-- input { 3i64 1i64 } output { true }
-- input { 4i64 0i64 } output { true }
-- input { 4i64 5i64 } output { true }
-- input { 5i64 17i64 } output { true }
-- input { 11i64 16i64 } output { true }
-- input { 64i64 33i64 } output { true }
entry nearest (m: i64) (d: i64) : bool =
  let (points, others) = (map (\i -> point i d) (iota count), map (\j -> other j d) (iota m))
  let least = map (\p -> f64.minimum (map (distance p) others)) points
  let total = f64.sum (map (\p -> f64.minimum (map (distance p) others)) points)
  let right = map (\i -> loop a = f64.inf for j < m do f64.min a (distance_at d i j)) (iota count)
  in and (map2 (==) least right) && total == f64.sum right

entry first_nearest (m: i64) (d: i64) : bool =
  let (points, others) = (map (\i -> point i d) (iota count), map (\j -> other j d) (iota m))
  let found =
    map (\p ->
           reduce closer
                  (f64.inf, i64.highest)
                  (zip (map (distance p) others) (iota m)))
        points
  let right i = loop a = (f64.inf, i64.highest) for j < m do closer a (distance_at d i j, j)
  in and (map2 (\(a, i) k -> let (b, j) = right k in a == b && i == j) found (iota count))

entry composed (m: i64) (d: i64) : bool =
  let (points, others) = (map (\i -> point i d) (iota count), map (\j -> other j d) (iota m))
  let step x j = (i64.f64 x % 7 + 1, j)
  let found =
    map (\p ->
           reduce compose
                  (1, 0)
                  (map2 (\q j -> step (distance p q) j) others (iota m)))
        points
  let right i = loop a = (1, 0) for j < m do compose a (step (distance_at d i j) j)
  in and (map2 (\(a, b) k -> let (c, e) = right k in a == c && b == e) found (iota count))

entry besides (m: i64) (d: i64) : bool =
  let (points, others) = (map (\i -> point i d) (iota count), map (\j -> other j d) (iota m))
  let (sums, rows) =
    unzip (map (\p -> let xs = map (distance p) others in (f64.sum xs, map (* 2) xs)) points)
  let right i = tabulate m (distance_at d i)
  in and (map3 (\sum xs i -> sum == f64.sum (right i) && and (map2 (\x y -> x == 2 * y) xs (right i)))
               sums
               rows
               (iota count))
