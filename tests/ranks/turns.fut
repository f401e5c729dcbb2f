-- Arrays that ranks have by rows and use by columns: each sends to every other what it has of the
-- other's columns, all to all.
--
-- A transform of Fourier of n·m points in four steps: what was made by rows is transformed by columns,
-- and then by rows again: two messages, each of both parts of the numbers.
-- counts: transformed: [64][32]f64 [64][32]f64: agree 2 16, turn 2 12288
-- counts on sim: transformed: [64][32]f64 [64][32]f64: agree 4 32, turn 2 12288
-- In each step columns, then rows, which are the columns of the result.
-- counts: swept: 10i64 [100][60]f64: agree 1 8, turn 21 189000
-- A result that is split by its columns is turned to rows.
-- counts: turned_result: [100][60]i64: agree 1 8, turn 1 9000
-- counts: three_dimensions: [40][3][20]i64: agree 1 8, turn 1 3600
-- Of a product that comes by parts the operand whose columns are used goes to everybody.
-- counts of parts: product: [1000][200]f64 [200][100]f64: agree 1 8, gather 1 40000
-- ==
-- entry: transformed
-- random input { [8][4]f64 [8][4]f64 } auto output
-- random input { [2][4]f64 [2][4]f64 } auto output
-- random input { [1][1]f64 [1][1]f64 } auto output
-- input { [[1.0, 1.0], [1.0, 1.0]] [[-1.0, -1.0], [-1.0, -1.0]] }
-- output { [[8.0, 0.0], [0.0, 0.0]] [[0.0, 0.0], [0.0, 0.0]] }

-- ==
-- entry: swept
-- random input { 3i64 [11][5]f64 } auto output
-- random input { 3i64 [2][5]f64 } auto output

-- ==
-- entry: turned_result turned_and_summed square
-- random input { [11][11]i64 } auto output
-- random input { [3][3]i64 } auto output
-- input { empty([0][0]i64) }

-- ==
-- entry: turned_and_gathered
-- random input { [11][5]i64 } auto output
-- random input { [1][2]i64 } auto output

-- ==
-- entry: turned_result turned_and_summed
-- random input { [4][9]i64 } auto output
-- input { empty([0][3]i64) }
-- input { empty([3][0]i64) }

-- ==
-- entry: three_dimensions inner_turn mixed
-- random input { [7][3][4]i64 } auto output
-- random input { [2][1][9]i64 } auto output

-- ==
-- entry: product
-- random input { [11][7]f64 [7][5]f64 } auto output

-- ==
-- entry: gradient_of_turned
-- random input { [11][7]f64 } auto output

-- Of each row; n must be a power of two.  Stockham's form: each stage reads halves and writes pairs.
def transform [n] [m] (re: [n][m]f64) (im: [n][m]f64) : ([n][m]f64, [n][m]f64) =
  let row (re: [m]f64) (im: [m]f64) =
    let (_, re, im) =
      loop (span, re, im) = (1i64, re, im)
      while span < m do
        let stage (i: i64) =
          let block = i / (2 * span)
          let k = i % span
          let upper = block * span + k
          let lower = upper + m / 2
          let a = -f64.pi * f64.i64 k / f64.i64 span
          let (x, y) =
            (re[lower] * f64.cos a - im[lower] * f64.sin a, re[lower] * f64.sin a + im[lower] * f64.cos a)
          let sign = if i % (2 * span) < span then 1 else -1
          in (re[upper] + sign * x, im[upper] + sign * y)
        let (re, im) = unzip (tabulate m stage)
        in (2 * span, re, im)
    in (re, im)
  in unzip (map2 row re im)

entry transformed [n] [m] (re: [n][m]f64) (im: [n][m]f64) : ([n][m]f64, [n][m]f64) =
  -- What is given is whole on every rank: this is not.
  let re = map (map (* 2)) re
  let im = map (map (+ 1)) im
  let (re, im) = transform (transpose re) (transpose im)
  let twisted (j: i64) (x: f64) (y: f64) (k: i64) =
    let a = -2 * f64.pi * f64.i64 (j * k) / f64.i64 (n * m)
    in (x * f64.cos a - y * f64.sin a, x * f64.sin a + y * f64.cos a)
  let (re, im) =
    unzip (map3 (\xs ys j -> unzip (map3 (twisted j) xs ys (iota n))) re im (iota m))
  in transform (transpose re) (transpose im)

-- Running sums along rows, then along columns: what one step of alternating directions does.
entry swept [n] [m] (steps: i64) (xs: [n][m]f64) : [n][m]f64 =
  let sweep [a] [b] (rows: [a][b]f64) =
    map (\row -> map (/ 100) (scan (\x y -> 0.5 * x + y) 0 row)) rows
  in loop xs = xs
     for _i < steps do transpose (sweep (transpose (sweep xs)))

entry turned_result [n] [m] (xs: [n][m]i64) : [m][n]i64 = transpose (map (map (* 3)) xs)

entry turned_and_summed [n] [m] (xs: [n][m]i64) : ([m][n]i64, [m]i64) =
  let ys = map (map (\x -> x * x)) xs
  in (transpose ys, map i64.maximum (transpose (map (map (+ 1)) ys)))

-- What is read at one place is gathered, and the result is a view of that.
entry turned_and_gathered [n] [m] (xs: [n][m]i64) : ([m][n]i64, [n][m]i64) =
  let ys = map (map (+ 1)) xs
  in (transpose ys, map (map (+ ys[0, 0])) xs)

entry square [n] (xs: [n][n]i64) : ([n][n]i64, i64) =
  let ys = map (map (+ 1)) xs
  let zs = map2 (map2 (-)) ys (transpose ys)
  in (zs, i64.sum (flatten zs))

entry three_dimensions [n] [m] [k] (xs: [n][m][k]i64) : [k][m][n]i64 =
  let ys = map (map (map (* 2))) xs
  in tabulate_3d k m n (\i j l -> ys[l, j, i] + i)

entry inner_turn [n] [m] [k] (xs: [n][m][k]i64) : [m][n][k]i64 =
  let ys = map (map (map (* 2))) xs
  in tabulate_3d m n k (\i j l -> ys[j, i, l] * i)

-- At rows, in a window, and at columns.
entry mixed [n] [m] [k] (xs: [n][m][k]i64) : ([n][m][k]i64, [n][m][k]i64, [m]i64) =
  let ys = map (map (map (* 2))) xs
  let near = tabulate_3d n m k (\i j l -> ys[i64.max 0 (i - 1), j, l] + i)
  let own = map2 (map2 (map2 (+))) ys near
  in (near, own, map (\j -> i64.sum (map (\i -> i64.sum ys[i, j]) (iota n))) (iota m))

entry product [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 =
  map (\r -> map (\c -> f64.sum (map2 (*) r c)) (transpose b)) a

entry gradient_of_turned [n] [m] (xs: [n][m]f64) : [n][m]f64 =
  let sweep [a] [b] (rows: [a][b]f64) = map (scan (+) 0) rows
  let cost xs = f64.sum (map (** 2) (flatten (sweep (transpose (sweep xs)))))
  in vjp cost xs 1
