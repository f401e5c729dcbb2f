-- | ADBench's bundle adjustment, as in GradBench, on made-up data in which cameras look at points
-- before them.  Published size (n, m, p): (257, 65132, 225911).
-- memory: gradient n=20 m=1000 p=5000: gradient <= 2.1 * max(primal, least)
-- ==
-- entry: check
-- input { 3i64 5i64 7i64 } output { true }

import "../gradbench/ba"
import "data"

entry generate (n: i64) (m: i64) (p: i64)
  : ([n][11]f64, [m][3]f64, [p]f64, [p][2]i32, [p][2]f64) =
  let ranges: [11]f64 = [0.2, 0.2, 0.2, 1, 1, 1, 1, 0.5, 0.5, 0.01, 0.01]
  let cameras =
    map2 (\row i -> map2 (*) ranges row with [6] = 1 + noise 2 i) (noise_2d 1 n 11) (iota n)
  let points = map (\row -> copy row with [2] = 4 + row[2]) (noise_2d 3 m 3)
  let seen = tabulate p (\i -> [i32.i64 (i % n), i32.i64 (i * 7 % m)])
  in (cameras, points, noise_1d 4 p, seen, noise_2d 5 p 2)

entry primal [n][m][p] (cameras: [n][11]f64) (points: [m][3]f64) (weights: [p]f64)
                       (observations: [p][2]i32) (features: [p][2]f64): ([p][2]f64, [p]f64) =
  objective cameras points weights observations features

entry gradient [n][m][p] (cameras: [n][11]f64) (points: [m][3]f64) (weights: [p]f64)
                         (observations: [p][2]i32) (features: [p][2]f64): ([]i32, []i32, []f64) =
  jacobian cameras points weights observations features

-- | Along one direction, a weighted sum of the errors: by the sparse Jacobian, and by differences.
entry slopes [n][m][p] (cameras: [n][11]f64) (points: [m][3]f64) (weights: [p]f64)
                       (observations: [p][2]i32) (features: [p][2]f64): (f64, f64) =
  let (starts, columns, values) = gradient cameras points weights observations features
  let size = 11 * n + 3 * m + p
  let shares = noise_1d 8 (3 * p)
  let value (all: [size]f64) =
    let (of_observations, of_weights) =
      primal (unflatten (take (n * 11) all)) (unflatten (take (m * 3) (drop (n * 11) all)))
             (take p (drop (11 * n + 3 * m) all)) observations features
    in dot shares (flatten of_observations ++ of_weights :> [3 * p]f64)
  let row r =
    loop sum = 0 for i in i64.i32 starts[r]..<i64.i32 starts[r + 1] do
      sum + values[i] * (direction size)[columns[i]]
  let along = dot shares (tabulate (3 * p) row)
  in (along, (both_slopes value (flatten cameras ++ flatten points ++ weights :> [size]f64)
                     (replicate size 0)).1)

-- The sparse Jacobian times a direction is the derivative along it.
entry check (n: i64) (m: i64) (p: i64): bool =
  let (cameras, points, weights, seen, features) = generate n m p
  let (starts, columns, values) = gradient cameras points weights seen features
  let size = 11 * n + 3 * m + p
  let direction = map (\u -> u - 0.4) (noise_1d 6 size)
  let errors t =
    let moved = map2 (\x by -> x + t * by)
                     (flatten cameras ++ flatten points ++ weights :> [size]f64) direction
    let (of_observations, of_weights) =
      primal (unflatten (take (n * 11) moved)) (unflatten (take (m * 3) (drop (n * 11) moved)))
             (take p (drop (11 * n + 3 * m) moved)) seen features
    in flatten of_observations ++ of_weights :> [p * 2 + p]f64
  let slope row =
    let (first, next) = (i64.i32 starts[row], i64.i32 starts[row + 1])
    in loop sum = 0 for i in first..<next do sum + values[i] * direction[columns[i]]
  in and (tabulate (p * 2 + p) (\row -> is_slope (\t -> (errors t)[row]) (slope row)))
