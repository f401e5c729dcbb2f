-- | k-means on sparse points (compressed rows), ten steps of Newton's method as in kmeans_dense.fut.
-- The squared distance from a centre is its own square, corrected where the point is not zero.
-- Published sizes (points × dimensions, density; k = 10): movielens 139K × 131K, 0.11 %; nytimes
-- 300K × 102K, 0.23 %; scrna 66K × 27K, 7.3 %.
-- memory: gradient k=10 n=1000 d=20000 per_row=144: gradient <= 2.1 * primal
-- ==
-- entry: check
-- input { 3i64 30i64 8i64 3i64 } output { true }

import "data"

module kmeans_over (R: real) = {
  def cost [n][e][k][d] (starts: [n]i64) (columns: [e]i32) (values: [e]R.t)
                        (centres: [k][d]R.t): R.t =
    let squares = map (\centre -> R.sum (map (\c -> R.(c * c)) centre)) centres
    let distance i centre square =
      let (first, next) = (starts[i], if i + 1 < n then starts[i + 1] else e)
      in loop total = square for j in first..<next do
           let c = centre[columns[j]]
           let x = values[j]
           in R.(total + x * (x - c - c))
    in R.sum (map (\i -> R.minimum (map2 (distance i) centres squares)) (iota n))

  def step [n][e][k][d] (starts: [n]i64) (columns: [e]i32) (values: [e]R.t)
                        (centres: [k][d]R.t): [k][d]R.t =
    let gradient c = vjp (cost starts columns values) c (R.i64 1)
    let (slope, curvature) =
      jvp2 gradient centres (replicate k (replicate d (R.i64 1)))
    let newton c s h = if R.(h == i64 0) then c else R.(c - s / h)
    in map3 (map3 newton) centres slope curvature
}

module single = kmeans_over f32
module double = kmeans_over f64

-- | `per_row` entries in each row, at places that wander.
def points (n: i64) (d: i64) (per_row: i64): ([n]i64, []i32, []f64) =
  let size = n * per_row
  let stride = i64.max 1 (d / per_row)
  let column i =
    let (row, k) = (i / per_row, i % per_row)
    in i32.i64 ((k * stride + i64.f64 (noise 1 i * f64.i64 stride) + row) % d)
  in (tabulate n (* per_row), tabulate size column, noise_1d 2 size)

entry generate (k: i64) (n: i64) (d: i64) (per_row: i64): ([n]i64, []i32, []f32, [k][d]f32) =
  let (starts, columns, values) = points n d per_row
  in (starts, columns, map f32.f64 values, map (map f32.f64) (noise_2d 3 k d))

entry primal [n][e][k][d] (starts: [n]i64) (columns: [e]i32) (values: [e]f32)
                          (centres: [k][d]f32): f32 =
  single.cost starts columns values centres

entry gradient [n][e][k][d] (starts: [n]i64) (columns: [e]i32) (values: [e]f32)
                            (centres: [k][d]f32): [k][d]f32 =
  vjp (single.cost starts columns values) centres 1

-- | What the literature measures.
entry newton [n][e][k][d] (starts: [n]i64) (columns: [e]i32) (values: [e]f32)
                          (centres: [k][d]f32): [k][d]f32 =
  iterate 10 (single.step starts columns values) centres

-- | Along one direction: by the gradient, and by differences in f64.
entry slopes [n][e][k][d] (starts: [n]i64) (columns: [e]i32) (values: [e]f32)
                          (centres: [k][d]f32): (f64, f64) =
  let wide = map (map f64.f32)
  in both_slopes (\c -> double.cost starts columns (map f64.f32 values) (unflatten c))
            (flatten (wide centres)) (flatten (wide (gradient starts columns values centres)))

-- The gradient is one, and a step moves each centre to the mean of its points.
entry check (k: i64) (n: i64) (d: i64) (per_row: i64): bool =
  let (starts, columns, values) = points n d per_row
  let size = n * per_row
  let (columns, values) = (columns :> [size]i32, values :> [size]f64)
  let centres = noise_2d 3 k d
  let cost c = double.cost starts columns values c
  let dense =
    tabulate n (\i ->
                  loop row = replicate d 0 for j < per_row do
                    row with [columns[starts[i] + j]] = values[starts[i] + j])
  let nearest p =
    let distances = map (\c -> f64.sum (map2 (\a b -> (a - b) * (a - b)) p c)) centres
    let least = f64.minimum distances
    in i64.sum (map2 (\distance j -> if distance == least then j else 0) distances (iota k))
  let owners = map nearest dense
  let sums =
    reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) owners dense
  let sizes = reduce_by_index (replicate k 0) (+) 0 owners (replicate n 1)
  let means = map3 (\c sum size -> if size == 0 then c else map (/ size) sum) centres sums sizes
  let close a b = f64.abs (a - b) < 1e-9
  in is_gradient (\c -> cost (unflatten c)) (flatten centres) (flatten (vjp cost centres 1))
     && and (flatten (map2 (map2 close) (double.step starts columns values centres) means))
