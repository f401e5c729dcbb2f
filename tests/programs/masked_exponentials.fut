-- | Exponentials of f64 in vectors where some arguments lie below all that have a power.

def places (n: i64) : [n]f64 =
  let some =
    [ -f64.inf
    , -1e300
    , -1e9
    , -746.5
    , -745.2
    , -744.5
    , -720
    , -708.5
    , -0.0
    , 1
    , 709.5
    , 710
    , f64.inf
    , f64.nan
    ]
  in map (\i -> some[i % 14]) (iota n)

-- ==
-- entry: at_ends
-- input { 70i64 }
-- output { [0f64, 0f64, 0f64, 0f64, 0f64, 5e-324f64, 2.0322308024e-313f64, 2.007528068e-308f64, 1f64, 2.718281828459045f64, 1.3549863193146328e308f64, f64.inf, f64.inf, f64.nan] }
entry at_ends (n: i64) : [14]f64 = map f64.exp (opaque (places n))[:14] :> [14]f64

-- Rows of scores, of which those behind a place are masked.
-- ==
-- entry: masked_rows
-- input { 50i64 } output { true }
-- input { 3i64 } output { true }
entry masked_rows (n: i64) : bool =
  let row i =
    let scores = map (\j -> if j <= i then f64.i64 (j % 5) else -f64.inf) (iota n)
    let powers = map f64.exp scores
    let total = f64.sum powers
    in map (/ total) powers
  let right i j =
    if j > i
    then 0
    else f64.exp (f64.i64 (j % 5)) / (loop sum = 0 for k < i + 1 do sum + f64.exp (f64.i64 (k % 5)))
  in and (map2 (\xs i -> and (map2 (\x j -> f64.abs (x - right i j) < 1e-14) xs (iota n)))
               (opaque (map row (iota n)))
               (iota n))
