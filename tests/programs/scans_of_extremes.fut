-- Scans by the greater and the smaller of two floats: numbers that are none never win, also where a segment
-- begins with some, is cut in pieces, or where the neutral element is none.
-- ==
-- entry: few
-- input { [f32.nan, 1f32, f32.nan, 3f32, 2f32, f32.inf] }
-- output { [-f32.inf, 1f32, 1f32, 3f32, 3f32, f32.inf] [f32.nan, 1f32, 1f32, 3f32, 3f32, f32.inf] [f32.inf, 1f32, 1f32, 1f32, 1f32, 1f32] }
-- input { [f32.nan, f32.nan] }
-- output { [-f32.inf, -f32.inf] [f32.nan, f32.nan] [f32.inf, f32.inf] }
-- input { empty([0]f32) }
-- output { empty([0]f32) empty([0]f32) empty([0]f32) }
-- ==
-- entry: many
-- input { 1i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 70000i64 } output { true }
-- ==
-- entry: rows
-- input { 40i64 70i64 } output { true }
-- input { 3i64 20000i64 } output { true }
-- input { 2000i64 1i64 } output { true }

entry few [n] (xs: [n]f32) =
  (scan f32.max (-f32.inf) xs, scan f32.max f32.nan xs, scan f32.min f32.inf xs)

def made (i: i64) : f64 =
  if i % 7 < 3 then f64.nan else f64.i64 (i * 7919 % 10007) + f64.i64 i / 100

entry many (n: i64) : bool =
  let xs = map made (iota n)
  let found = scan f64.max (-f64.inf) xs
  let wanted =
    loop found = replicate n (-f64.inf)
    for i < n do
      let before = if i == 0 then -f64.inf else found[i - 1]
      in found with [i] = if xs[i] > before then xs[i] else before
  in and (map2 (==) found wanted)

entry rows (n: i64) (m: i64) : bool =
  let xs = tabulate_2d n m (\i j -> -made (i * 31 + j))
  let found = map (scan f64.min f64.inf) xs
  let wanted =
    map (\row ->
           loop found = replicate m f64.inf
           for i < m do
             let before = if i == 0 then f64.inf else found[i - 1]
             in found with [i] = if row[i] < before then row[i] else before)
        xs
  in and (map2 (==) (flatten found) (flatten wanted))
