-- | Cross sections by the multipole method, the compute-bound kernel of Monte Carlo neutron transport
-- (RSBench, Tramm et al. 2014): poles in the complex plane, broadened by temperature through the
-- Faddeeva function.  The gradient is with respect to the poles' residues and places and the windows'
-- backgrounds.
-- Published size: 68 nuclides of 100 windows and 1000 poles, 10.2 million lookups ("small").
-- memory: gradient nuclides=68 windows=100 per_window=10 lookups=200: gradient <= 2.1 * primal
-- memory: gradient nuclides=68 windows=100 per_window=10 lookups=200 threads=4: gradient <= 2.1 * primal
-- ==
-- entry: check
-- input { 6i64 5i64 3i64 20i64 } output { true }

import "data"
import "xsbench"

type complex = (f64, f64)

def plus (a: complex) (b: complex): complex = (a.0 + b.0, a.1 + b.1)
def minus (a: complex) (b: complex): complex = (a.0 - b.0, a.1 - b.1)
def times (a: complex) (b: complex): complex = (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
def scaled (s: f64) (a: complex): complex = (s * a.0, s * a.1)
def times_i (a: complex): complex = (-a.1, a.0)
def exponential (a: complex): complex = scaled (f64.exp a.0) (f64.cos a.1, f64.sin a.1)

def over (a: complex) (b: complex): complex =
  let size = b.0 * b.0 + b.1 * b.1
  in ((a.0 * b.0 + a.1 * b.1) / size, (a.1 * b.0 - a.0 * b.1) / size)

-- | The Faddeeva function w(z): far from 0 by its continued fraction, near it by a Fourier series
-- (Abrarov and Quine 2011), with period τ = 12 and ten terms.
def faddeeva (z: complex): complex =
  let square = times z z
  in if z.0 * z.0 + z.1 * z.1 >= 36
     then let pole weight place = over (weight, 0) (minus square (place, 0))
          in times_i (times z (pole 0.5124242247547685 0.2752551286084109
                               `plus` pole 0.05176535879298782 2.724744871391589))
     else let tau = 12
          let turn = exponential (scaled tau (times_i z))
          let first = over (times_i (minus (1, 0) turn)) (scaled tau z)
          let series =
            loop sum = (0, 0) for k < 10 do
              let turns = f64.i32 (k + 1) * f64.pi
              let part = turns / tau
              let weight = 2 * f64.sqrt f64.pi / tau * f64.exp (-(part * part))
              let sign = if k % 2 == 0 then -1 else 1
              in plus sum (scaled weight (minus (scaled sign turn) (1, 0)
                                          `over` minus (turns * turns, 0) (scaled (tau * tau) square)))
          in plus first (scaled (tau * tau / f64.sqrt f64.pi) (times_i (times z series)))

-- | A pole: its place and three residues, complex.
type pole = [8]f64

-- | Poles lie in the windows of energy, a few in each, below the real axis; a window has three
-- backgrounds.
entry generate (nuclides: i64) (windows: i64) (per_window: i64) (lookups: i64)
  : ([nuclides][windows][per_window][8]f64, [nuclides][windows][3]f64, i64) =
  let place i w p k =
    let u = noise (1 + k) ((i * windows + w) * per_window + p)
    in if k == 0 then f64.sqrt ((f64.i64 w + u) / f64.i64 windows)
       else if k == 1 then -0.01 - 0.1 * u
       else u
  in ( tabulate_3d nuclides windows per_window (\i w p -> tabulate 8 (place i w p))
     , tabulate_2d nuclides windows (\i w -> tabulate 3 (\k -> noise (20 + k) (i * windows + w)))
     , lookups)

-- | The phase of a partial wave with angular momentum `l`, twice.
def phase (l: i64) (rho: f64): f64 =
  let square = rho * rho
  in 2 * (if l == 0 then rho
          else if l == 1 then rho - f64.atan rho
          else if l == 2 then rho - f64.atan (3 * rho / (3 - square))
          else rho - f64.atan (rho * (15 - square) / (15 - 6 * square)))

-- | Total, absorption, fission and elastic cross sections of one nuclide.
def nuclide_sections [windows][per_window] (poles: [windows][per_window]pole)
                                           (backgrounds: [windows][3]f64)
                                           (nuclide: i64) (energy: f64): [4]f64 =
  let window = i64.min (windows - 1) (i64.f64 (energy * f64.i64 windows))
  let root = f64.sqrt energy
  let doppler = 12
  let background = backgrounds[window]
  let (total, absorption, fission) =
    loop (total, absorption, fission) =
      (energy * background[0], energy * background[1], energy * background[2])
    for j < per_window do
      let pole = poles[window, j]
      let w = faddeeva (scaled doppler (minus (root, 0) (pole[0], pole[1])))
      let angle = phase ((nuclide + j) % 4) (0.5 * root * (1 + f64.i64 (nuclide % 3)))
      let turned = times (f64.cos angle, -(f64.sin angle)) w
      let part (a: complex) (b: complex) = a.0 * b.0 - a.1 * b.1
      in ( total + part (pole[2], pole[3]) turned
         , absorption + part (pole[4], pole[5]) w
         , fission + part (pole[6], pole[7]) w)
  in [total, absorption, fission, total - absorption]

def total_sections [n][w][p] (lookups: i64) (poles: [n][w][p][8]f64) (backgrounds: [n][w][3]f64): f64 =
  let lookup number =
    let energy = noise 1001 number
    let material = material_of (noise 1002 number)
    let sections =
      loop sums = replicate 4 0
      for j < nuclides_in[material] do
        let nuclide = (j * 7 + material * 11) % n
        let density = noise 1003 (material * 34 + j)
        in map2 (\sum x -> sum + density * x) sums
                (nuclide_sections poles[nuclide] backgrounds[nuclide] nuclide energy)
    in f64.sum sections
  in f64.sum (map lookup (iota lookups))

entry primal [n][w][p] (poles: [n][w][p][8]f64) (backgrounds: [n][w][3]f64) (lookups: i64): f64 =
  total_sections lookups poles backgrounds

entry gradient [n][w][p] (poles: [n][w][p][8]f64) (backgrounds: [n][w][3]f64) (lookups: i64)
  : ([n][w][p][8]f64, [n][w][3]f64) =
  vjp (\(poles, backgrounds) -> total_sections lookups poles backgrounds) (poles, backgrounds) 1

-- | Along one direction: by the gradient, and by differences.
entry slopes [n][w][p] (poles: [n][w][p][8]f64) (backgrounds: [n][w][3]f64) (lookups: i64)
  : (f64, f64) =
  let (of_poles, of_backgrounds) = (n * w * p * 8, n * w * 3)
  let size = of_poles + of_backgrounds
  let joined poles backgrounds = flatten_4d poles ++ flatten_3d backgrounds :> [size]f64
  let value (all: [size]f64) =
    total_sections lookups (unflatten_4d (take of_poles all :> [n * w * p * 8]f64))
                   (unflatten_3d (drop of_poles all :> [n * w * 3]f64))
  let (poles', backgrounds') = gradient poles backgrounds lookups
  in both_slopes value (joined poles backgrounds) (joined poles' backgrounds')

entry check (nuclides: i64) (windows: i64) (per_window: i64) (lookups: i64): bool =
  let (poles, backgrounds, _) = generate nuclides windows per_window lookups
  let (poles', backgrounds') = gradient poles backgrounds lookups
  let size = nuclides * windows * per_window * 8
  in is_gradient (\(flat: [size]f64) ->
                    total_sections lookups
                                   (unflatten_4d (flat :> [nuclides * windows * per_window * 8]f64))
                                   backgrounds)
                 (flatten_4d poles :> [size]f64) (flatten_4d poles' :> [size]f64)
     && is_gradient (\flat ->
                       total_sections lookups poles
                                      (unflatten_3d (flat :> [nuclides * windows * 3]f64)))
                    (flatten_3d backgrounds) (flatten_3d backgrounds')
