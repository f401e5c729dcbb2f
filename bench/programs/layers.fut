-- Layers of networks: products with something computed of each row before them.

-- | Rows with mean 0 and deviation 1.
def normalise [d] (row: [d]f32) : [d]f32 =
  let mean = f32.sum row / f32.i64 d
  let deviation = f32.sqrt (f32.sum (map (\x -> (x - mean) ** 2) row) / f32.i64 d)
  in map (\x -> (x - mean) / deviation) row

def product [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

def gelu (x: f64) : f64 =
  0.5 * x * (1 + f64.tanh (f64.sqrt (2 / f64.pi) * (x + 0.044715 * x ** 3)))

-- ==
-- entry: normalised
-- random input { [1024][1024]f32 [1024][1024]f32 [1024]f32 }
-- random input { [4096][64]f32 [64][10]f32 [10]f32 }
entry normalised [n] [d] [h] (xs: [n][d]f32) (w: [d][h]f32) (b: [h]f32) : [n][h]f32 =
  map (\x -> map2 (\column c -> f32.max 0 (f32.sum (map2 (*) x column) + c)) (transpose w) b)
      (map normalise xs)

-- ==
-- entry: narrow
-- random input { [4096][64]f32 [64][10]f32 [10]f32 }
entry narrow [n] [d] [h] (xs: [n][d]f32) (w: [d][h]f32) (b: [h]f32) : [n][h]f32 =
  map (\x -> map2 (\column c -> f32.max 0 (f32.sum (map2 (*) x column) + c)) (transpose w) b) xs

-- ==
-- entry: gradient_of_two_layers
-- random input { [512][256]f64 [256][1024]f64 [1024][256]f64 [1024]f64 [256]f64 }
entry gradient_of_two_layers [t] [d] [h] (x: [t][d]f64)
                             (w1: [d][h]f64)
                             (w2: [h][d]f64)
                             (b1: [h]f64)
                             (b2: [d]f64) =
  let loss (x, w1, w2, b1, b2) =
    let ys = x .+ product (gelu.(product x w1 .+ b1)) w2 .+ b2
    in f64.sum (flatten (ys .* ys))
  in vjp loss (x, w1, w2, b1, b2) 1
