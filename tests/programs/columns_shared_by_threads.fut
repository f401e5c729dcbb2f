-- Reductions of columns are those that loops give, for operators that commute and others, numbers
-- and pairs, sizes that blocks of threads do not divide, and columns that several blocks share.
-- ==
-- entry: sums lasts pairs least_bytes in_batches
-- input { 0i64 40i64 } output { true }
-- input { 1i64 16i64 } output { true }
-- input { 40i64 0i64 } output { true }
-- input { 40i64 17i64 } output { true }
-- input { 257i64 33i64 } output { true }
-- input { 1000i64 100i64 } output { true }
-- input { 9001i64 20i64 } output { true }
-- input { 64i64 3i64 } output { true }

-- Numbers without a pattern.
def number (i: i64) (j: i64) : i64 =
  let x = (i * 31 + j + 1) * 2654435761 in (x ^ (x >> 15)) % 1009

-- The reduction of each column, one element after the other.
def in_order [n] [m] 'a 'b (op: b -> a -> b) (ne: b) (rows: [n][m]a) : [m]b =
  tabulate m (\j -> loop all = ne for i < n do op all rows[i, j])

entry sums (n: i64) (m: i64) : bool =
  let rows = tabulate_2d n m number
  in and (map2 (==) (map i64.sum (transpose rows)) (in_order (+) 0 rows))

-- The last number that is no multiple of three: the order matters.
entry lasts (n: i64) (m: i64) : bool =
  let rows = tabulate_2d n m number
  let last (a: i64) (b: i64) = if b % 3 == 0 then a else b
  in and (map2 (==) (map (reduce last 0) (transpose rows)) (in_order last 0 rows))

-- Compositions of x ↦ a·x + b.
entry pairs (n: i64) (m: i64) : bool =
  let rows = tabulate_2d n m (\i j -> (number i j % 3, number j i))
  let then_ (a, b) (c, d) = (a * c, b * c + d) : (i64, i64)
  let equal (a, b) (c, d) = a == c && b == d : bool
  in and (map2 equal (map (reduce then_ (1, 0)) (transpose rows)) (in_order then_ (1, 0) rows))

entry least_bytes (n: i64) (m: i64) : bool =
  let rows = tabulate_2d n m (\i j -> u8.i64 (number i j))
  in and (map2 (==) (map u8.minimum (transpose rows)) (in_order u8.min u8.highest rows))

entry in_batches (n: i64) (m: i64) : bool =
  let all = tabulate 3 (\k -> tabulate_2d n m (\i j -> number (i + k) j))
  in and (map (\rows ->
                 and (map2 (==) (map i64.sum (transpose rows)) (in_order (+) 0 rows)))
              all)
