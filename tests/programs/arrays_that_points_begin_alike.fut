-- The points of a block begin with equal arrays, which only some of them write over: each has its
-- own.
-- ==
-- entry: marked
-- input { 256i64 } output { 255i64 1i64 }

-- ==
-- entry: scattered
-- input { 200i64 } output { 300i64 2i64 }

-- ==
-- entry: counted
-- input { 100i64 } output { 300i64 3i64 }

def row (i: i64) : *[32]i64 =
  let none = replicate 32 0i64
  in if i == 3 then none else none with [i % 32] = 1

def ends (counts: []i64) = (i64.sum counts, i64.maximum counts)

entry marked (n: i64) = ends (map (\i -> i64.sum (row i)) (iota n))

entry scattered (n: i64) =
  ends (map (\i ->
               let none = replicate 7 0i64
               in i64.sum (if i % 2 == 0
                           then scatter none [i % 7, (i + 1) % 7] [1, 1]
                           else none with [i % 7] = 1))
            (iota n))

entry counted (n: i64) =
  ends (map (\i ->
               let none = replicate 5 0i64
               in i64.sum (loop xs = none
                           while i64.sum xs < 3 do
                             if xs[i % 5] == 0
                             then xs with [i % 5] = 1
                             else xs with [(i + i64.sum xs) % 5] = 1))
            (iota n))
