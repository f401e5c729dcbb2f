-- Arrays that a kernel's thread puts one after another lie apart in memory of its own.
-- ==
-- input { [3i64, 1i64, 5i64] }
-- output { [[3i64, 1i64, 0i64], [0i64, 0i64, 0i64], [10i64, 3i64, 3i64]] }

-- What is read of both at places that nobody knows.
entry main (ns: []i64) =
  map (\n ->
         let sums = scan (+) 0 (iota n)
         let largest = scan i64.max 0 (map (\i -> i * (4 - i)) (iota n))
         let both = concat sums largest
         in [both[n - 1], both[n / 2], both[n + n / 4]])
      ns
