-- Threads of a kernel may make arrays whose sizes only they know: many small ones and one that is
-- large, large ones in all of them, one that is larger than what kernels are given at first, and
-- several that are alive at once while others come and go.
-- ==
-- entry: one_large_row
-- input { 20001i64 9000i64 } output { true }
-- input { 300i64 1i64 } output { true }

-- ==
-- entry: large_rows
-- input { 1500i64 2000i64 } output { true }

-- ==
-- entry: huge_row
-- compiled input { 40i64 3000000i64 } output { true }

-- ==
-- entry: nested_rows
-- input { 3000i64 } output { true }

-- The sum of x, x + 1, …, x + k - 1, over an array that is written and read element by element.
def sum_of_row (x: i64) (k: i64) : i64 =
  let row = loop row = replicate k x for i < k - 1 do row with [i + 1] = row[i] + 1
  in loop sum = 0 for i < k do sum + row[k - 1 - i]

def expected (x: i64) (k: i64) : i64 = k * x + k * (k - 1) / 2

def holds (sizes: []i64) : bool =
  let found = map2 sum_of_row (indices sizes) sizes
  in and (map2 (==) found (map2 expected (indices sizes) sizes))

entry one_large_row (n: i64) (large: i64) =
  holds (tabulate n (\i -> if i == n / 2 then large else i % 5))

entry large_rows (n: i64) (size: i64) = holds (tabulate n (\i -> size + i % 7))
entry huge_row (n: i64) (size: i64) = holds (tabulate n (\i -> if i == 3 then size else 1))

-- Rows of rows: the outer one is alive while inner ones of growing sizes are made.
def sum_of_rows (x: i64) (k: i64) : i64 =
  let outer = loop row = replicate k x for i < k - 1 do row with [i + 1] = row[i] + 1
  let inner = loop sum = 0 for i < k do sum + sum_of_row outer[i] (i * (x % 11))
  in loop sum = inner for i < k do sum + outer[i]

def expected_rows (x: i64) (k: i64) : i64 =
  loop sum = expected x k for i < k do sum + expected (x + i) (i * (x % 11))

entry nested_rows (n: i64) =
  let sizes = tabulate n (\i -> if i % 500 == 3 then 90 else i % 6)
  let found = map2 sum_of_rows (iota n) sizes
  in and (map2 (==) found (map2 expected_rows (iota n) sizes))
