-- Maps that read each other's results nearby, which may run as one loop, give what they give one after
-- the other: of any size, from both sides, from afar, and in pieces.
-- ==
-- entry: upwards downwards mixed
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 3i64 } output { true }
-- input { 4i64 } output { true }
-- input { 5i64 } output { true }
-- input { 7i64 } output { true }
-- input { 8i64 } output { true }
-- input { 9i64 } output { true }
-- input { 16i64 } output { true }
-- input { 17i64 } output { true }
-- input { 31i64 } output { true }
-- input { 33i64 } output { true }
-- input { 64i64 } output { true }
-- input { 100i64 } output { true }
-- input { 100000i64 } output { true }

-- ==
-- entry: fixed
-- input { 3 } output { true }

-- ==
-- entry: steps
-- input { [1, 2, 3, 4, 5] 0i64 } output { [1, 2, 3, 4, 5] [4, 9, 14, 14, 10] }
-- input { [1, 2, 3, 4, 5] 1i64 } output { [4, 9, 14, 14, 10] [17, 40, 60, 56, 25] }
-- input { [1] 2i64 } output { [3] [4] }
-- input { empty([0]i32) 2i64 } output { empty([0]i32) empty([0]i32) }

-- ==
-- entry: guarded_division
-- input { [6, 3, 2, 0, 5] } output { [6, 1, 2, 1, 2] }

-- | xs[i + by], or `other` outside.
def at [n] 'a (xs: [n]a) (other: a) (by: i64) (i: i64) : a =
  if 0 <= i + by && i + by < n then xs[i + by] else other

-- | The same, read where no compiler sees how far away.
def far [n] 'a (xs: [n]a) (other: a) (by: i64) (i: i64) : a =
  let j = i + by
  in if j < 0 || j >= n then other else xs[((j * 3) % (3 * n)) / 3]

def noise (i: i64) : i64 = (i * 7919 + 13) % 101

-- | Three stages of which each reads before its own point, by two ways of reading.
def rising [n] (at: [n]i64 -> i64 -> i64 -> i64 -> i64) (xs: [n]i64) : ([n]i64, [n]i64) =
  let a = tabulate n (\i -> 3 * xs[i] + at xs 1 (-1) i)
  let b = tabulate n (\i -> a[i] - 2 * at a 5 (-1) i + at a 7 (-3) i)
  let c = tabulate n (\i -> (at b 1 (-2) i ^ a[i]) + at xs 4 2 i)
  let d = tabulate n (\i -> c[i] + at c 9 (-1) i - at a 2 (-4) i)
  in (b, d)

-- | Three that read after it, with numbers that take up less.
def falling [n] (at: [n]i16 -> i16 -> i64 -> i64 -> i16) (xs: [n]i16) : ([n]i16, [n]i16) =
  let a = tabulate n (\i -> 3 * xs[i] + at xs 1 1 i)
  let b = tabulate n (\i -> a[i] - 2 * at a 5 2 i + at xs 7 (-3) i)
  let c = tabulate n (\i -> at b 1 1 i - at a 2 4 i)
  in (a, c)

-- | Stages that cannot all run in one loop.
def both_ways [n] (at: [n]i64 -> i64 -> i64 -> i64 -> i64) (xs: [n]i64) : [n]i64 =
  let a = tabulate n (\i -> at xs 1 (-1) i + at xs 3 1 i)
  let b = tabulate n (\i -> at a 1 (-1) i)
  let c = tabulate n (\i -> at b 1 1 i + a[i])
  let d = tabulate n (\i -> at c 1 1 i - at b 1 (-1) i)
  in tabulate n (\i -> at d 3 5 i + c[i])

def same [n] 't (eq: t -> t -> bool) (a: [n]t) (b: [n]t) : bool = and (map2 eq a b)

entry upwards (n: i64) : bool =
  let xs = map noise (iota n)
  let (a, b) = rising at xs
  let (c, d) = rising far xs
  in same (==) a c && same (==) b d

entry downwards (n: i64) : bool =
  let xs = map (i16.i64 <-< noise) (iota n)
  let (a, b) = falling at xs
  let (c, d) = falling far xs
  in same (==) a c && same (==) b d

entry mixed (n: i64) : bool =
  let xs = map noise (iota n)
  in same (==) (both_ways at xs) (both_ways far xs)

-- | Sizes that are known.
entry fixed (seed: i32) : bool =
  let of_size (n: i64) =
    let xs = map (\i -> noise (i + i64.i32 seed)) (iota n)
    in same (==) (both_ways at xs) (both_ways far xs)
       && same (==) (rising at xs).1 (rising far xs).1
  in of_size 3 && of_size 20 && of_size 1000

def step [n] (ys: [n]i32) : [n]i32 =
  let a = tabulate n (\i -> ys[i] + at ys 0 (-1) i)
  let b = tabulate n (\i -> ys[i] + at a 1 (-1) i - (if i == n - 1 then ys[i] else 0))
  in tabulate n (\i -> at b 1 1 i + a[i])

-- | The last two states of a loop that keeps all.
entry steps [n] (ys: [n]i32) (s: i64) : ([n]i32, [n]i32) =
  let (last, kept) =
    loop (ys, all) = (ys, replicate (s + 1) (replicate n 0))
    for i < s + 1 do
      (step ys, copy all with [i] = ys)
  in (kept[s], last)

-- | A division by what another map gives: never by what lies outside.
entry guarded_division [n] (xs: [n]i32) : [n]i32 =
  let a = map (\x -> i32.max 1 (x - 2)) xs
  in tabulate n (\i -> if i < 1 then xs[i] else (xs[i] + xs[i - 1]) / a[i - 1] / 2)
