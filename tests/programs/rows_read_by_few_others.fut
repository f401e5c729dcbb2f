-- Each of many rows is compared with a few others, and its place in the nearest one's sum is found
-- again: rows that are laid out anew for the comparisons keep their elements' order for the sums.
-- ==
-- entry: sums_of_nearest
-- input { 200i64 2i64 19i64 } output { true }
-- input { 333i64 3i64 4i64 } output { true }
-- input { 130i64 7i64 1i64 } output { true }

def row (seed: i64) (d: i64) (i: i64) : [d]f32 =
  tabulate d (\j -> f32.i64 ((i * 7919 + j * 104729 + seed) % 1013))

def distance [d] (p: [d]f32) (q: [d]f32) : f32 =
  f32.sum (map2 (\a b -> (a - b) * (a - b)) p q)

def cost [n] [k] [d] (points: [n][d]f32) (centres: [k][d]f32) : f32 =
  f32.sum (map (\p -> f32.minimum (map (distance p) centres)) points)

-- Gradients of the cost are twice the sums of differences, whole numbers that f32 holds.
entry sums_of_nearest (n: i64) (k: i64) (d: i64) : bool =
  let points = tabulate n (row 1 d)
  let centres = tabulate k (row 500 d)
  let nearest p =
    (loop (best, least) = (0, f32.inf)
     for j < k do
       let here = distance p centres[j]
       in if here < least then (j, here) else (best, least)).0
  let expected =
    loop sums = replicate k (replicate d 0)
    for i < n do
      let j = nearest points[i]
      in copy sums with [j] = map3 (\s c p -> s + 2 * (c - p)) sums[j] centres[j] points[i]
  in and (flatten (map2 (map2 (==)) (vjp (cost points) centres 1) expected))
