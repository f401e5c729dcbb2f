-- | ADBench's LSTM, whose weight matrices are diagonal, as in GradBench, on made-up bits.
-- Published size (layers, characters, bits): (4, 4096, 14).
-- memory: gradient l=2 c=1024 b=14: gradient <= 2.2 * primal + 8 * (c + 1) * (8 * l + 2) * b
-- ==
-- entry: check
-- input { 2i64 6i64 3i64 } output { true }

import "../gradbench/lstm"
import "data"

entry generate (l: i64) (c: i64) (b: i64): ([][]f64, [3][b]f64, [][]f64, [c][b]f64) =
  let rows = 2 * l
  in ( noise_2d 1 rows (4 * b), noise_2d 2 3 b, noise_2d 3 rows b
     , map (map f64.round) (noise_2d 4 c b))

entry primal [r][b][c] (main: [r][4 * b]f64) (extra: [3][b]f64) (state: [r][b]f64)
                       (sequence: [c][b]f64): f64 =
  objective main extra state sequence

entry gradient [r][b][c] (main: [r][4 * b]f64) (extra: [3][b]f64) (state: [r][b]f64)
                         (sequence: [c][b]f64): []f64 =
  jacobian main extra state sequence

-- | Along one direction: by the gradient, and by differences.
entry slopes [r][b][c] (main: [r][4 * b]f64) (extra: [3][b]f64) (state: [r][b]f64)
                       (sequence: [c][b]f64): (f64, f64) =
  let size = r * (4 * b) + 3 * b
  let value (x: [size]f64) =
    primal (unflatten (take (r * (4 * b)) x)) (unflatten (drop (r * (4 * b)) x :> [3 * b]f64))
           state sequence
  in both_slopes value (flatten main ++ flatten extra :> [size]f64)
            (gradient main extra state sequence :> [size]f64)

entry check (l: i64) (c: i64) (b: i64): bool =
  let r = 2 * l
  let (main, extra, state, sequence) = generate l c b
  let (main, state) = (main :> [r][4 * b]f64, state :> [r][b]f64)
  let size = r * (4 * b) + 3 * b
  let loss (x: [size]f64) =
    primal (unflatten (take (r * (4 * b)) x)) (unflatten (drop (r * (4 * b)) x :> [3 * b]f64))
           state sequence
  in is_gradient loss (flatten main ++ flatten extra :> [size]f64)
                 (gradient main extra state sequence :> [size]f64)
