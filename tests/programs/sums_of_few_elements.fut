-- Sums of rows of few elements, a lane for each row: of elements of four and eight bytes, of several arrays
-- and with elements that all rows read, by operators whose arguments cannot change places; rows that fill no
-- vector, of one element and of none.
-- ==
-- entry: same
-- script input {
--   let a = rows 1000i64 4i64
--   in (together (sums a) (least a) (reals a) (weighted a (weights 4i64)) (composed a a), wanted 1000i64 4i64) }
-- output { true }
-- script input {
--   let a = rows 515i64 7i64
--   in (together (sums a) (least a) (reals a) (weighted a (weights 7i64)) (composed a a), wanted 515i64 7i64) }
-- output { true }
-- script input {
--   let a = rows 100i64 1i64
--   in (together (sums a) (least a) (reals a) (weighted a (weights 1i64)) (composed a a), wanted 100i64 1i64) }
-- output { true }
-- script input {
--   let a = rows 33i64 0i64
--   in (together (sums a) (least a) (reals a) (weighted a (weights 0i64)) (composed a a), wanted 33i64 0i64) }
-- output { true }
-- script input {
--   let a = rows 31i64 3i64
--   in (together (sums a) (least a) (reals a) (weighted a (weights 3i64)) (composed a a), wanted 31i64 3i64) }
-- output { true }
-- script input {
--   let a = rows 200i64 9i64
--   in (together (sums a) (least a) (reals a) (weighted a (weights 9i64)) (composed a a), wanted 200i64 9i64) }
-- output { true }
-- script input {
--   let a = rows 0i64 4i64
--   in (together (sums a) (least a) (reals a) (weighted a (weights 4i64)) (composed a a), wanted 0i64 4i64) }
-- output { true }

def value (i: i64) (j: i64) : i32 = i32.i64 ((i * 37 + j * 11) % 101)

entry rows (n: i64) (m: i64) : [n][m]i32 = tabulate_2d n m value
entry weights (m: i64) : [m]i32 = tabulate m (\j -> i32.i64 j - 2)

-- Of numbers modulo 2^32.
def compose (a: i32, b: i32) (c: i32, d: i32) = (a * c, b * c + d)

entry sums [n] [m] (a: [n][m]i32) : [n]i32 = map i32.sum a

entry least [n] [m] (a: [n][m]i32) : [n]i32 = map i32.minimum a

entry reals [n] [m] (a: [n][m]i32) : [n]i32 = map (map f64.i32 >-> f64.sum) a |> map i32.f64

entry weighted [n] [m] (a: [n][m]i32) (w: [m]i32) : [n]i32 =
  map (\row -> i32.sum (map2 (*) row w)) a

entry composed [n] [m] (a: [n][m]i32) (b: [n][m]i32) : [n]i32 =
  map2 (\xs ys -> reduce compose (1, 0) (zip (map (+ 2) xs) ys)) a b |> map (\(x, y) -> x + y)

entry together [n] (a: [n]i32) (b: [n]i32) (c: [n]i32) (d: [n]i32) (e: [n]i32) : [5][n]i32 =
  [a, b, c, d, e]

-- The same, number by number.
entry wanted (n: i64) (m: i64) : [5][n]i32 =
  let along f (start: i32) = tabulate n (\i -> loop sum = start for j < m do f sum (value i j) j)
  let sums = along (\sum x _ -> sum + x) 0
  in [ sums
     , along (\least x _ -> i32.min least x) i32.highest
     , sums
     , along (\sum x j -> sum + x * (i32.i64 j - 2)) 0
     , tabulate n (\i ->
                     let (x, y) =
                       loop all = (1, 0) for j < m do compose all (value i j + 2, value i j)
                     in x + y)
     ]

entry same [n] [m] (a: [n][m]i32) (b: [n][m]i32) : bool =
  and (map2 (\x y -> and (map2 (==) x y)) a b)
