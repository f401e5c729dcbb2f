-- Gradients of what all pairs of points give, under conditions on the pair: the sums for each point, and those for each of
-- the others, agree with forward mode, however coordinates are read.
-- ==
-- entry: read_by_index
-- input { 3i64 } output { true }
-- input { 40i64 } output { true }
-- input { 1i64 } output { true }
-- input { 0i64 } output { true }
-- ==
-- entry: read_as_rows
-- input { 3i64 } output { true }
-- input { 40i64 } output { true }
-- input { 0i64 } output { true }
-- ==
-- entry: apart
-- input { 3i64 } output { true }
-- input { 40i64 } output { true }
-- input { 0i64 } output { true }
-- ==
-- entry: unlike
-- input { 3i64 5i64 } output { true }
-- input { 40i64 20i64 } output { true }
-- input { 0i64 3i64 } output { true }
-- input { 3i64 0i64 } output { true }
-- ==
-- entry: in_order
-- input { 3i64 } output { true }
-- input { 40i64 } output { true }
-- ==
-- entry: guarded
-- input { 40i64 30i64 } output { true }
-- input { 1i64 3i64 } output { true }
def numbers (n: i64) : [n]f64 = tabulate n (\i -> f64.i64 ((i * 37 + 5) % 101) / 8)

-- The gradient, an element at a time.
def agree [n] (f: [n]f64 -> f64) (x: [n]f64) : bool =
  let forwards = tabulate n (\k -> jvp f x (tabulate n (\i -> f64.bool (i == k))))
  in and (map2 (\a b -> f64.abs (a - b) < 1e-12 * (1 + f64.abs a)) (vjp f x 1) forwards)

-- The energy of two atoms, not too near.
def lennard_jones (r2: f64) : f64 =
  let s2 = 1 / (1 + r2)
  let s6 = s2 * s2 * s2
  in 4 * (s6 * s6 - s6)

def squares (dx: f64) (dy: f64) (dz: f64) : f64 = dx * dx + dy * dy + dz * dz

entry read_by_index (n: i64) : bool =
  agree (\flat ->
           let xs = unflatten flat :> [n][3]f64
           in f64.sum (tabulate n (\i ->
                                     f64.sum (tabulate n (\j ->
                                                            let r2 =
                                                              squares (xs[i, 0] - xs[j, 0])
                                                                      (xs[i, 1] - xs[j, 1])
                                                                      (xs[i, 2] - xs[j, 2])
                                                            in if i == j
                                                               then 0
                                                               else lennard_jones r2)))))
        (numbers (n * 3))

entry read_as_rows (n: i64) : bool =
  agree (\flat ->
           let xs = unflatten flat :> [n][3]f64
           in f64.sum (tabulate n (\i ->
                                     f64.sum (tabulate n (\j ->
                                                            let d = map2 (-) xs[i] xs[j]
                                                            let r2 = f64.sum (map (\x -> x * x) d)
                                                            in if i == j || r2 > 50
                                                               then 0
                                                               else lennard_jones r2)))))
        (numbers (n * 3))

-- Each pair once, and a term that mentions no pair.
entry apart (n: i64) : bool =
  agree (\flat ->
           let xs = unflatten flat :> [3][n]f64
           let pair i j =
             if j < i
             then if xs[0, i] < xs[1, j]
                  then f64.exp (-xs[0, i] / 16)
                  else lennard_jones (squares (xs[0, i] - xs[0, j])
                                              (xs[1, i] - xs[1, j])
                                              (xs[2, i] - xs[2, j]))
             else xs[2, j]
           in f64.sum (tabulate n (\i -> f64.sum (tabulate n (pair i)))))
        (numbers (3 * n))

-- Points of two kinds.
entry unlike (n: i64) (m: i64) : bool =
  let centres = unflatten (map (+ 0.3) (numbers (m * 2)))
  let sum (xs: [n][2]f64) (cs: [m][2]f64) =
    f64.sum (tabulate n (\i ->
                           f64.sum (tabulate m (\j ->
                                                  let r2 =
                                                    squares (xs[i, 0] - cs[j, 0])
                                                            (xs[i, 1] - cs[j, 1])
                                                            0
                                                  in if r2 < 20
                                                     then f64.exp (-r2 / 16) * cs[j, 1]
                                                     else 0))))
  let points = numbers (n * 2)
  in agree (\x -> sum (unflatten x) centres) points
     && agree (\c -> sum (unflatten points) (unflatten c)) (flatten centres)

-- Differences whose sign counts.
entry in_order (n: i64) : bool =
  agree (\flat ->
           let xs = unflatten flat :> [n][2]f64
           let pair i j =
             let d = xs[i, 0] - xs[j, 0]
             let e = xs[i, 1] - xs[j, 1]
             in if i < j then d * d * d / (1 + d * d + e * e) + e else 0
           in f64.sum (tabulate n (\i -> f64.sum (tabulate n (pair i)))))
        (numbers (n * 2))

-- A condition that says that the next one reads an element that there is.
entry guarded (n: i64) (m: i64) : bool =
  let ys = numbers m
  let sum (x: [n]f64) =
    f64.sum (tabulate m (\i ->
                           f64.sum (tabulate n (\j ->
                                                  if j > 0
                                                  then if x[j - 1] < ys[i]
                                                       then x[j] * x[j] * ys[i]
                                                       else 0
                                                  else 0))))
  in agree sum (numbers n)
