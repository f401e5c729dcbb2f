-- Functions that call themselves, also from inside a map.
-- ==
-- entry: factorials
-- input { [0i64, 1i64, 5i64, 10i64] } output { [1i64, 1i64, 120i64, 3628800i64] }

-- ==
-- entry: greatest_common_divisor
-- input { 48i64 18i64 } output { 6i64 }

def factorial (n: i64): i64 = if n <= 1 then 1 else n * factorial (n - 1)
def gcd (a: i64) (b: i64): i64 = if b == 0 then a else gcd b (a % b)

entry factorials (ns: []i64) = map factorial ns
entry greatest_common_divisor (a: i64) (b: i64) = gcd a b

-- A recursive function may be called from an argument of another one, which then calls it.
-- ==
-- entry: tree_sums
-- input { 1i64 3i64 } output { 11i64 }
-- input { 2i64 2i64 } output { 10i64 }

-- Each level sees what is bound around it, however deep the call stands.
-- ==
-- entry: leaves
-- input { [2i64, 0i64, 3i64] } output { 5i64 }

def each (f: i64 -> i64) (n: i64): i64 = if n <= 0 then 0 else f n + each f (n - 1)

def tree (k: i64) (n: i64): i64 =
  if n <= 0 then k else each (\m -> tree k (m - 1) + k) n

entry tree_sums (k: i64) (n: i64) = tree k n

def walk [n] (weights: [n]i64) (i: i64): i64 =
  if i == n then 0 else each (\m -> if m > 1 then 1 else 1 + walk weights (i + 1)) weights[i]
                        + if weights[i] == 0 then walk weights (i + 1) else 0

entry leaves (weights: []i64) = walk weights 0

-- Arrays made by recursive functions may be used in the iterations of a map, a reduction, a scan,
-- a histogram, and a scatter.
-- ==
-- entry: lengths_of_numbers
-- input { [2i64, 0i64, 3i64] } output { [2i64, 0i64, 3i64] 9i64 [3i64, 3i64, 9i64] }

-- ==
-- entry: rows_of_numbers
-- input { [5i64, 7i64] } output { [[5i64, 3i64, 6i64], [7i64, 3i64, 8i64]] }

-- ==
-- entry: counts_of_numbers
-- input { [2i64, 0i64, 2i64] } output { [1, 0, 2] [9, 0, 9] }

-- ==
-- entry: sorted_rows
-- input { [[3, 1, 2], [9, 7, 8]] } output { [[1, 2, 3], [7, 8, 9]] }

def numbers (n: i64) : []i64 = if n <= 0 then [] else numbers (n - 1) ++ [n]

entry lengths_of_numbers (ns: []i64) =
  let sums = map (\n -> i64.sum (numbers n)) ns
  in (map (\n -> length (numbers n)) ns, i64.sum sums, scan (+) 0 sums)

entry rows_of_numbers (ns: []i64) =
  map (\n -> let row = copy (numbers 3 :> [3]i64)
             let row[0] = n
             let row[2] = n
             in map (\x -> x + 1) row with [0] = n)
      ns

entry counts_of_numbers (ns: []i64) =
  ( reduce_by_index [0, 0, 0] (+) 0 (map (\n -> length (numbers n)) ns) (map (const 1) ns)
  , scatter [0, 0, 0] (map (\n -> length (numbers n)) ns) (map (const 9) ns) )

def insert_sorted [n] (xs: [n]i32) : [n]i32 =
  if n <= 1
  then xs
  else let sorted = insert_sorted (take (n - 1) xs)
       let place = length (filter (<= xs[n - 1]) sorted)
       in sized n (take place sorted ++ [xs[n - 1]] ++ drop place sorted)

entry sorted_rows (xss: [][]i32) = map insert_sorted xss
