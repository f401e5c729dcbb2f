-- Functions that call themselves, also from inside a map.
-- ==
-- entry: factorials
-- input { [0i64, 1i64, 5i64, 10i64] } output { [1i64, 1i64, 120i64, 3628800i64] }

-- ==
-- entry: greatest_common_divisor
-- input { 48i64 18i64 } output { 6i64 }

def factorial (n: i64) : i64 = if n <= 1 then 1 else n * factorial (n - 1)
def gcd (a: i64) (b: i64) : i64 = if b == 0 then a else gcd b (a % b)

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

def each (f: i64 -> i64) (n: i64) : i64 = if n <= 0 then 0 else f n + each f (n - 1)

def tree (k: i64) (n: i64) : i64 =
  if n <= 0 then k else each (\m -> tree k (m - 1) + k) n

entry tree_sums (k: i64) (n: i64) = tree k n

def walk [n] (weights: [n]i64) (i: i64) : i64 =
  if i == n
  then 0
  else each (\m -> if m > 1 then 1 else 1 + walk weights (i + 1)) weights[i]
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
  map (\n ->
         let row = copy (numbers 3 :> [3]i64)
         let row[0] = n
         let row[2] = n
         in map (\x -> x + 1) row with [0] = n)
      ns

entry counts_of_numbers (ns: []i64) =
  ( reduce_by_index [0, 0, 0] (+) 0 (map (\n -> length (numbers n)) ns) (map (const 1) ns)
  , scatter [0, 0, 0] (map (\n -> length (numbers n)) ns) (map (const 9) ns)
  )

def insert_sorted [n] (xs: [n]i32) : [n]i32 =
  if n <= 1
  then xs
  else let sorted = insert_sorted (take (n - 1) xs)
       let place = length (filter (<= xs[n - 1]) sorted)
       in sized n (take place sorted ++ [xs[n - 1]] ++ drop place sorted)

entry sorted_rows (xss: [][]i32) = map insert_sorted xss

-- They may also be called by the operator of a reduction, a scan, a histogram, or a stream.
-- ==
-- entry: combined_by_numbers
-- input { [2i64, 0i64, 3i64] }
-- output { 3i64 [3i64, 6i64, 3i64] [1i64, 1i64, 6i64] [3i64, 1i64, 3i64] }
-- input { empty([0]i64) } output { 0i64 empty([0]i64) [1i64, 1i64, 1i64] [1i64, 1i64, 1i64] }

-- ==
-- entry: combined_pairs
-- input { [2i64, 0i64, 3i64] }
-- output { [3i64, 6i64, 3i64] [0i64, 3i64, 4i64] 3i64 4i64 }

-- ==
-- entry: combined_rows
-- input { [[2i64, 0i64, 3i64], [1i64, 2i64, 3i64]] }
-- output { [34i64, 34i64, 32i64] [[7i64, 7i64, 8i64], [34i64, 34i64, 32i64]]
--          [[9i64, 9i64, 6i64], [1i64, 1i64, 1i64], [7i64, 7i64, 8i64]] }

-- ==
-- entry: combined_in_a_map
-- input { [[2i64, 0i64, 3i64], [1i64, 2i64, 3i64]] }
-- output { [3i64, 3i64] [[3i64, 6i64, 3i64], [1i64, 6i64, 3i64]]
--          [[1i64, 1i64, 6i64], [1i64, 3i64, 6i64]] [[3i64, 1i64, 3i64], [1i64, 6i64, 3i64]] }

def by_numbers (a: i64) (b: i64) : i64 = i64.sum (numbers (a + b)) % 7

def stream [n] (ns: [n]i64) =
  intrinsics.hist_stream (replicate 3 1)
                         by_numbers
                         0i64
                         (\(acc: *intrinsics.acc ([3]i64)) n -> intrinsics.acc_write acc n (n + 1))
                         ns

entry combined_by_numbers (ns: []i64) =
  ( reduce by_numbers 0 ns
  , scan by_numbers 0 ns
  , reduce_by_index (replicate 3 1) by_numbers 0 ns ns
  , stream ns
  )

entry combined_pairs (ns: []i64) =
  let op (a, b) (c, d) = (by_numbers a c, b + by_numbers d d)
  let pairs = map (\n -> (n, n + 1)) ns
  let (firsts, seconds) = unzip (scan op (0, 0) pairs)
  let (first, second) = reduce op (0, 0) pairs
  in (firsts, seconds, first, second)

def turned [n] (k: i64) (xs: [n]i64) : [n]i64 =
  if k == 0 then xs else turned (k - 1) (map2 (+) (reverse xs) (rotate 1 xs))

entry combined_rows [n] [m] (xss: [n][m]i64) =
  let op (a: [m]i64) b = map2 (+) (turned 2 a) (turned 1 b)
  in ( reduce_comm op (replicate m 1) xss
     , scan op (replicate m 1) xss
     , reduce_by_index (replicate 3 (replicate m 1)) op (replicate m 0) xss[0, :n] xss
     )

entry combined_in_a_map (xss: [][]i64) =
  unzip4 (map (\xs ->
                 ( reduce by_numbers 0 xs
                 , scan by_numbers 0 xs
                 , reduce_by_index (replicate 3 1) by_numbers 0 xs xs
                 , stream xs
                 ))
              xss)
