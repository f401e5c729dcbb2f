-- | The lattice Boltzmann method in three dimensions with 19 velocities: a box with walls, whose lid
-- moves (Qian, d'Humières and Lallemand 1992; SPEC's and Parboil's `lbm`).  The gradient is that of
-- the sum of the state after some steps, with respect to the initial state.
-- Published size: 120 × 120 × 150 cells, 100 steps.
-- memory: gradient nz=8 ny=16 nx=16 n=16: gradient <= 4 * primal + 19 * 4 * nz * ny * nx * n
-- ==
-- entry: check
-- input { 4i64 5i64 6i64 5i64 } output { true }

import "data"

module lbm_over (R: real) = {
  type state [nz][ny][nx] = [19][nz][ny][nx]R.t

  -- | Rest, the six faces and the twelve edges of a cube: x, y, z.  Opposite velocities follow each
  -- other.
  def velocities: [19][3]i64 =
    [ [0, 0, 0], [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]
    , [1, 1, 0], [-1, -1, 0], [1, -1, 0], [-1, 1, 0], [1, 0, 1], [-1, 0, -1]
    , [1, 0, -1], [-1, 0, 1], [0, 1, 1], [0, -1, -1], [0, 1, -1], [0, -1, 1] ]

  def opposite (q: i64): i64 = if q == 0 then 0 else if q % 2 == 1 then q + 1 else q - 1

  def weight (q: i64): R.t =
    R.from_fraction 1 (if q == 0 then 3 else if q < 7 then 18 else 36)

  def relaxation: R.t = R.from_fraction 195 100

  -- | Density and velocity.
  def moments (f: [19]R.t): (R.t, [3]R.t) =
    let density = R.sum f
    let along k = R.(sum (map2 (\v x -> i64 v * x) (map (\v -> v[k]) velocities) f) / density)
    in (density, [along 0, along 1, along 2])

  -- | What the velocities relax to (Bhatnagar, Gross and Krook).
  def collide (lid: bool) (f: [19]R.t): [19]R.t =
    let (density, velocity) = moments f
    let velocity = if lid
                   then [R.(velocity[0] + from_fraction 5 1000), R.(velocity[1] + from_fraction 2 1000),
                         velocity[2]]
                   else velocity
    let squared = R.sum (map (\u -> R.(u * u)) velocity)
    let towards q x =
      let along = R.sum (map2 (\v u -> R.(i64 v * u)) velocities[q] velocity)
      let equilibrium =
        R.(weight q * density
           * (i64 1 + i64 3 * along + from_fraction 9 2 * along * along - from_fraction 3 2 * squared))
      in R.(x + relaxation * (equilibrium - x))
    in map2 towards (iota 19) f

  -- | What flows into a cell, turned back by walls and mixed elsewhere.
  def step [nz][ny][nx] (state: state [nz][ny][nx]): state [nz][ny][nx] =
    let cell z y x =
      let incoming =
        map2 (\q e -> state[q, (z - e[2]) % nz, (y - e[1]) % ny, (x - e[0]) % nx])
             (iota 19) velocities
      let wall = z == 0 || z == nz - 1 || y == 0 || y == ny - 1 || x == 0 || x == nx - 1
      in if wall
         then map (\q -> incoming[opposite q]) (iota 19)
         else collide (z == nz - 2) incoming
    let cells = tabulate_3d nz ny nx cell
    in tabulate 19 (\q -> map (map (map (\f -> f[q]))) cells)

  def steps [nz][ny][nx] (n: i32) (state: state [nz][ny][nx]): state [nz][ny][nx] =
    loop state for _i < n do step state

  def loss [nz][ny][nx] (n: i32) (state: state [nz][ny][nx]): R.t =
    R.sum (map (\plane -> R.sum (map (\row -> R.sum (map R.sum row)) plane)) (steps n state))

  def initial (nz: i64) (ny: i64) (nx: i64): state [nz][ny][nx] =
    tabulate 19 (\q -> tabulate_3d nz ny nx (\_ _ _ -> weight q))
}

module single = lbm_over f32
module double = lbm_over f64

entry generate (nz: i64) (ny: i64) (nx: i64) (n: i64): (i32, [19][nz][ny][nx]f32) =
  (i32.i64 n, single.initial nz ny nx)

entry primal [nz][ny][nx] (n: i32) (state: [19][nz][ny][nx]f32): [19][nz][ny][nx]f32 =
  single.steps n state

entry gradient [nz][ny][nx] (n: i32) (state: [19][nz][ny][nx]f32): [19][nz][ny][nx]f32 =
  vjp (single.steps n) state (replicate 19 (replicate nz (replicate ny (replicate nx 1))))

-- | Along one direction: by the gradient, and by differences in f64.
entry slopes [nz][ny][nx] (n: i32) (state: [19][nz][ny][nx]f32): (f64, f64) =
  let size = 19 * nz * ny * nx
  let wide (s: [19][nz][ny][nx]f32) = map f64.f32 (flatten_4d s) :> [size]f64
  let loss (flat: [size]f64) =
    double.loss n (unflatten_4d (flat :> [19 * nz * ny * nx]f64))
  in both_slopes loss (wide state) (wide (gradient n state))

entry check (nz: i64) (ny: i64) (nx: i64) (n: i64): bool =
  let disturbed =
    map2 (\plane q -> map2 (\rows z -> map2 (map2 (\f u -> f * (1 + 0.1 * u))) rows (noise_2d (q * nz + z) ny nx))
                           plane (iota nz))
         (double.initial nz ny nx) (iota 19)
  let size = 19 * nz * ny * nx
  let loss (flat: [size]f64) =
    double.loss (i32.i64 n) (unflatten_4d (flat :> [19 * nz * ny * nx]f64))
  in is_gradient loss (flatten_4d disturbed :> [size]f64)
                 (flatten_4d (vjp (double.loss (i32.i64 n)) disturbed 1) :> [size]f64)
