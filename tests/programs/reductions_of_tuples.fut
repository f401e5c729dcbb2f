-- Operators on pairs, triples and more, commutative or not: in vector lanes where the operands are
-- long, each time against a loop over the elements.
-- ==
-- entry: first_place last_place some_place affine matrices gaussian flagged first_of_rows moments
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 17i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 4097i64 } output { true }
-- input { 100003i64 } output { true }

def noise (i: i64) : u32 =
  let x = u32.i64 i * 0x9e3779b9 + 0x85ebca6b
  let x = (x ^ (x >> 15)) * 0x2c1b3ce5
  in x ^ (x >> 13)

def small (i: i64) : f32 = f32.u32 (noise i % 251)

-- | Whether a reduction of these elements is what a loop finds.
def agrees 't [n] (same: t -> t -> bool) (op: t -> t -> t) (ne: t) (reduced: t) (xs: [n]t) : bool =
  same reduced (loop acc = ne for x in xs do op acc x)

def same_place (a: (f32, i64)) (b: (f32, i64)) : bool = a.0 == b.0 && a.1 == b.1

def earlier (a: (f32, i64)) (b: (f32, i64)) : (f32, i64) = if b.0 > a.0 then b else a
def later (a: (f32, i64)) (b: (f32, i64)) : (f32, i64) = if b.0 >= a.0 then b else a

def either (a: (f32, i64)) (b: (f32, i64)) : (f32, i64) =
  if a.0 > b.0 || (a.0 == b.0 && a.1 < b.1) then a else b

def nowhere : (f32, i64) = (f32.lowest, i64.highest)
def before : (f32, i64) = (f32.lowest, -1)

def pairs (n: i64) : [n](f32, i64) = map (\i -> (small i, i)) (iota n)

entry first_place (n: i64) : bool =
  agrees same_place earlier before (reduce earlier before (pairs n)) (pairs n)

entry last_place (n: i64) : bool =
  agrees same_place later before (reduce later before (pairs n)) (pairs n)

entry some_place (n: i64) : bool =
  agrees same_place either nowhere (reduce_comm either nowhere (pairs n)) (pairs n)

def compose (a: (u32, u32)) (b: (u32, u32)) : (u32, u32) = (a.0 * b.0, a.1 * b.0 + b.1)

entry affine (n: i64) : bool =
  let xs = map (\i -> (noise i | 1, noise (i + n))) (iota n)
  in agrees (\a b -> a.0 == b.0 && a.1 == b.1) compose (1, 0) (reduce compose (1, 0) xs) xs

type square = (u32, u32, u32, u32)

def times (a: square) (b: square) : square =
  ( a.0 * b.0 + a.1 * b.2
  , a.0 * b.1 + a.1 * b.3
  , a.2 * b.0 + a.3 * b.2
  , a.2 * b.1 + a.3 * b.3
  )

def same_square (a: square) (b: square) : bool =
  a.0 == b.0 && a.1 == b.1 && a.2 == b.2 && a.3 == b.3

entry matrices (n: i64) : bool =
  let xs = map (\i -> (noise i, noise (i + 1), noise (i + 2) | 1, noise (i + 3))) (iota n)
  in agrees same_square times (1, 0, 0, 1) (reduce times (1, 0, 0, 1) xs) xs

entry gaussian (n: i64) : bool =
  let product a b = (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0) : (u32, u32)
  let xs = map (\i -> (noise i | 1, noise (i + n))) (iota n)
  in agrees (\a b -> a.0 == b.0 && a.1 == b.1) product (1, 0) (reduce_comm product (1, 0) xs) xs

-- The last segment's sum, as in a segmented scan.
entry flagged (n: i64) : bool =
  let op a b = if b.1 then b else (a.0 + b.0, a.1) : (i64, bool)
  let xs = map (\i -> (i, noise i % 1000 == 0)) (iota n)
  in agrees (\a b -> a.0 == b.0 && a.1 == b.1) op (0, false) (reduce op (0, false) xs) xs

entry first_of_rows (n: i64) : bool =
  let rows = tabulate_2d 5 n (\i j -> (small (i * n + j), j))
  in map (reduce earlier before) rows
     |> zip rows
     |> all (\(row, found) -> agrees same_place earlier before found row)

-- A mean and a variance, in numbers that floats hold exactly: sums of counts and of values.
entry moments (n: i64) : bool =
  let op a b = (a.0 + b.0, a.1 + b.1, f64.max a.2 b.2) : (i32, f64, f64)
  let xs = map (\i -> (1i32, f64.u32 (noise i % 16), f64.u32 (noise i % 1024))) (iota n)
  let scaled a b = let c = op a b in (c.0, if a.0 == 0 then b.1 else a.1 + b.1, c.2) : (i32, f64, f64)
  in agrees (\a b -> a.0 == b.0 && a.1 == b.1 && a.2 == b.2)
            scaled
            (0, 0, f64.lowest)
            (reduce scaled (0, 0, f64.lowest) xs)
            xs
