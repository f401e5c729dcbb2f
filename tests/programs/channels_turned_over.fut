-- Copies with two dimensions exchanged, of what has fewer neighbours than a vector has lanes: whole
-- arrays, some channels of more, rows backwards or one row many times.
-- ==
-- entry: whole doubles some backwards repeated pixels_of_lines
-- input { 0i64 3i64 } output { true }
-- input { 40i64 0i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 15i64 15i64 } output { true }
-- input { 16i64 8i64 } output { true }
-- input { 17i64 8i64 } output { true }
-- input { 40i64 1i64 } output { true }
-- input { 255i64 3i64 } output { true }
-- input { 256i64 7i64 } output { true }
-- input { 300i64 8i64 } output { true }
-- input { 2000i64 15i64 } output { true }
-- input { 2000i64 17i64 } output { true }

def number (k: i64) (i: i64) (j: i64) : i64 = 100000 * k + 20 * i + j

-- Whether `ys` are the pictures that `of_number` tells, with channels before pixels.
def agree [n] [c] [p] 't (same: t -> t -> bool)
          (of_number: i64 -> i64 -> i64 -> t)
          (ys: [n][c][p]t) : bool =
  and (flatten_3d (map (\k ->
                          map (\j -> map (\i -> same ys[k, j, i] (of_number k i j)) (iota p))
                              (iota c))
                       (iota n)))

entry whole (p: i64) (c: i64) : bool =
  let xs = tabulate_3d 3 p c (\k i j -> f32.i64 (number k i j))
  in agree (==) (\k i j -> f32.i64 (number k i j)) (copy (map transpose xs))

entry doubles (p: i64) (c: i64) : bool =
  let xs = tabulate_3d 2 p c (\k i j -> f64.i64 (number k i j))
  in agree (==) (\k i j -> f64.i64 (number k i j)) (copy (map transpose xs))

-- The last pixel's vector would end behind the array.
entry some (p: i64) (c: i64) : bool =
  let xs = tabulate_3d 2 p (c + 4) (\k i j -> i32.i64 (number k i j))
  let chosen = map (map (\pixel -> pixel[4:4 + c] :> [c]i32)) xs
  in agree (==) (\k i j -> i32.i64 (number k i (j + 4))) (copy (map transpose chosen))

entry backwards (p: i64) (c: i64) : bool =
  let xs = tabulate_3d 2 p c (\k i j -> i32.i64 (number k i j))
  in agree (==) (\k i j -> i32.i64 (number k (p - 1 - i) j)) (copy (map (\x -> transpose (reverse x)) xs))

entry repeated (p: i64) (c: i64) : bool =
  let row = map (\j -> f32.i64 (7 * j)) (iota c)
  in agree (==) (\_ _ j -> f32.i64 (7 * j)) (copy (map transpose (replicate 2 (replicate p row))))

-- Pictures whose lines are short: pixels of a line are neighbours, and lines are not.
entry pixels_of_lines (p: i64) (c: i64) : bool =
  let xs = tabulate_3d p 20 c (\k i j -> f32.i64 (number k i j))
  let ys = copy (transpose (map transpose xs))
  in and (flatten_3d (map (\j ->
                             map (\k -> map (\i -> ys[j, k, i] == f32.i64 (number k i j)) (iota 20))
                                 (iota p))
                          (iota c)))
