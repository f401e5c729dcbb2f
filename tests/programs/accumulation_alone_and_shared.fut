-- Adjoints of a gather meet in memory.  With few iterations one task runs alone and adds without
-- atomics; with many, tasks share the memory.  Sums of small integers are exact either way.
-- ==
-- input { 0i64 } output { true }
-- input { 10i64 } output { true }
-- input { 300000i64 } output { true }

def weight (i: i64) : f64 = f64.i64 (i % 3)

def main (n: i64) : bool =
  let f (xs: [7]f64) = f64.sum (map (\i -> xs[i * i % 7] * weight i) (iota n))
  let expected =
    reduce_by_index (replicate 7 0) (+) 0 (map (\i -> i * i % 7) (iota n)) (map weight (iota n))
  in and (map2 (==) (vjp f (map f64.i64 (iota 7)) 1) expected)
