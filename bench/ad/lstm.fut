-- | A layer of LSTM cells with full weight matrices on batches of sequences, its loss the mean square
-- of the outputs (Schenck et al. 2022).  In f32; checked in f64.
-- Published sizes (bs, n, d, h): (1024, 20, 300, 192) (1024, 300, 80, 256).
-- memory: gradient bs=16 n=20 d=300 h=192: gradient <= 2.1 * primal + 16 * h * (d + h) + 4 * 7 * n * bs * h
-- ==
-- entry: check
-- input { 2i64 3i64 4i64 3i64 } output { true }

import "data"

module lstm_over (R: real) = {
  def sigmoid (x: R.t): R.t = R.(i64 1 / (i64 1 + exp (neg x)))

  def times [n][m][l] (a: [n][m]R.t) (b: [l][m]R.t): [n][l]R.t =
    map (\row -> map (\other -> R.sum (map2 (R.*) row other)) b) a

  -- | The gates' weights for the input and for the hidden state lie below each other: in, forget,
  -- change, out.
  def loss [bs][n][d][h] (weights_input: [4][h][d]R.t) (weights_hidden: [4][h][h]R.t)
                         (bias: [4][h]R.t) (inputs: [n][bs][d]R.t): R.t =
    let gate k input hidden =
      map2 (\x y -> map3 (\x y b -> R.(x + y + b)) x y bias[k])
           (times input weights_input[k]) (times hidden weights_hidden[k])
    let zeros = replicate bs (replicate h (R.i64 0))
    let (_, _, total) =
      #[keep] loop (hidden, memory, total) = (zeros, zeros, R.i64 0)
      for t < n do
        let input = inputs[t]
        let cell i f c o m =
          let m = R.(sigmoid f * m + sigmoid i * tanh c)
          in (R.(sigmoid o * tanh m), m)
        let (hidden, memory) =
          unzip (map5 (\i f c o m -> unzip (map5 cell i f c o m))
                      (gate 0 input hidden) (gate 1 input hidden) (gate 2 input hidden)
                      (gate 3 input hidden) memory)
        in (hidden, memory, R.(total + sum (map (\row -> sum (map2 (*) row row)) hidden)))
    in total R./ R.i64 (n * bs * h)
}

module single = lstm_over f32
module double = lstm_over f64

-- | Weights between ±1/√h, as layers start; with larger ones the cells are chaotic, and so are
-- derivatives after many steps.
def weights (bs: i64) (n: i64) (d: i64) (h: i64)
  : ([4][h][d]f64, [4][h][h]f64, [4][h]f64, [n][bs][d]f64) =
  let centred x = (2 * x - 1) / f64.sqrt (f64.i64 h)
  in ( map (map (map centred)) (noise_3d 1 4 h d), map (map (map centred)) (noise_3d 2 4 h h)
     , map (map centred) (noise_2d 3 4 h), noise_3d 4 n bs d)

entry generate (bs: i64) (n: i64) (d: i64) (h: i64)
  : ([4][h][d]f32, [4][h][h]f32, [4][h]f32, [n][bs][d]f32) =
  let (wi, wh, b, x) = weights bs n d h
  in ( map (map (map f32.f64)) wi, map (map (map f32.f64)) wh, map (map f32.f64) b
     , map (map (map f32.f64)) x)

entry primal [bs][n][d][h] (wi: [4][h][d]f32) (wh: [4][h][h]f32) (b: [4][h]f32)
                           (x: [n][bs][d]f32): f32 =
  single.loss wi wh b x

entry gradient [bs][n][d][h] (wi: [4][h][d]f32) (wh: [4][h][h]f32) (b: [4][h]f32)
                             (x: [n][bs][d]f32): ([4][h][d]f32, [4][h][h]f32, [4][h]f32) =
  vjp (\(wi, wh, b) -> single.loss wi wh b x) (wi, wh, b) 1

-- | Along one direction: by the gradient, and by differences in f64.
entry slopes [bs][n][d][h] (wi: [4][h][d]f32) (wh: [4][h][h]f32) (b: [4][h]f32)
                           (x: [n][bs][d]f32): (f64, f64) =
  let (inputs, hidden) = (4 * h * d, 4 * h * h)
  let size = inputs + hidden + 4 * h
  let joined wi wh b: [size]f64 =
    map f64.f32 (flatten_3d wi ++ flatten_3d wh ++ flatten b :> [size]f32)
  let xs = map (map (map f64.f32)) x
  let value (all: [size]f64) =
    double.loss (unflatten_3d (take inputs all :> [4 * h * d]f64))
                (unflatten_3d (take hidden (drop inputs all) :> [4 * h * h]f64))
                (unflatten (drop (inputs + hidden) all :> [4 * h]f64)) xs
  let (wi', wh', b') = gradient wi wh b x
  in both_slopes value (joined wi wh b) (joined wi' wh' b')

entry check (bs: i64) (n: i64) (d: i64) (h: i64): bool =
  let (wi, wh, b, x) = weights bs n d h
  let (wi', wh', b') = vjp (\(wi, wh, b) -> double.loss wi wh b x) (wi, wh, b) 1
  in is_gradient (\wi -> double.loss (unflatten_3d wi) wh b x) (flatten_3d wi) (flatten_3d wi')
     && is_gradient (\wh -> double.loss wi (unflatten_3d wh) b x) (flatten_3d wh) (flatten_3d wh')
     && is_gradient (\b -> double.loss wi wh (unflatten b) x) (flatten b) (flatten b')
