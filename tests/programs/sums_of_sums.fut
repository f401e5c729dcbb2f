-- Sums whose elements are sums give what loops give, for rows about the sizes from which threads of
-- a GPU share them, and where there are none.
-- ==
-- entry: totals
-- input { [0i64, 5i64, 3i64, 100i64, 7i64, 300i64] [40i64, 0i64, 31i64, 32i64, 1000i64, 77i64] }
-- output { [true, true, true, true, true, true] }
-- input { [1i64] [70001i64] } output { [true] }

-- ==
-- entry: of_each
-- input { 0i64 3i64 40i64 } output { true }
-- input { 9i64 3i64 40i64 } output { true }
-- input { 9i64 0i64 40i64 } output { true }
-- input { 4i64 33i64 0i64 } output { true }
-- input { 3i64 200i64 100i64 } output { true }
-- input { 500i64 5i64 64i64 } output { true }

-- ==
-- entry: of_windows
-- input { 3i64 5i64 80i64 90i64 } output { true }

-- ==
-- entry: of_columns
-- input { 100i64 64i64 } output { true }

def number (i: i64) (j: i64) : i64 =
  let x = (i * 31 + j + 1) * 2654435761 in (x ^ (x >> 15)) % 1009

def sum_in_order [n] [m] (rows: [n][m]i64) : i64 =
  loop sum = 0 for i < n do loop sum for j < m do sum + rows[i, j]

entry totals [k] (ns: [k]i64) (ms: [k]i64) : [k]bool =
  loop right = replicate k false
  for at < k do
    let rows = tabulate_2d ns[at] ms[at] number
    let total = i64.sum (map i64.sum rows)
    let (least, all) = (i64.minimum (map i64.minimum rows), total)
    in right with [at] = all == sum_in_order rows
                         && least
                            == (loop least = i64.highest
                                for row in rows do
                                  loop least for x in row do i64.min least x)

entry of_each (k: i64) (n: i64) (m: i64) : bool =
  let all = tabulate_3d k n m (\l i j -> number (l * n + i) j)
  let sums = map (\rows -> i64.sum (map (\row -> i64.sum (map (* 3) row)) rows)) all
  in and (map2 (==) sums (map (\rows -> 3 * sum_in_order rows) all))

-- As a convolution's filter has them: each element of the window adds up nearly all.
entry of_windows (w: i64) (h: i64) (n: i64) (m: i64) : bool =
  let all = tabulate_2d n m number
  let (inner_n, inner_m) = (n - w + 1, m - h + 1)
  let row_sum i l = i64.sum (tabulate inner_m (\j -> #[unsafe] all[i, j + l]))
  let sums =
    tabulate_2d w h (\k l -> i64.sum (tabulate inner_n (\i -> row_sum (i + k) l)))
  let expected =
    tabulate_2d w h (\k l -> sum_in_order all[k:k + inner_n, l:l + inner_m])
  in and (map2 (==) (flatten sums) (flatten expected))

-- What is added first lies apart.
entry of_columns (n: i64) (m: i64) : bool =
  let rows = tabulate_2d n m number
  in i64.sum (map i64.sum (transpose rows)) == sum_in_order rows
