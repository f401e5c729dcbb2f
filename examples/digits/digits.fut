-- | A network of two layers (64 inputs, 32 hidden units with tanh, 10 classes with softmax and
-- cross-entropy) that learns handwritten digits.  The forward pass is written with broadcast,
-- map and reduce; the gradient is one `vjp`.
-- ==
-- entry: gradient_is_right
-- input { 7i64 }
-- output { true true }

-- ==
-- entry: parameter_count
-- input { }
-- output { 2410i64 }

type network = {w1: [32][64]f32, b1: [32]f32, w2: [10][32]f32, b2: [10]f32}

-- | What training changes: the weights and the velocity of each.
type state = {weights: network, velocity: network}

def matmul [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a

-- | The scores of each class, one row an image.
def scores [n] (w: network) (images: [n][64]f32) : [n][10]f32 =
  let hidden = f32.tanh.(matmul images (transpose w.w1) .+ w.b1)
  in matmul hidden (transpose w.w2) .+ w.b2

def log_sum_exp [n] (xs: [n]f32) : f32 =
  let top = f32.maximum xs
  in top + f32.log (f32.sum (map (\x -> f32.exp (x - top)) xs))

-- | The mean cross-entropy of the predictions.
def loss [n] (images: [n][64]f32) (labels: [n]i32) (w: network) : f32 =
  map2 (\row label -> log_sum_exp row - row[label]) (scores w images) labels
  |> f32.sum
  |> (/ f32.i64 n)

-- | Numbers in [-scale, scale), a different one for each index and seed (a hash by Wang).
def pseudo_random (scale: f32) (seed: i64) (index: i64) : f32 =
  let mix (x: u64) =
    let x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
    let x = (x ^ (x >> 27)) * 0x94d049bb133111eb
    in x ^ (x >> 31)
  let bits = mix (u64.i64 (seed * 1000003 + index) + 0x9e3779b97f4a7c15)
  in scale * (f32.u64 (bits >> 40) / 8388608 - 1)

def zero : network =
  { w1 = replicate 32 (replicate 64 0)
  , b1 = replicate 32 0
  , w2 = replicate 10 (replicate 32 0)
  , b2 = replicate 10 0
  }

-- | A network with small random weights, at rest.
entry initial (seed: i64) : state =
  let weights =
    copy zero with w1 = tabulate_2d 32 64 (\i j -> pseudo_random 0.15 seed (i * 64 + j))
      with w2 = tabulate_2d 10 32 (\i j -> pseudo_random 0.15 (seed + 1) (i * 32 + j))
  in {weights, velocity = copy zero}

-- | The images, and each blended with itself moved by one pixel in four directions: five times as
-- many examples to learn from.
entry blend_shifts [n] (images: [n][64]f32) (labels: [n]i32) : ([5 * n][64]f32, [5 * n]i32) =
  let shift (dy: i64) (dx: i64) (image: [64]f32) =
    tabulate 64 (\p ->
                   let (y, x) = (p / 8 + dy, p % 8 + dx)
                   let inside = 0 <= y && y < 8 && 0 <= x && x < 8
                   in 0.5 * (image[p] + if inside then image[8 * y + x] else 0))
  let at (which: i64) (image: [64]f32) =
    if which == 0
    then copy image
    else if which == 1
    then shift 0 1 image
    else if which == 2
    then shift 0 (-1) image
    else if which == 3
    then shift 1 0 image
    else shift (-1) 0 image
  in (flatten (tabulate 5 (\which -> map (at which) images)), flatten (replicate 5 labels))

def update (rate: f32) (momentum: f32) (s: state) (g: network) : state =
  let v = s.velocity
  let velocity =
    { w1 = momentum .* v.w1 .- rate .* g.w1
    , b1 = momentum .* v.b1 .- rate .* g.b1
    , w2 = momentum .* v.w2 .- rate .* g.w2
    , b2 = momentum .* v.b2 .- rate .* g.b2
    }
  let w = s.weights
  let weights =
    { w1 = w.w1 .+ velocity.w1
    , b1 = w.b1 .+ velocity.b1
    , w2 = w.w2 .+ velocity.w2
    , b2 = w.b2 .+ velocity.b2
    }
  in {weights, velocity}

-- | `steps` steps of gradient descent with momentum; also the loss before the last step.
entry train [n] (steps: i64)
            (rate: f32)
            (momentum: f32)
            (images: [n][64]f32)
            (labels: [n]i32)
            (start: state) : (state, f32) =
  loop (s, _) = (start, 0)
  for _i < steps do
    let (value, gradient) = vjp2 (loss images labels) s.weights 1
    in (update rate momentum s gradient, value)

-- | The most likely digit of each image.
entry classify [n] (s: state) (images: [n][64]f32) : [n]i32 =
  let best row =
    reduce (\(i, x) (j, y) -> if y > x || (y == x && j < i) then (j, y) else (i, x))
           (-1, -f32.inf)
           (zip (map i32.i64 (iota 10)) row)
  in map (\row -> (best row).0) (scores s.weights images)

entry parameter_count : i64 = 32 * 64 + 32 + 10 * 32 + 10

-- | On pseudo-random images: whether the gradient along a direction is the central difference
-- (in f32, so to 2e-2), and whether forward and reverse mode agree (1e-4).
entry gradient_is_right (n: i64) : (bool, bool) =
  let images = tabulate_2d n 64 (\i j -> f32.abs (pseudo_random 1 5 (i * 64 + j)))
  let labels = tabulate n (\i -> i32.i64 (i % 10))
  let w = (initial 1).weights
  let v = (initial 2).weights
  let f = loss images labels
  let g = vjp f w 1
  let dot [a] [b] (x: [a][b]f32) (y: [a][b]f32) = f32.sum (flatten (x .* y))
  let by_reverse = dot g.w1 v.w1 + dot g.w2 v.w2
  let by_forward = jvp f w v
  let step (s: f32) = f (w with w1 = w.w1 .+ s .* v.w1 with w2 = w.w2 .+ s .* v.w2)
  let by_difference = (step 1e-2 - step (-1e-2)) / 2e-2
  let close tolerance a b = f32.abs (a - b) <= tolerance * f32.max 1e-2 (f32.abs b)
  in (close 2e-2 by_reverse by_difference, close 1e-4 by_reverse by_forward)
