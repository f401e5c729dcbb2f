-- Chains of operations on rows with products between them, by blocks of points that hold their rows
-- in shared memory, give what each point by itself gives: for blocks and tiles that are not whole,
-- for batches, with scalars that later products need, and for rows that are too long for that, or
-- too short.
def dot [k] (x: [k]i64) (y: [k]i64) : i64 = i64.sum (map2 (*) x y)

def weights [m] (scores: [m]i64) : [m]i64 =
  let most = i64.maximum scores
  let far = map (\s -> (most - s) % 1001) scores
  let total = i64.sum far
  in map (\f -> f ^ total) far

def attend [n] [m] [d] (a: [n][d]i64) (b: [m][d]i64) : [n][d]i64 =
  map (\x ->
         let all = weights (map (\y -> dot x y >> 7) b)
         in map (dot all) (transpose b))
      a

-- ==
-- entry: attention
-- random input { [16][8]i64 [32][8]i64 } auto output
-- random input { [37][40]i64 [45][40]i64 } auto output
-- random input { [70][33]i64 [150][33]i64 } auto output
-- random input { [130][70]i64 [64][70]i64 } auto output
-- random input { [33][40]i64 [300][40]i64 } auto output
-- random input { [15][40]i64 [33][40]i64 } auto output
-- random input { [40][40]i64 [20][40]i64 } auto output
-- random input { [0][40]i64 [40][40]i64 } auto output
-- random input { [20][40]i64 [0][40]i64 } auto output
-- random input { [20][0]i64 [40][0]i64 } auto output
entry attention [n] [m] [d] (a: [n][d]i64) (b: [m][d]i64) = attend a b

-- In reals, as networks have it.
-- ==
-- entry: of_reals
-- random input { [70][33]f32 [150][33]f32 [150][33]f32 } auto output
-- random input { [129][64]f32 [200][64]f32 [200][64]f32 } auto output
-- random input { [270][20]f32 [100][20]f32 [100][40]f32 } auto output
entry of_reals [n] [m] [d] [o] (q: [n][d]f32) (k: [m][d]f32) (v: [m][o]f32) : [n][o]f32 =
  let dot x y = f32.sum (map2 (*) x y)
  let softmax row =
    let most = f32.maximum row
    let grown = map (\x -> f32.exp (x - most)) row
    let total = f32.sum grown
    in map (/ total) grown
  in map (\x ->
            let all = softmax (map (\y -> dot x y / f32.sqrt (f32.i64 d)) k)
            in map (dot all) (transpose v))
         q

-- Slices, which begin where no copy of several elements does.
-- ==
-- entry: of_slices
-- random input { [71][36]f32 [152][35]f32 [152][41]f32 } auto output
-- random input { [33][44]f32 [65][43]f32 [65][67]f32 } auto output
entry of_slices [n] [m] [d] [e] [o] (q: [n][d]f32) (k: [m][e]f32) (v: [m][o]f32) =
  let width = d - 3
  in of_reals (q[1:, 3:] :> [n - 1][width]f32) (k[1:, 2:] :> [m - 1][width]f32) v[1:, 1:]

-- Blocks do not reach over the end of a batch.
-- ==
-- entry: heads
-- random input { [3][20][40]i64 [3][50][40]i64 } auto output
-- random input { [2][33][32]i64 [2][33][32]i64 } auto output
entry heads [h] [n] [m] [d] (a: [h][n][d]i64) (b: [h][m][d]i64) = map2 attend a b

-- A network of two layers, whose hidden rows stay.
-- ==
-- entry: layers
-- random input { [37][20]i64 [20][70]i64 [70]i64 [70][33]i64 [33]i64 } auto output
-- random input { [64][64]i64 [64][64]i64 [64]i64 [64][64]i64 [64]i64 } auto output
entry layers [n] [m] [d] [o] (a: [n][d]i64) (w: [d][m]i64) (s: [m]i64) (v: [m][o]i64) (t: [o]i64) =
  map (\x ->
         let hidden = map2 (\c j -> i64.max 0 (dot x c + j)) (transpose w) s
         in map2 (\c k -> dot hidden c - k) (transpose v) t)
      a

-- Rows around that are needed again before the product, and a row of a result beside it.
-- ==
-- entry: normalised
-- random input { [37][50]i64 [70][50]i64 } auto output
entry normalised [n] [m] [d] (a: [n][d]i64) (b: [m][d]i64) =
  unzip (map (\x ->
                let least = i64.minimum x
                let total = i64.sum (map (\one -> (one - least) % 100) x)
                let row = map (\one -> (one - least) % 1000 + total) x
                in (map (dot row) b, row))
             a)

-- Scalars of points between products, and as results; a product that needs one of them for each of
-- its terms, and a scan between products.
-- ==
-- entry: kept
-- random input { [37][33]i64 [70][33]i64 } auto output
entry kept [n] [m] [d] (a: [n][d]i64) (b: [m][d]i64) =
  unzip3 (map (\x ->
                 let scores = map (dot x) b
                 let most = i64.maximum scores
                 let shifted = scan (+) 0 (map (\s -> (most - s) % 7) scores)
                 let row =
                   map (\c -> i64.sum (map2 (\s y -> (s - most % 5) * y) shifted c)) (transpose b)
                 in (most, i64.maximum row, row))
              a)

-- Several sums of an element, of which one is combined at once.
-- ==
-- entry: summed_up
-- random input { [37][33]i64 [70][33]i64 } auto output
entry summed_up [n] [m] [d] (a: [n][d]i64) (b: [m][d]i64) =
  unzip (map (\x ->
                let (scores, mosts) =
                  unzip (map (\y ->
                                reduce (\(s, t) (u, v) -> (s + u, i64.max t v))
                                       (0, i64.lowest)
                                       (map2 (\f g -> (f * g, f + g)) x y))
                             b)
                let total = i64.sum mosts
                in (total, map (\s -> total - s) scores))
             a)

-- Adjoints of all of it.
-- ==
-- entry: adjoints
-- random input { [40][33]f64 [70][33]f64 [70][33]f64 [40][33]f64 } auto output
entry adjoints [n] [m] [d] (q: [n][d]f64) (k: [m][d]f64) (v: [m][d]f64) (seed: [n][d]f64) =
  let dot x y = f64.sum (map2 (*) x y)
  let softmax row =
    let most = f64.maximum row
    let grown = map (\x -> f64.exp (x - most)) row
    let total = f64.sum grown
    in map (/ total) grown
  let attention (q: [n][d]f64, k: [m][d]f64, v: [m][d]f64) : [n][d]f64 =
    map (\x -> let all = softmax (map (dot x) k) in map (dot all) (transpose v)) q
  in vjp attention (q, k, v) seed

-- ==
-- entry: adjoints_of_heads
-- random input { [2][20][33]f64 [2][40][33]f64 [2][40][33]f64 [2][20][33]f64 } auto output
entry adjoints_of_heads [h] [n] [m] [d] (q: [h][n][d]f64)
                        (k: [h][m][d]f64)
                        (v: [h][m][d]f64)
                        (seed: [h][n][d]f64) =
  map4 adjoints q k v seed
