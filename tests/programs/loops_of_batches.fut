-- Loops in the points of a map, with matrices that all points share: they come outside where the
-- matrices are large, and the results are those of points that are computed one by one.  All numbers
-- are whole, so that any order of sums is exact.
def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

def numbers (a: i64) (b: i64) (c: i64) (seed: i64) : [a][b][c]f64 =
  tabulate_3d a b c (\i j k -> f64.i64 ((i * 7 + j * 5 + k * 3 + seed) % 3) - 1)

-- A number that stays whole and small.
def bend (x: f64) : f64 = if x > 2 then 2 - x / 1e300 else if x < -2 then -2 else x

def step [d] [h] (w: [h][d]f64) (u: [h][h]f64) (x: [d]f64) (s: [h]f64) : [h]f64 =
  map2 (\a b -> bend (dot a x + dot b s)) w u

def recurrent [t] [d] [h] (w: [h][d]f64) (u: [h][h]f64) (x: [t][d]f64) : f64 =
  let start = map (\row -> row[0]) u
  let (s, count) =
    loop (s, count) = (start, 0)
    for i < t do
      let s = step w u x[i] s
      in (s, count + f64.bool (s[0] > 0))
  in f64.sum s + 3 * count + x[0, 0]

entry alike (b: i64) (t: i64) (d: i64) (h: i64) : bool =
  let xs = numbers b t d 1
  let w = (numbers 1 h d 2)[0]
  let u = (numbers 1 h h 3)[0]
  let together = map (recurrent w u) xs
  let in_turn = loop ys = replicate b 0 for i < b do ys with [i] = recurrent w u (copy xs[i])
  in and (map2 (==) together in_turn)

-- What is summed over the points at once, and a map around.
entry sums (a: i64) (b: i64) (t: i64) (d: i64) (h: i64) : bool =
  let xs = tabulate a (\i -> numbers b t d i)
  let w = (numbers 1 h d 2)[0]
  let u = (numbers 1 h h 3)[0]
  let together = map (\one -> f64.sum (map (recurrent w u) one)) xs
  let in_turn =
    loop ys = replicate a 0
    for i < a do
      ys with [i] = loop sum = 0 for j < b do sum + recurrent w u (copy xs[i, j])
  in and (map2 (==) together in_turn)

-- Sequences of their own lengths stay whole, and so do states that are written over.
entry lengths (b: i64) (t: i64) (d: i64) (h: i64) : bool =
  let xs = numbers b t d 1
  let w = (numbers 1 h d 2)[0]
  let u = (numbers 1 h h 3)[0]
  let one (k: i64) (x: [t][d]f64) = f64.sum (loop s = replicate h 1 for i < k do step w u x[i] s)
  let written (x: [t][d]f64) =
    f64.sum (loop s = replicate h 1
             for i < t do
               let next = step w u x[i] s
               let s[0] = f64.sum next
               in s)
  let together = map2 one (map (% (t + 1)) (iota b)) xs
  let in_turn = loop ys = replicate b 0 for i < b do ys with [i] = one (i % (t + 1)) (copy xs[i])
  let all = map written xs
  let each = loop ys = replicate b 0 for i < b do ys with [i] = written (copy xs[i])
  in and (map2 (==) together in_turn) && and (map2 (==) all each)

-- The derivative along a direction, by both modes.
entry derivatives_agree (b: i64) (t: i64) (d: i64) (h: i64) : bool =
  let xs = numbers b t d 1
  let f (w, u) =
    f64.sum (map2 (\i x ->
                     f64.i64 (1 + i % 3)
                     * f64.sum (loop s = replicate h 0.5
                                for y in x do
                                  map2 (\a b -> f64.tanh (0.3 * (dot a y + dot b s))) w u))
                  (iota b)
                  xs)
  let at = ((numbers 1 h d 2)[0], (numbers 1 h h 3)[0])
  let (dw, du) = ((numbers 1 h d 4)[0], (numbers 1 h h 5)[0])
  let along = jvp f at (dw, du)
  let (gw, gu) = vjp f at 1
  let product = f64.sum (map2 dot gw dw) + f64.sum (map2 dot gu du)
  in f64.abs (along - product) < 1e-8 * (1 + f64.abs along)

-- ==
-- entry: alike
-- input { 5i64 3i64 4i64 2i64 } output { true }
-- input { 9i64 6i64 30i64 33i64 } output { true }
-- input { 70i64 2i64 17i64 40i64 } output { true }
-- input { 3i64 1i64 64i64 64i64 } output { true }

-- ==
-- entry: sums
-- input { 2i64 5i64 3i64 30i64 33i64 } output { true }
-- input { 3i64 2i64 3i64 4i64 5i64 } output { true }

-- ==
-- entry: lengths
-- input { 5i64 3i64 30i64 33i64 } output { true }

-- ==
-- entry: derivatives_agree
-- input { 5i64 3i64 4i64 2i64 } output { true }
-- input { 9i64 6i64 30i64 33i64 } output { true }
-- input { 20i64 0i64 30i64 33i64 } output { true }
