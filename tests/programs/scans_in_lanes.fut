-- Scans with operators on all types of numbers and on tuples, beside a loop; rows, and what comes
-- before and after the operator.
-- ==
-- entry: integers extrema logical floats_and_doubles tuples partly_read rows before_and_after captured
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 3i64 } output { true }
-- input { 8i64 } output { true }
-- input { 15i64 } output { true }
-- input { 16i64 } output { true }
-- input { 17i64 } output { true }
-- input { 33i64 } output { true }
-- input { 100i64 } output { true }
-- input { 70003i64 } output { true }

def number (i: i64) : i64 = let x = (i + 1) * 2654435761 in (x ^ (x >> 15)) % 1009

def one_by_one [n] 't (op: t -> t -> t) (neutral: t) (xs: [n]t) : [n]t =
  (#[sequential]
   loop (out, before) = (copy xs, neutral)
   for i < n do
     let now = op before xs[i] in (out with [i] = now, now)).0

def agree [n] 't (same: t -> t -> bool) (op: t -> t -> t) (neutral: t) (xs: [n]t) : bool =
  and (map2 same (scan op neutral xs) (one_by_one op neutral xs))

entry integers (n: i64) : bool =
  agree (==) (+) 0 (map (\i -> i8.i64 (number i)) (iota n))
  && agree (==) (*) 1 (map (\i -> u16.i64 (number i)) (iota n))
  && agree (==) (+) 0 (map (\i -> i32.i64 (number i)) (iota n))
  && agree (==) (*) 1 (map (\i -> number i * 2 + 1) (iota n))
  && agree (==) (\a b -> a + b) 0 (map (const 1i64) (iota n))
  && agree (==) (+) 0 (iota n)

entry extrema (n: i64) : bool =
  agree (==) i8.max i8.lowest (map (\i -> i8.i64 (number i)) (iota n))
  && agree (==) u16.min u16.highest (map (\i -> u16.i64 (number i)) (iota n))
  && agree (==) i64.min i64.highest (map (\i -> number i - 7 * i) (iota n))
  && agree (==) f16.max (-f16.inf) (map (\i -> f16.i64 (number i)) (iota n))
  && agree (==) f32.max (-f32.inf) (map (\i -> f32.i64 (number i + i)) (iota n))
  && agree (==) f64.min f64.inf (map (\i -> f64.i64 (number i - i)) (iota n))

entry logical (n: i64) : bool =
  agree (==) (&&) true (map (\i -> number i != 1008) (iota n))
  && agree (==) (||) false (map (\i -> number i == 77) (iota n))
  && agree (==) (^) 0 (map (\i -> u32.i64 (number i)) (iota n))
  && agree (==) (&) (-1) (map (\i -> number i | 512) (iota n))

-- Whole numbers: the order of additions does not matter.
entry floats_and_doubles (n: i64) : bool =
  agree (==) (+) 0 (map (\i -> f32.i64 (number i % 64)) (iota n))
  && agree (==) (+) 0 (map (\i -> f64.i64 (number i)) (iota n))
  && agree (==) (*) 1 (map (\i -> f64.i64 (number i % 2 * 2 - 1)) (iota n))

-- Compositions of linear functions, which do not commute; sums from flag to flag; the first of
-- equal extrema.
entry tuples (n: i64) : bool =
  let same (a: (i64, i64)) (b: (i64, i64)) = a.0 == b.0 && a.1 == b.1
  let compose (a: i64, b: i64) (c, d) = (a * c, b * c + d)
  let linear = map (\i -> (number i % 3, number i)) (iota n)
  let flagged (x: f64, f: bool) (y, g) = (if g then y else x + y, f || g)
  let flags = map (\i -> (f64.i64 (number i), number i % 10 == 0)) (iota n)
  let better (x: f32, i: i64) (y, j) = if x > y || (x == y && i < j) then (x, i) else (y, j)
  let places = map (\i -> (f32.i64 (number i), i)) (iota n)
  in agree same compose (1, 0) linear
     && agree (\a b -> a.0 == b.0 && a.1 == b.1) flagged (0, false) flags
     && agree (\a b -> a.0 == b.0 && a.1 == b.1) better (-f32.inf, i64.highest) places

-- Of a pair, of rows of pairs, and of what is mapped beside it, only one part is read.
entry partly_read (n: i64) : bool =
  let flagged (x: i64, f: bool) (y, g) = (if g then y else x + y, f || g)
  let pair i = (number i, number i % 10 == 0)
  let pairs = map pair (iota n)
  let sums = map (.0) (scan flagged (0, false) pairs)
  let seen = map (.1) (scan flagged (0, false) (map (\(x, f) -> (2 * x, !f)) pairs))
  let rows = map (\k -> map (.0) (scan flagged (0, false) (map (\i -> pair (i + k)) (iota n)))) (iota 3)
  let expected k = map (.0) (one_by_one flagged (0, false) (map (\i -> pair (i + k)) (iota n)))
  let inverted = map (\i -> (2 * number i, number i % 10 != 0)) (iota n)
  in and (map2 (==) sums (expected 0))
     && and (map2 (==) seen (map (.1) (one_by_one flagged (0, false) inverted)))
     && and (map2 (\row k -> and (map2 (==) row (expected k))) rows (iota 3))

entry rows (n: i64) : bool =
  let wide = tabulate_2d 3 n (\r i -> f32.i64 ((r + 1) * (number i % 16)))
  let high = tabulate_2d (n % 1000) 5 (\r i -> i32.i64 (number (r + i)))
  in and (map2 (\sums row -> and (map2 (==) sums (one_by_one (+) 0 row))) (map (scan (+) 0) wide) wide)
     && and (map2 (\sums row -> and (map2 (==) sums (one_by_one i32.max i32.lowest row)))
                  (map (scan i32.max i32.lowest) high)
                  high)
     && and (map2 (\sums column -> and (map2 (==) sums (one_by_one (+) 0 column)))
                  (map (scan (+) 0) (transpose high))
                  (transpose high))

entry before_and_after (n: i64) : bool =
  let xs = map number (iota n)
  let (doubled, halves) =
    unzip (map2 (\s x -> (2 * s, x / 2)) (scan (+) 0 (map (\x -> x * x) xs)) xs)
  let expected = one_by_one (+) 0 (map (\x -> x * x) xs)
  in and (map2 (\d s -> d == 2 * s) doubled expected) && and (map2 (\h x -> h == x / 2) halves xs)

entry captured (n: i64) : bool =
  let modulus = 1 + n % 5
  let combine (a: i64) (b: i64) = (a + b) % modulus
  in agree (==) combine 0 (map (\i -> number i % modulus) (iota n))

-- | NaNs lose against numbers, as they do in `f32.max`.
-- ==
-- entry: with_nans
-- input { 40i64 } output { true }
entry with_nans (n: i64) : bool =
  let xs = map (\i -> if i % 3 == 0 then f32.nan else f32.i64 (i % 7)) (iota n)
  let largest = scan f32.max (-f32.inf) xs
  in and (map (\i ->
                 let expected = f32.maximum (map (\j -> if j % 3 == 0 then -f32.inf else f32.i64 (j % 7)) (iota (i + 1)))
                 in largest[i] == expected)
              (iota n))
