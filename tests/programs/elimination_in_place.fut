-- Places that move with the index of a loop inside of one that they move with as well, and whose
-- differences do not move.
-- ==
-- entry: eliminated
-- input { [[2.0, 1.0, 1.0], [4.0, 3.0, 3.0], [8.0, 7.0, 9.0]] }
-- output { [[2.0, 1.0, 1.0], [2.0, 1.0, 1.0], [4.0, 3.0, 2.0]] }
-- input { [[3.0]] } output { [[3.0]] }
-- input { empty([0][0]f64) } output { empty([0][0]f64) }
-- input { [[2.0, 1.0, 1.0], [4.0, 3.0, 3.0]] } error: out of bounds

entry eliminated [n] [m] (a: [n][m]f64) : [n][m]f64 =
  loop a = copy a
  for k < m do
    let a =
      loop a for i < m - k - 1 do
        a with [i + k + 1, k] = a[i + k + 1, k] / a[k, k]
    in loop a for i < m - k - 1 do
         loop a for j < m - k - 1 do
           let (r, c) = (i + k + 1, j + k + 1)
           in a with [r, c] = a[r, c] - a[r, c - j - 1] * a[r - i - 1, c]
