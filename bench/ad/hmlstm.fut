-- | Broadcast kernels whose control flow depends on the data (Revels et al. 2018): the state update of
-- a hierarchical multiscale LSTM, and a product of n factors for n from 1 to 16, to see how the
-- gradient's time grows with the number of arguments.
-- Published size: 512, 1024 and 2048 squared, f32.
-- memory: gradient n=500 m=500: gradient <= 2.1 * primal
-- ==
-- entry: check
-- input { 5i64 7i64 } output { true }

import "data"

module kernels_over (R: real) = {
  def sigmoid (x: R.t): R.t = R.(i64 1 / (i64 1 + exp (neg x)))

  def update (z: R.t) (zb: R.t) (c: R.t) (f: R.t) (i: R.t) (g: R.t): R.t =
    if R.(z == i64 1) then R.(sigmoid i * tanh g)
    else if R.(zb == i64 0) then c
    else R.(sigmoid f * c + sigmoid i * tanh g)

  def cells [n][m] (z: [m]R.t) (zb: [m]R.t) (c: [n][m]R.t) (f: [n][m]R.t) (i: [n][m]R.t)
                   (g: [n][m]R.t): [n][m]R.t =
    map4 (\c f i g ->
            map3 (\(z, zb) (c, f) (i, g) -> update z zb c f i g)
                 (zip z zb) (zip c f) (zip i g))
         c f i g

  def factor (x: R.t): R.t = R.(tanh (if x > from_fraction 1 2 then x else neg x))

  -- | Up to four factors at once, so that sixteen arrays are four arguments of a map.
  def one (a: R.t): R.t = factor a
  def two (a: R.t, b: R.t): R.t = R.(factor a * factor b)
  def three (a: R.t, b: R.t, c: R.t): R.t = R.(factor a * factor b * factor c)
  def four (a: R.t, b: R.t, c: R.t, d: R.t): R.t = R.(factor a * factor b * factor c * factor d)

  def fours [n] (first: i64) (xs: [][n]R.t): [n](R.t, R.t, R.t, R.t) =
    zip4 xs[first] xs[first + 1] xs[first + 2] xs[first + 3]

  def product_1 [n] (xs: [1][n]R.t): [n]R.t = map one xs[0]
  def product_2 [n] (xs: [2][n]R.t): [n]R.t = map two (zip xs[0] xs[1])
  def product_3 [n] (xs: [3][n]R.t): [n]R.t = map three (zip3 xs[0] xs[1] xs[2])
  def product_4 [n] (xs: [4][n]R.t): [n]R.t = map four (fours 0 xs)
  def product_6 [n] (xs: [6][n]R.t): [n]R.t =
    map2 (\a b -> R.(four a * two b)) (fours 0 xs) (zip xs[4] xs[5])
  def product_8 [n] (xs: [8][n]R.t): [n]R.t =
    map2 (\a b -> R.(four a * four b)) (fours 0 xs) (fours 4 xs)
  def product_10 [n] (xs: [10][n]R.t): [n]R.t =
    map3 (\a b c -> R.(four a * four b * two c)) (fours 0 xs) (fours 4 xs) (zip xs[8] xs[9])
  def product_12 [n] (xs: [12][n]R.t): [n]R.t =
    map3 (\a b c -> R.(four a * four b * four c)) (fours 0 xs) (fours 4 xs) (fours 8 xs)
  def product_16 [n] (xs: [16][n]R.t): [n]R.t =
    map4 (\a b c d -> R.(four a * four b * four c * four d))
         (fours 0 xs) (fours 4 xs) (fours 8 xs) (fours 12 xs)
}

module single = kernels_over f32
module double = kernels_over f64

def bits (seed: i64) (m: i64): [m]f64 = map f64.round (noise_1d seed m)

entry generate (n: i64) (m: i64)
  : ([m]f32, [m]f32, [n][m]f32, [n][m]f32, [n][m]f32, [n][m]f32) =
  let matrix seed = map (map f32.f64) (noise_2d seed n m)
  in (map f32.f64 (bits 1 m), map f32.f64 (bits 2 m), matrix 3, matrix 4, matrix 5, matrix 6)

entry primal [n][m] (z: [m]f32) (zb: [m]f32) (c: [n][m]f32) (f: [n][m]f32) (i: [n][m]f32)
                    (g: [n][m]f32): [n][m]f32 =
  single.cells z zb c f i g

entry gradient [n][m] (z: [m]f32) (zb: [m]f32) (c: [n][m]f32) (f: [n][m]f32) (i: [n][m]f32)
                      (g: [n][m]f32): ([n][m]f32, [n][m]f32, [n][m]f32, [n][m]f32) =
  vjp (\(c, f, i, g) -> single.cells z zb c f i g) (c, f, i, g) (replicate n (replicate m 1))

entry generate_sweep (k: i64) (n: i64): [k][n]f32 = map (map f32.f64) (noise_2d 7 k n)

-- Entry points of the sweep: the gradient of a product of so many arrays.
entry arity_1 [n] (xs: [1][n]f32): [1][n]f32 = vjp single.product_1 xs (replicate n 1)
entry arity_2 [n] (xs: [2][n]f32): [2][n]f32 = vjp single.product_2 xs (replicate n 1)
entry arity_3 [n] (xs: [3][n]f32): [3][n]f32 = vjp single.product_3 xs (replicate n 1)
entry arity_4 [n] (xs: [4][n]f32): [4][n]f32 = vjp single.product_4 xs (replicate n 1)
entry arity_6 [n] (xs: [6][n]f32): [6][n]f32 = vjp single.product_6 xs (replicate n 1)
entry arity_8 [n] (xs: [8][n]f32): [8][n]f32 = vjp single.product_8 xs (replicate n 1)
entry arity_10 [n] (xs: [10][n]f32): [10][n]f32 = vjp single.product_10 xs (replicate n 1)
entry arity_12 [n] (xs: [12][n]f32): [12][n]f32 = vjp single.product_12 xs (replicate n 1)
entry arity_16 [n] (xs: [16][n]f32): [16][n]f32 = vjp single.product_16 xs (replicate n 1)

-- | Along one direction: by the gradient, and by differences in f64.
entry slopes [n][m] (z: [m]f32) (zb: [m]f32) (c: [n][m]f32) (f: [n][m]f32) (i: [n][m]f32)
                    (g: [n][m]f32): (f64, f64) =
  let joined (c, f, i, g) = map f64.f32 (flatten_3d [c, f, i, g])
  let value xs =
    let xs = unflatten_3d xs
    in f64.sum (map f64.sum (double.cells (map f64.f32 z) (map f64.f32 zb) xs[0] xs[1] xs[2] xs[3]))
  in both_slopes value (joined (c, f, i, g)) (joined (gradient z zb c f i g))

entry check (n: i64) (m: i64): bool =
  let (z, zb) = (bits 1 m, bits 2 m)
  let xs = noise_3d 3 4 n m
  let loss (xs: [4][n][m]f64) =
    f64.sum (flatten (map2 (map2 (*)) (noise_2d 9 n m) (double.cells z zb xs[0] xs[1] xs[2] xs[3])))
  let factors = map (map (+ 0.6)) (noise_2d 7 16 n)
  let product (xs: [16][n]f64) = f64.sum (map2 (*) (noise_1d 10 n) (double.product_16 xs))
  in is_gradient (\xs -> loss (unflatten_3d xs)) (flatten_3d xs) (flatten_3d (vjp loss xs 1))
     && is_gradient (\xs -> product (unflatten xs)) (flatten factors)
                    (flatten (vjp product factors 1))
