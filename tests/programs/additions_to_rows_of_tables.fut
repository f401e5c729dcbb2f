-- Gradients with respect to tables in which points look up some rows each: on a GPU threads hand
-- each other what they add to rows.  Sums of small whole numbers are exact in any order.
-- ==
-- entry: of_four of_six of_nine two_rows singles
-- input { 0i64 } output { true }
-- input { 100i64 } output { true }
-- input { 300i64 } output { true }
-- input { 5000i64 } output { true }
-- ==
-- entry: outside
-- input { 5000i64 900i64 } output { 300000f32 }
-- input { 5000i64 600i64 } error: Index \[[0-9]+\] out of bounds for array of shape \[600\]\[5\]

def rows : i64 = 1100
def lookups (i: i64) : i64 = i % 9
def at (i: i64) (j: i64) : i64 = (i * 7 + j * j * 3) % (rows - 1)
def weight (i: i64) (j: i64) : i64 = (i + j) % 5

-- | Points' sums of rows that they look up, whose elements count more from left to right.
def total [n] [k] (row: [n][k]f64 -> i64 -> [k]f64) (points: i64) (table: [n][k]f64) : f64 =
  let of_row xs = f64.sum (map2 (\x c -> x * f64.i64 (c + 1)) xs (iota k))
  in f64.sum (map (\i ->
                     loop sum = 0
                     for j < lookups i do
                       sum + f64.i64 (weight i j) * of_row (row table (at i j)))
                  (iota points))

-- | What is added to rows so far from those that are looked up.
def added (k: i64) (points: i64) (distance: i64) : [rows][k]f64 =
  let places =
    flatten (tabulate_2d points 9 (\i j ->
                                     if j < lookups i then at i j + distance else -1))
  let weights = flatten (tabulate_2d points 9 (\i j -> f64.i64 (weight i j)))
  let sums = reduce_by_index (replicate rows 0) (+) 0 places weights
  in map (\sum -> tabulate k (\c -> sum * f64.i64 (c + 1))) sums

def table (k: i64) : [rows][k]f64 = tabulate_2d rows k (\i c -> f64.i64 ((i + c) % 3))
def same [n] [k] (a: [n][k]f64) (b: [n][k]f64) : bool = and (flatten (map2 (map2 (==)) a b))

def is_right (k: i64) (points: i64) : bool =
  same (vjp (total (\rows at -> rows[at]) points) (table k) 1) (added k points 0)

entry of_four (points: i64) : bool = is_right 4 points
entry of_six (points: i64) : bool = is_right 6 points
entry of_nine (points: i64) : bool = is_right 9 points

-- | Neighbours at once.
entry two_rows (points: i64) : bool =
  let both rows at = map2 (\low high -> high - 2 * low) rows[at] rows[at + 1]
  let expected = map2 (map2 (\high low -> high - 2 * low)) (added 6 points 1) (added 6 points 0)
  in same (vjp (total both points) (table 6) 1) expected

-- | Single elements besides, in loops and outside.
entry singles (points: i64) : bool =
  let cost (table: [rows][5]i64) =
    i64.sum (map (\i ->
                    loop sum = 3 * table[i % rows, 2]
                    for j < lookups i do
                      sum + i64.sum table[at i j] + (weight i j) * table[i % 1000, j % 5])
                 (iota points))
  let gradient =
    vjp (\t ->
           f64.sum (map (\i ->
                           loop sum = 3 * t[i % rows, 2]
                           for j < lookups i do
                             sum + f64.sum t[at i j] + f64.i64 (weight i j) * t[i % 1000, j % 5])
                        (iota points)))
        (map (map f64.i64) (replicate rows (replicate 5 1)))
        1
  -- A linear function of its table: its values at tables of ones and of numbers say the same.
  let probe = tabulate_2d rows 5 (\i c -> (i * 3 + c * c) % 11)
  let product = f64.sum (flatten (map2 (map2 (*)) gradient (map (map f64.i64) probe)))
  in i64.f64 product == cost probe

-- | Elements of rows beyond the last.
entry outside (points: i64) (n: i64) : f32 =
  let table = replicate n (replicate 5 1f32)
  let cost (table: [n][5]f32) =
    f32.sum (map (\i -> loop sum = 0 for j < 4 do sum + 3 * f32.sum table[(i + 7 * j) % 900])
                 (iota points))
  in f32.sum (flatten (vjp cost table 1))
