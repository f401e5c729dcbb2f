-- Points that run as vectors on the CPU although their loops carry arrays, they accumulate, or part
-- of what they do goes point by point: compared with plain loops, on sizes around a block's.
-- Numbers are small integers or powers of two, so that sums are exact in any order.
-- ==
-- entry: polynomial
-- input { 0i64 3i64 } output { true }
-- input { 1i64 3i64 } output { true }
-- input { 31i64 4i64 } output { true }
-- input { 32i64 1i64 } output { true }
-- input { 70i64 0i64 } output { true }
-- input { 40000i64 5i64 } output { true }
-- input { 70i64 8i64 } output { true }
-- input { 40000i64 27i64 } output { true }
-- ==
-- entry: several_orders
-- input { 70i64 0i64 } output { true }
-- input { 70i64 7i64 } output { true }
-- input { 40i64 16i64 } output { true }
-- input { 20000i64 35i64 } output { true }
-- ==
-- entry: nearest
-- input { 0i64 3i64 2i64 } output { true }
-- input { 32i64 3i64 2i64 } output { true }
-- input { 65i64 5i64 3i64 } output { true }
-- input { 20000i64 7i64 3i64 } output { true }
-- ==
-- entry: states
-- input { 31i64 3i64 2i64 } output { true }
-- input { 32i64 4i64 0i64 } output { true }
-- input { 67i64 5i64 3i64 } output { true }
-- ==
-- entry: choices
-- input { 31i64 4i64 } output { true }
-- input { 32i64 5i64 } output { true }
-- input { 99i64 3i64 } output { true }
-- ==
-- entry: rotated
-- input { 33i64 4i64 } output { true }
-- input { 64i64 1i64 } output { true }

def small (i: i64) : f64 = f64.i64 (i % 3 - 1)

-- The powers are kept for the way back, and all points add to one array.
entry polynomial (n: i64) (m: i64) : bool =
  let value x =
    f64.sum (tabulate n (\i ->
                           (loop (rest, power) = (0, 1)
                            for c in x do
                              (rest + c * power, power * small i)).0))
  let expected =
    loop sums = replicate m 0
    for i < n do
      (loop (sums, power) = (sums, 1)
       for j < m do
         (sums with [j] = sums[j] + power, power * small i)).0
  in and (map2 (==) (vjp value (replicate m 2) 1) expected)

-- What a step of a loop adds to is read forwards, backwards, every second element, a column, or an
-- element that several steps share; numbers of half the size have twice the lanes.
entry several_orders (n: i64) (m: i64) : bool =
  let single i j = f32.i64 ((i + j) % 3 - 1)
  let value ( forwards: [m]f64
            , backwards: [m]f64
            , seconds: []f64
            , columns: [m][2]f64
            , shared: [m]f64
            , singles: [m]f32
            ) =
    let a =
      tabulate n (\i ->
                    loop a = 0
                    for j < m do
                      a
                      + small (i + j)
                        * (forwards[j] + 2 * backwards[m - 1 - j] + seconds[2 * j]
                           + columns[j, 1]))
    let b = tabulate n (\i -> loop b = 0 for j < m do b + small (i + j) * shared[j / 3])
    let c = tabulate n (\i -> loop c = 0 for j < m do c + single i j * singles[m - 1 - j])
    in (f64.sum a + f64.sum b, f32.sum c)
  let zeros = replicate m 0
  let (forwards, backwards, seconds, columns, shared, singles) =
    vjp value (zeros, zeros, replicate (2 * m) 0, replicate m [0, 0], zeros, replicate m 0) (1, 1)
  let sums = map (\j -> f64.sum (tabulate n (\i -> small (i + j)))) (iota m)
  let thirds =
    loop thirds = replicate m 0
    for j < m do
      thirds with [j / 3] = thirds[j / 3] + sums[j]
  in and (map2 (==) forwards sums)
     && and (map2 (==) backwards (map (2 *) (reverse sums)))
     && and (tabulate m (\j -> seconds[2 * j] == sums[j] && seconds[2 * j + 1] == 0))
     && and (map2 (\row sum -> row[0] == 0 && row[1] == sum) columns sums)
     && and (map2 (==) shared thirds)
     && and (map2 (==) singles (reverse (map f32.f64 sums)))

def distance [d] (p: [d]f64) (q: [d]f64) = f64.sum (map2 (\a b -> (a - b) * (a - b)) p q)

-- The first of the nearest centres gets what a point adds.
entry nearest (n: i64) (k: i64) (d: i64) : bool =
  let points = tabulate_2d n d (\i j -> f64.i64 ((i * 5 + j * 3) % 7))
  let centres = tabulate_2d k d (\i j -> f64.i64 ((i * 2 + j) % 5))
  let cost cs = f64.sum (map (\p -> f64.minimum (map (distance p) cs)) points)
  let expected =
    loop sums = replicate k (replicate d 0)
    for p in points do
      let (best, _) =
        loop (best, least) = (0, f64.inf)
        for c < k do
          let x = distance p centres[c] in if x < least then (c, x) else (best, least)
      in loop sums for j < d do
           sums with [best, j] = sums[best, j] + 2 * (centres[best, j] - p[j])
  in and (map2 (\a b -> and (map2 (==) a b)) (vjp cost centres 1) expected)

-- States that are made anew in every step.
entry states (n: i64) (m: i64) (steps: i64) : bool =
  let next [m] (i: i64) (v: [m]i64) = map (\k -> (k + i) % 7 + i64.sum (map (\x -> x * k % 5) v)) (iota m)
  let made = map (\i -> loop v = replicate m i for _step < steps do next i v) (iota n)
  let expected =
    loop rows = replicate n (replicate m 0)
    for i < n do
      let v =
        loop v = replicate m i
        for _step < steps do
          loop w = replicate m 0
          for k < m do
            w with [k] = (loop sum = (k + i) % 7 for l < m do sum + v[l] * k % 5)
      in rows with [i] = v
  in and (map2 (\a b -> and (map2 (==) a b)) made expected)

-- Branches with loops of their own, whose results are numbers and arrays.
entry choices (n: i64) (m: i64) : bool =
  let table = tabulate_2d m m (\i j -> (i * 3 + j) % 4)
  let point i =
    let x = i64.sum (map (\row -> i64.sum (map (\y -> (y + i) % 6) row)) table)
    let (y, v) =
      if x % 2 == 0
      then (loop y = x for j < m do y * 3 + j, replicate m x)
      else (x, map (+ i) (iota m))
    in (y, v, i64.sum (map (\row -> i64.sum (map2 (\a b -> a * b % 3) row v)) table))
  let (ys, vs, zs) = unzip3 (map point (iota n))
  let good i =
    let x = loop x = 0 for j < m do loop x for k < m do x + (table[j, k] + i) % 6
    let y = if x % 2 == 0 then loop y = x for j < m do y * 3 + j else x
    let element j = if x % 2 == 0 then x else i + j
    let z = loop z = 0 for j < m do loop z for k < m do z + table[j, k] * element k % 3
    in ys[i] == y && zs[i] == z && and (map (\j -> vs[i, j] == element j) (iota m))
  in and (map good (iota n))

-- Elements are set in another order by every point.
entry rotated (n: i64) (m: i64) : bool =
  let rows =
    map (\i ->
           loop v = replicate m 0
           for j < m do
             v with [(i + j) % m] = i64.sum (map (\k -> (k * i + j) % 5) (iota m)))
        (iota n)
  let good i j = rows[i, (i + j) % m] == (loop s = 0 for k < m do s + (k * i + j) % 5)
  in and (map (\i -> and (map (good i) (iota m))) (iota n))
