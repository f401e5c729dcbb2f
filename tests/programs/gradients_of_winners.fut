-- The gradient of distances to nearest centres goes to their rows, for each element of these.
-- ==
-- entry: same
-- input { 0i64 3i64 4i64 } output { true }
-- input { 10i64 0i64 4i64 } output { true }
-- input { 10i64 3i64 0i64 } output { true }
-- input { 500i64 1i64 1i64 } output { true }
-- input { 500i64 7i64 33i64 } output { true }
-- input { 130i64 40i64 70i64 } output { true }
-- input { 20i64 3000i64 5i64 } output { true }

-- Whole numbers without a pattern: sums are exact, in any order.
def number (i: i64) (j: i64) : f64 =
  let x = (i * 31 + j + 1) * 2654435761 in f64.i64 ((x ^ (x >> 15)) % 101)

def distance [d] (p: [d]f64) (c: [d]f64) = f64.sum (map2 (\x y -> (x - y) * (x - y)) p c)

def gradient [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) : [k][d]f64 =
  let nearest centres = map (\p -> f64.minimum (map (distance p) centres)) points
  in vjp (\centres -> f64.sum (nearest centres)) centres 1

-- The first of the nearest ones.
def in_order [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) : [k][d]f64 =
  loop all = replicate k (replicate d 0)
  for i < n do
    let (winner, _) =
      loop (winner, least) = (-1, f64.inf)
      for c < k do
        let here = distance points[i] centres[c]
        in if here < least then (c, here) else (winner, least)
    in if winner < 0
       then all
       else all with [winner] = map3 (\sum p c -> sum + 2 * (c - p))
                                     (copy all[winner])
                                     points[i]
                                     centres[winner]

entry same (n: i64) (k: i64) (d: i64) : bool =
  let points = tabulate_2d n d number
  let centres = tabulate_2d k d (\i j -> number (i + 7) (j * 3))
  in and (map2 (==) (flatten (gradient points centres)) (flatten (in_order points centres)))
