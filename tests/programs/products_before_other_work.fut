-- Points that begin with a product of matrices and go on with what has to stay in order: checked indices,
-- updates, loops in place, filters, also over what the product gave.
-- ==
-- entry: updates loops filters
-- input { 70i64 65i64 130i64 } output { true }
-- input { 5i64 7i64 9i64 } output { true }
-- input { 1i64 1i64 1i64 } output { true }
-- input { 0i64 4i64 4i64 } output { true }
-- ==
-- entry: outside
-- input { 9i64 40i64 70i64 } error: out of bounds

def left (i: i64) (k: i64) : i64 = (i * 7 + k * 3) % 11 - 5
def right (j: i64) (k: i64) : i64 = (j * 5 + k) % 7 - 3
def entries (n: i64) (m: i64) (f: i64 -> i64 -> i64) = tabulate_2d n m f
def product [n] [k] (xs: [k]i64) (ys: [n][k]i64) = map (\y -> i64.sum (map2 (*) xs y)) ys
def element (k: i64) (i: i64) (j: i64) = loop sum = 0 for l < k do sum + left i l * right j l

-- The row is a result, and a copy of it is written.
entry updates (n: i64) (m: i64) (k: i64) =
  let ys = entries m k right
  let point x label =
    let row = product x ys
    let top = i64.maximum row
    let changed = copy row with [label] = top
    in (row, i64.sum changed)
  let labels = map (% m) (iota n)
  let (rows, sums) = unzip (map2 point (entries n k left) labels)
  let wanted i =
    let row = tabulate m (element k i)
    in (row, i64.sum row - row[labels[i]] + i64.maximum row)
  let right_row i = let (row, sum) = wanted i in sum == sums[i] && and (map2 (==) row rows[i])
  in and (tabulate n right_row)

-- The row itself is written, and given.
entry loops (n: i64) (m: i64) (k: i64) =
  let ys = entries m k right
  let add (row: []i64) = loop row = copy row for i < 3 do row with [i % m] = row[i % m] + i + 1
  let point x = let row = product x ys in (add row, row)
  let (changed, rows) = unzip (map point (entries n k left))
  let right_rows i =
    let row = tabulate m (element k i)
    in and (map2 (==) row rows[i]) && and (map2 (==) (add row :> [m]i64) (changed[i] :> [m]i64))
  in and (tabulate n right_rows)

entry filters (n: i64) (m: i64) (k: i64) =
  let ys = entries m k right
  let point x =
    let row = product x ys
    let some = filter (> 0) row
    in (length some, i64.sum some, row)
  let (counts, sums, rows) = unzip3 (map point (entries n k left))
  let wanted i =
    loop (count, sum) = (0, 0)
    for j < m do
      let e = element k i j in if e > 0 then (count + 1, sum + e) else (count, sum)
  in and (tabulate n (\i -> (counts[i], sums[i]) == wanted i)) && length rows == n

entry outside (n: i64) (m: i64) (k: i64) =
  let ys = entries m k right
  let point x label = let row = product x ys in (row, (copy row with [label] = 1)[0] + row[0])
  in map2 point (entries n k left) (map (+ m - 3) (iota n))
