-- Records in arrays, updates of fields, punning, and arrays of tuples of arrays.
-- ==
-- entry: centre
-- input { [1.0, 3.0] [2.0, 6.0] } output { 2.0 4.0 }

-- ==
-- entry: moved
-- input { [1.0, 3.0] [2.0, 6.0] } output { [2.0, 4.0] [2.0, 6.0] }

-- ==
-- entry: nested
-- input { 2i64 } output { [[0i64, 1i64, 2i64], [1i64, 2i64, 3i64]] [0i64, 1i64] }

type point = {x: f64, y: f64}

entry centre [n] (xs: [n]f64) (ys: [n]f64) =
  let points = map2 (\x y -> {x, y}) xs ys
  let total = reduce (\(a: point) (b: point) -> {x = a.x + b.x, y = a.y + b.y}) {x = 0, y = 0} points
  in (total.x / f64.i64 n, total.y / f64.i64 n)

entry moved [n] (xs: [n]f64) (ys: [n]f64) =
  let points = map2 (\x y -> {x, y}) xs ys
  let moved = map (\(p: point) -> p with x = p.x + 1) points
  in (map (.x) moved, map (.y) moved)

entry nested (n: i64) =
  let pairs = map (\i -> (map (+ i) (iota 3), i)) (iota n)
  in unzip pairs
