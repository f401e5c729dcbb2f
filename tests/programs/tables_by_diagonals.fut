-- Tables whose elements follow from those before them, along diagonals, whose points all run at once.
-- ==
-- entry: edit_distance
-- input { "kitten" "sitting" } output { 3i32 }
-- input { empty([0]u8) "abc" } output { 3i32 }
-- input { "abc" empty([0]u8) } output { 3i32 }
-- input { "intention" "execution" } output { 5i32 }
-- ==
-- entry: agrees
-- input { 40i64 } output { true }
-- input { 1i64 } output { true }
-- input { 0i64 } output { true }

-- Place i of diagonal k is the distance of i bytes of a and k - i of b.
def by_diagonals [n] [m] (a: [n]u8) (b: [m]u8) : i32 =
  let none = replicate (n + 1) 0i32
  let (_, last) =
    loop (before, now) = (none, none)
    for k < n + m + 1 do
      let at i =
        let j = k - i
        in if j < 0 || j > m
           then 0
           else if i == 0
           then i32.i64 j
           else if j == 0
           then i32.i64 i
           else i32.min (1 + i32.min now[i - 1] now[i])
                        (before[i - 1] + i32.bool (a[i - 1] != b[j - 1]))
      in (now, tabulate (n + 1) at)
  in last[n]

-- Row by row, each in order.
def by_rows [n] [m] (a: [n]u8) (b: [m]u8) : i32 =
  let row =
    loop row = map i32.i64 (iota (m + 1))
    for x in a do
      let (next, _) =
        loop (next, left) = (replicate (m + 1) (row[0] + 1), row[0] + 1)
        for j < m do
          let best = i32.min (1 + i32.min left row[j + 1]) (row[j] + i32.bool (x != b[j]))
          in (next with [j + 1] = best, best)
      in next
  in row[m]

entry edit_distance [n] [m] (a: [n]u8) (b: [m]u8) : i32 = by_diagonals a b

entry agrees (n: i64) : bool =
  let word seed = tabulate n (\i -> u8.i64 ((i * i * 7 + i * seed + seed) % 11 % 4))
  in and (tabulate 9 (\seed -> by_diagonals (word seed) (word (seed + 3)) == by_rows (word seed) (word (seed + 3))))
