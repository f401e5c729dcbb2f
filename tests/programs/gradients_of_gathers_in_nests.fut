-- Gradients of reads at computed places in nests are what additions one by one give, however few
-- points the outer map has.
-- ==
-- entry: given computed beside twice rows deep repeated
-- input { 3i64 1000i64 }
-- output { true }
-- input { 1i64 50i64 }
-- output { true }
-- input { 4i64 0i64 }
-- output { true }

def places (m: i64) (k: i64) : [m][k]i64 =
  tabulate_2d m k (\i j -> (i * 7919 + j * 104729) % 97)

def numbers (n: i64) : [n]f64 = tabulate n (\i -> f64.i64 (i % 5))

-- The rows' sums, which each read of a row is multiplied with.
def sums [m] [k] (xs: [97]f64) (ps: [m][k]i64) : [m]f64 =
  map (\row -> f64.sum (map (\p -> xs[p]) row)) ps

def added (qs: []i64) (vs: []f64) : [97]f64 =
  loop d = replicate 97 0
  for (q, v) in zip qs vs do
    d with [q] = d[q] + v

def each [m] (k: i64) (ss: [m]f64) : []f64 = flatten (map (\s -> replicate k (2 * s)) ss)

entry given (m: i64) (k: i64) : bool =
  let ps = places m k
  let f xs = f64.sum (map (\row -> let s = f64.sum (map (\p -> xs[p]) row) in s * s) ps)
  let xs = numbers 97
  in and (map2 (==) (vjp f xs 1) (added (flatten ps) (each k (sums xs ps))))

entry computed (m: i64) (k: i64) : bool =
  let f (xs: [97]f64) =
    f64.sum (map (\i ->
                    let s = f64.sum (map (\j -> xs[(i * 7919 + j * 104729) % 97]) (iota k)) in s * s)
                 (iota m))
  let (xs, ps) = (numbers 97, places m k)
  in and (map2 (==) (vjp f xs 1) (added (flatten ps) (each k (sums xs ps))))

-- The numbers that reads are multiplied with have a gradient, too.
entry beside (m: i64) (k: i64) : bool =
  let ps = places m k
  let f (xs: [97]f64, ws: [m][k]f64) =
    f64.sum (map2 (\row vs ->
                     let s = f64.sum (map2 (\p v -> v * xs[p]) row vs) in s * s)
                  ps
                  ws)
  let xs = numbers 97
  let (dx, dw) = vjp f (xs, map (map (const 1)) ps) 1
  let ss = sums xs ps
  in and (map2 (==) dx (added (flatten ps) (each k ss)))
     && and (flatten (map3 (\s ds row -> map2 (\d p -> d == 2 * s * xs[p]) ds row) ss dw ps))

entry twice (m: i64) (k: i64) : bool =
  let ps = places m k
  let f xs =
    f64.sum (map (\row ->
                    let s = f64.sum (map (\p -> xs[p] - 3 * xs[96 - p]) row) in 2 * s)
                 ps)
  in and (map2 (==)
               (vjp f (numbers 97) 1)
               (added (flatten ps ++ map (96 -) (flatten ps))
                      (map (const 2) (flatten ps) ++ map (const (-6)) (flatten ps))))

-- Rows at two places, of two arrays.
entry rows (m: i64) (k: i64) : bool =
  let f (us: [97][k]f64, vs: [97][k]f64) =
    f64.sum (map (\i ->
                    let e = f64.sum (map2 (*) us[i * 31 % 97] vs[i % 2]) in e * e)
                 (iota m))
  let us = tabulate_2d 97 k (\i j -> f64.i64 ((i + j) % 3))
  let vs = tabulate_2d 97 k (\i j -> f64.i64 ((i * j) % 4))
  let (du, dv) = vjp f (us, vs) 1
  let e i = f64.sum (map2 (*) us[i * 31 % 97] vs[i % 2])
  let by_hand =
    loop (a, b) = (map (map (const 0)) us, map (map (const 0)) vs)
    for i < m do
      ( a with [i * 31 % 97] = map2 (\x y -> x + 2 * e i * y) (copy a[i * 31 % 97]) vs[i % 2]
      , b with [i % 2] = map2 (\x y -> x + 2 * e i * y) (copy b[i % 2]) us[i * 31 % 97]
      )
  in and (map2 (==) (flatten du) (flatten by_hand.0)) && and (map2 (==) (flatten dv) (flatten by_hand.1))

-- Three maps, of which one has few points, and a sum between them.
entry deep (m: i64) (k: i64) : bool =
  let ps = places m k
  let f xs =
    f64.sum (map (\row ->
                    f64.sum (map (\t ->
                                    let s = f64.sum (map (\p -> xs[(p + t) % 97]) row) in s * s)
                                 (iota 3)))
                 ps)
  let xs = numbers 97
  let moved t = map (map (\p -> (p + t) % 97)) ps
  let by_hand t = added (flatten (moved t)) (each k (sums xs (moved t)))
  in and (map2 (==) (vjp f xs 1) (map3 (\a b c -> a + b + c) (by_hand 0) (by_hand 1) (by_hand 2)))

-- A loop around the inner reads.
entry repeated (m: i64) (k: i64) : bool =
  let ps = places m k
  let f (xs: [97]f64) =
    f64.sum (map (\row ->
                    loop s = 1
                    for t < 3 do
                      s + f64.sum (map (\p -> xs[(p + t) % 97]) row))
                 ps)
  let by_hand t = added (flatten (map (map (\p -> (p + t) % 97)) ps)) (map (const 1) (flatten ps))
  in and (map2 (==)
               (vjp f (numbers 97) 1)
               (map3 (\a b c -> a + b + c) (by_hand 0) (by_hand 1) (by_hand 2)))
