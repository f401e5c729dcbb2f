-- Inputs of tests may be computed: by entry points, from files, with `let`, tuples and records.
-- ==
-- entry: total
-- script input { pair 3i64 } output { 6.0f64 }
-- "a record" script input { {count = 3, values = table 3i64} } output { 6.0f64 }
-- "parts" script input { let (n, xs) = pair 2i64 in (n, xs) } output { 3.0f64 }
-- "fields" script input { let p = pair 4i64 in (p.0, p.1) } output { 10.0f64 }

-- ==
-- entry: first
-- script input { ($loaddata "data/pair.in") } output { 4.5f64 }

-- ==
-- entry: bytes
-- script input { $loadbytes "data/pair.in" } output { 22i64 }

-- ==
-- entry: twice
-- script input { let xss = grid 2i64 in xss[1, 0] } output { 4i64 }
-- script input @ data/twice.script
-- output { 6i64 }

-- ==
-- entry: sum_stored
-- script input { $restore "stored" "data/pair.stored" } output { 7.5f64 }

type~ stored = {n: i64, values: []f64}

entry pair (n: i64) = (n, map f64.i64 (1...n))
entry table (n: i64) = map f64.i64 (1...n)
entry grid (n: i64) = tabulate_2d n n (\i j -> i * 2 + j)
entry total (n: i64) (xs: [n]f64) = f64.sum xs
entry first (xs: []f64) (n: i64) = xs[0] + f64.i64 n
entry bytes (text: []u8) = length text
entry twice (x: i64) = 2 * x
entry store (n: i64) : stored = {n, values = [1.5, 3]}
entry sum_stored (s: stored) = f64.i64 s.n + f64.sum s.values
