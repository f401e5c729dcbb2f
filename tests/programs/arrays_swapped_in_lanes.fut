-- Loops in lanes that hand an array on under another name: each next value is there before any of
-- the current ones goes.

-- ==
-- entry: swapped rotated
-- input { 300i64 } output { 0i64 }

def differ [n] (xs: [n]i64) (ys: [n]i64) = i64.sum (map2 (\x y -> i64.bool (x != y)) xs ys)

-- The same, a pair of numbers an element instead of two arrays.
entry swapped (n: i64) =
  let by_arrays (k: i64) =
    let a = tabulate 16 (\j -> k + j)
    let b = tabulate 16 (\j -> k * j)
    let (a, b) = loop (a, b) = (a, b) for i < 5 do (b, a with [i] = b[i] + a[i + 1])
    in i64.sum (map2 (\x y -> 3 * x + y) a b)
  let by_pairs (k: i64) =
    let ab = tabulate 16 (\j -> (k + j, k * j))
    let ab =
      loop ab for i < 5 do
        let (_, b) = ab[i]
        let (a', _) = ab[i + 1]
        let turned = map (\(x, y) -> (y, x)) ab
        in tabulate 16 (\j -> if j == i then (turned[j].0, b + a') else turned[j])
    in i64.sum (map (\(x, y) -> 3 * x + y) ab)
  in differ (map by_arrays (iota n)) (map by_pairs (iota n))

entry rotated (n: i64) =
  let by_arrays (k: i64) =
    let row (f: i64) = tabulate 16 (\j -> f * k + j)
    let (a, b, c) =
      loop (a, b, c) = (row 1, row 2, row 3) for _i < 7 do (b, c, map (+ 1) a)
    in i64.sum a + 10 * i64.sum b + 100 * i64.sum c
  -- After seven turns, two times three and one: b, c, a, of which b and c were added to twice and a
  -- three times.
  let by_hand (k: i64) =
    let sum (f: i64) (added: i64) = i64.sum (tabulate 16 (\j -> f * k + j + added))
    in sum 2 2 + 10 * sum 3 2 + 100 * sum 1 3
  in differ (map by_arrays (iota n)) (map by_hand (iota n))
