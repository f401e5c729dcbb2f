-- | The eval `lstm`: the loss of layers of LSTM cells on a sequence of characters given as bits,
-- and its gradient.  All weight matrices are diagonal: the b bits of a character meet only in the
-- loss.

def sigmoid (x: f64): f64 = 1 / (1 + f64.exp (-x))

-- | One cell: its new hidden value and memory.  The gates are forget, in, out and change.
def cell (weight: [4]f64) (bias: [4]f64) (hidden: f64) (memory: f64) (input: f64): (f64, f64) =
  let forget = sigmoid (input * weight[0] + bias[0])
  let ingate = sigmoid (hidden * weight[1] + bias[1])
  let outgate = sigmoid (input * weight[2] + bias[2])
  let change = f64.tanh (hidden * weight[3] + bias[3])
  let memory = memory * forget + ingate * change
  in (outgate * f64.tanh memory, memory)

-- | Passes one character through the layers: what it predicts of the next one, before the
-- output's weights, and the new state.
def advance [l][b] (weights: [l][b][4]f64) (biases: [l][b][4]f64)
                   (hidden: *[l][b]f64) (memory: *[l][b]f64) (input: [b]f64)
  : ([b]f64, *[l][b]f64, *[l][b]f64) =
  #[keep] loop (input, hidden, memory) for i < l do
    let (output, kept) =
      unzip (map5 cell weights[i] biases[i] (copy hidden[i]) (copy memory[i]) input)
    in (output, hidden with [i] = output, memory with [i] = kept)

-- | Rows alternate between two things: weights and biases, or hidden values and memory.
def alternate [l][m] (rows: [2 * l][m]f64): ([l][m]f64, [l][m]f64) =
  (map (\i -> rows[2 * i]) (iota l), map (\i -> rows[2 * i + 1]) (iota l))

def gates [b] (row: [4 * b]f64): [b][4]f64 = transpose (unflatten row)

def loss [l][b][c] (main: [2 * l][4 * b]f64) (extra: [3][b]f64) (state: [2 * l][b]f64)
                   (sequence: [c][b]f64): f64 =
  let (weights, biases) = alternate main
  let (hidden, memory) = alternate state
  let (weights, biases) = (map gates weights, map gates biases)
  let (total, _, _) =
    #[keep] loop (total, hidden, memory) = (0, copy hidden, copy memory)
    for t < c - 1 do
      let (output, hidden, memory) =
        advance weights biases hidden memory (sequence[t] .* extra[0])
      let predicted = output .* extra[1] .+ extra[2]
      let normalise = f64.log (2 + f64.sum (f64.exp.(predicted)))
      in (total + f64.sum (sequence[t + 1] .* (predicted .- normalise)), hidden, memory)
  in -total / f64.i64 ((c - 1) * b)

entry objective [r][b][c] (main_params: [r][4 * b]f64) (extra_params: [3][b]f64)
                          (state: [r][b]f64) (sequence: [c][b]f64): f64 =
  let l = r / 2
  in loss (main_params :> [2 * l][4 * b]f64) extra_params (state :> [2 * l][b]f64) sequence

-- | With respect to both kinds of parameters, one after the other.
entry jacobian [r][b][c] (main_params: [r][4 * b]f64) (extra_params: [3][b]f64)
                         (state: [r][b]f64) (sequence: [c][b]f64): []f64 =
  let (main, extra) =
    vjp (\(main, extra) -> objective main extra state sequence) (main_params, extra_params) 1
  in flatten main ++ flatten extra
