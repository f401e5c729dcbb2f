-- A recursion for which no stack is left is an error; one that is deep, or whose calls come last, is none.
-- ==
-- entry: depth
-- input { 1000i64 } output { 1000i64 }
-- input { 1000000000000i64 } error: Recursion is too deep

-- ==
-- entry: turns
-- input { 1000000000000i64 } error: Recursion is too deep

-- ==
-- entry: gradient
-- input { 100i64 } output { 100f64 }
-- input { 1000000000000i64 } error: Recursion is too deep

-- ==
-- entry: lists
-- input { 3i64 } output { [0i64, 1i64, 2i64] }

def depth_of (n: i64) : i64 = if n == 0 then 0 else 1 + depth_of (n - 1)

entry depth (n: i64) = depth_of n

def turn (f: i64 -> i64) (n: i64) : i64 = if n == 0 then 0 else 1 + turn f (f n - 1)

entry turns (n: i64) = turn (\k -> depth_of (k % 3) + k - k % 3) n

def power (n: i64) (x: f64) : f64 = if n == 0 then 1 else x * power (n - 1) x

entry gradient (n: i64) = vjp (power n) 1 1

def list (n: i64) : []i64 = if n == 0 then [] else list (n - 1) ++ [n - 1]

entry lists (n: i64) = list n
