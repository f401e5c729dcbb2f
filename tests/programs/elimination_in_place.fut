-- Places that move with the index of a loop, inside of one that they move with as well, in arrays
-- whose number of columns says nothing of how often these run.
-- ==
-- entry: eliminated
-- input { [[2.0, 1.0, 1.0], [4.0, 3.0, 3.0], [8.0, 7.0, 9.0]] }
-- output { [[1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [4.0, 3.0, 1.0]] [[2.0, 1.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 2.0]] }
-- input { empty([0][0]f64) } output { empty([0][0]f64) empty([0][0]f64) }
-- input { [[2.0, 1.0], [4.0, 3.0], [8.0, 7.0]] } error: out of bounds for array of shape \[3\]\[2\]

def eliminate [n] (a: *[n][]f64) : ([n][n]f64, [n][n]f64) =
  let (_, lower, upper) =
    loop (a, lower, upper) = (a, replicate n (replicate n 0), replicate n (replicate n 0))
    for k < n do
      let upper[k, k] = a[k, k]
      let (lower, upper) =
        loop (lower, upper) for i < n - k do
          let lower[i + k, k] = a[i + k, k] / upper[k, k]
          let upper[k, i + k] = a[k, i + k]
          in (lower, upper)
      let a =
        loop a for i < n - k do
          loop a for j < n - k do
            let a[i + k, j + k] = a[i + k, j + k] - lower[i + k, k] * upper[k, j + k]
            in a
      in (a, lower, upper)
  in (lower, upper)

entry eliminated (a: [][]f64) : ([][]f64, [][]f64) = eliminate (copy a)
