-- | Networks over sequences, as programs state them: one sequence at a time, or one step of all.

def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

def times [n] [m] (a: [n][m]f32) (x: [m]f32) : [n]f32 = map (dot x) a

def sigmoid (x: f32) : f32 = 1 / (1 + f32.exp (-x))

def log_sum_exp [n] (xs: [n]f32) : f32 =
  let top = f32.maximum xs
  in top + f32.log (f32.sum (map (\x -> f32.exp (x - top)) xs))

def softmax [n] (xs: [n]f32) : [n]f32 =
  let top = f32.maximum xs
  let powers = map (\x -> f32.exp (x - top)) xs
  let total = f32.sum powers
  in map (/ total) powers

-- | A recurrent network for one sequence, mapped over many.
def recurrent [t] [d] [h] (w: [h][d]f32) (u: [h][h]f32) (xs: [t][d]f32) : [h]f32 =
  loop s = replicate h 0
  for i < t do
    map2 (\a b -> f32.tanh (dot a xs[i] + dot b s)) w u

entry recurrent_gradient [b] [t] [d] [h] (xs: [b][t][d]f32)
                         (w: [h][d]f32)
                         (u: [h][h]f32)
                         (adjoint: [b][h]f32) : ([h][d]f32, [h][h]f32) =
  vjp (\(w, u) -> map (recurrent w u) xs) (w, u) adjoint

def normalised [d] (scale: [d]f32) (xs: [d]f32) : [d]f32 =
  let mean = f32.sum xs / f32.i64 d
  let variance = f32.sum (map (\x -> (x - mean) * (x - mean)) xs) / f32.i64 d
  in map2 (\a x -> a * (x - mean) / f32.sqrt (variance + 1e-5)) scale xs

-- | A block of a transformer for one sequence: heads of attention and two layers, on what is
-- normalised, each added to what it gets.
def block [n] [d] [h] [m] [f]
          (q: [h][m][d]f32)
          (k: [h][m][d]f32)
          (v: [h][m][d]f32)
          (o: [d][h][m]f32)
          (scale: [d]f32)
          (w1: [f][d]f32)
          (w2: [d][f]f32)
          (xs: [n][d]f32) : [n][d]f32 =
  let ys = map (normalised scale) xs
  let head q k v =
    let (qs, ks, vs) = (map (times q) ys, map (times k) ys, map (times v) ys)
    let row r = softmax (map (\s -> dot r s / f32.sqrt (f32.i64 (length r))) ks)
    in map (\r -> times (transpose vs) (row r)) qs
  let heads = map3 head q k v
  let zs =
    map2 (\x i -> map2 (\x w -> x + f32.sum (map2 (\head w -> dot head[i] w) heads w)) x o)
         xs
         (iota n)
  let layers z = times w2 (map (\y -> y * sigmoid y) (times w1 (normalised scale z)))
  in map (\z -> map2 (+) z (layers z)) zs

entry block_gradient [b] [n] [d] [h] [m] [f]
                     (xs: [b][n][d]f32)
                     (q: [h][m][d]f32)
                     (k: [h][m][d]f32)
                     (v: [h][m][d]f32)
                     (o: [d][h][m]f32)
                     (scale: [d]f32)
                     (w1: [f][d]f32)
                     (w2: [d][f]f32)
                     (adjoint: [b][n][d]f32) =
  vjp (\(q, k, v, o, scale, w1, w2) -> map (block q k v o scale w1 w2) xs)
      (q, k, v, o, scale, w1, w2)
      adjoint

-- | The mean cross entropy of the next word: embeddings, cells of an LSTM, and a layer over all
-- words, for all sequences step by step.
def language [v] [e] [h] [t] [b]
             (embeddings: [v][e]f32)
             (w: [4][h][e]f32)
             (u: [4][h][h]f32)
             (output: [v][h]f32)
             (words: [t][b]i64) : f32 =
  let cell s c x =
    let gate i = map2 (\a b -> dot a embeddings[x] + dot b s) w[i] u[i]
    let c = map4 (\i f g c -> sigmoid f * c + sigmoid i * f32.tanh g) (gate 0) (gate 1) (gate 2) c
    in (map2 (\o c -> sigmoid o * f32.tanh c) (gate 3) c, c)
  let entropy s y = let scores = times output s in log_sum_exp scores - scores[y]
  let zeros = replicate b (replicate h 0)
  let (_, _, total) =
    loop (ss, cs, total) = (zeros, zeros, 0)
    for i < t - 1 do
      let (ss, cs) = unzip (map3 cell ss cs words[i])
      in (ss, cs, total + f32.sum (map2 entropy ss words[i + 1]))
  in total / f32.i64 (b * (t - 1))

entry language_gradient [v] [e] [h] [t] [b] (embeddings: [v][e]f32)
                        (w: [4][h][e]f32)
                        (u: [4][h][h]f32)
                        (output: [v][h]f32)
                        (words: [t][b]i64) =
  vjp (\(embeddings, w, u, output) -> language embeddings w u output words)
      (embeddings, w, u, output)
      1

-- | Convolutions along sequences, whose taps lie `distance` apart.
def dilated [c] [t] [o] [k] (n: i64)
            (distance: i64)
            (ws: [o][c][k]f32)
            (xs: [c][t]f32) : [o][n]f32 =
  let at i x w = f32.sum (tabulate k (\j -> #[unsafe] w[j] * x[i + j * distance]))
  in map (\w -> tabulate n (\i -> f32.sum (map2 (at i) xs w))) ws

entry dilated_gradient [b] [c] [t] [o] [k] [n] (distance: i64)
                       (xs: [b][c][t]f32)
                       (ws: [o][c][k]f32)
                       (adjoint: [b][o][n]f32) =
  vjp (\(xs, ws) -> map (dilated n distance ws) xs) (xs, ws) adjoint

-- | The log likelihood of observations by a hidden Markov model, in logarithms.
def likelihood [s] [t] [v] (steps: [s][s]f32) (emissions: [s][v]f32) (seen: [t]i64) : f32 =
  let states =
    loop states = replicate s 0
    for y in seen do
      map2 (\row emission -> emission[y] + log_sum_exp (map2 (+) row states)) steps emissions
  in log_sum_exp states

entry likelihood_gradient [s] [t] [v] (steps: [s][s]f32)
                          (emissions: [s][v]f32)
                          (seen: [t]i64) : ([s][s]f32, [s][v]f32) =
  vjp (\(steps, emissions) -> likelihood steps emissions seen) (steps, emissions) 1
