-- | A nodal discontinuous Galerkin method for the compressible Euler equations in three dimensions:
-- polynomials of degree 4 on the Gauss–Lobatto points of each element, Rusanov's flux between
-- elements (Kopriva 2009, chapter 5), and the five-stage Runge–Kutta method of order 4 of
-- Carpenter and Kennedy (1994), on a periodic box of elements.  The gradient is that of a weighted
-- sum of the final state, with respect to the initial state.
-- memory: gradient nz=2 ny=4 nx=4 n=4: gradient <= 2 * primal + (5 * n + 3) * 5000 * nz * ny * nx
-- ==
-- entry: order
-- input { 10i64 } output { true }
-- ==
-- entry: conserves
-- input { 3i64 2i64 4i64 } output { true }
-- ==
-- entry: check
-- input { 2i64 } output { true }

import "data"

-- | Per volume: mass, momentum, energy.
type conserved = {mass: f64, x: f64, y: f64, z: f64, energy: f64}

def combine (f: f64 -> f64 -> f64) (a: conserved) (b: conserved) : conserved =
  { mass = f a.mass b.mass
  , x = f a.x b.x
  , y = f a.y b.y
  , z = f a.z b.z
  , energy = f a.energy b.energy
  }

def (+.) = combine (+)
def (-.) = combine (-)
def (*.) (s: f64) (a: conserved) : conserved = combine (\_ x -> s * x) a a

-- | In an element: z, y, x.  In the box: z, y, x.
type element = [5][5][5]conserved
type field [nz] [ny] [nx] = [nz][ny][nx]element

-- | The side of the box, whatever the number of elements.
def side : f64 = 10

-- | The ratio of specific heats.
def ratio : f64 = 1.4

-- ---------------------------------------------------------------- the equations

def pressure (q: conserved) : f64 =
  (ratio - 1) * (q.energy - 0.5 * (q.x * q.x + q.y * q.y + q.z * q.z) / q.mass)

-- | What flows along x in a unit of time.
def flux_x (q: conserved) : conserved =
  let (u, p) = (q.x / q.mass, pressure q)
  in {mass = q.x, x = q.x * u + p, y = q.y * u, z = q.z * u, energy = (q.energy + p) * u}

-- | Axes change places, so that one formula serves all three.
def y_first (q: conserved) : conserved = q with x = q.y with y = q.x
def z_first (q: conserved) : conserved = q with x = q.z with z = q.x

def flux_y (q: conserved) : conserved = y_first (flux_x (y_first q))
def flux_z (q: conserved) : conserved = z_first (flux_x (z_first q))

def fastest (q: conserved) : f64 =
  f64.abs (q.x / q.mass) + f64.sqrt (ratio * pressure q / q.mass)

-- | The flux between two states, the left one first (Rusanov 1961).
def between_x (l: conserved) (r: conserved) : conserved =
  0.5 *. ((flux_x l +. flux_x r) -. f64.max (fastest l) (fastest r) *. (r -. l))

def between_y (l: conserved) (r: conserved) : conserved =
  y_first (between_x (y_first l) (y_first r))

def between_z (l: conserved) (r: conserved) : conserved =
  z_first (between_x (z_first l) (z_first r))

-- ---------------------------------------------------------------- the elements

-- | Gauss–Lobatto points in [-1, 1].
def points : [5]f64 = [-1, -0.6546536707079771, 0, 0.6546536707079771, 1]

-- | The weight of the points at the ends.
def end_weight : f64 = 0.1

def slopes_at : [5][5]f64 =
  [ [-5.0, 6.756502488724241, -2.666666666666668, 1.410164177942427, -0.5]
  , [-1.240990253030982, 0.0, 1.745743121887939, -0.763762615825973, 0.259009746969017]
  , [0.375, -1.336584577695453, 0.0, 1.336584577695453, -0.375]
  , [-0.259009746969017, 0.763762615825974, -1.74574312188794, 0.0, 1.240990253030983]
  , [0.5, -1.410164177942427, 2.666666666666668, -6.756502488724239, 4.999999999999998]
  ]

-- | The derivative at point `i` of what has the value `f j` at each point j, and at the ends what
-- enters instead of what the element alone would give.
def along (i: i64) (f: i64 -> conserved) (low: conserved) (high: conserved) : conserved =
  let inside =
    (slopes_at[i, 0] *. f 0 +. slopes_at[i, 1] *. f 1) +. slopes_at[i, 2] *. f 2
    +. (slopes_at[i, 3] *. f 3 +. slopes_at[i, 4] *. f 4)
  in if i == 0
     then inside -. (1 / end_weight) *. (low -. f 0)
     else if i == 4
     then inside +. (1 / end_weight) *. (high -. f 4)
     else inside

-- | What flows through two opposite faces of each element; each has a neighbour before and after.
def faces [a] [b] (between: conserved -> conserved -> conserved)
          (before: [a][b]conserved)
          (low: [a][b]conserved)
          (high: [a][b]conserved)
          (after: [a][b]conserved) : ([a][b]conserved, [a][b]conserved) =
  (map2 (map2 between) before low, map2 (map2 between) high after)

-- | The rate of change of an element; a pair holds the neighbours before and after.
def tendency_of (h: {x: f64, y: f64, z: f64})
                (q: element)
                (xs: (element, element))
                (ys: (element, element))
                (zs: (element, element)) : element =
  let face_x k (e: element) = map (map (\row -> row[k])) e
  let face_y k (e: element) = map (\plane -> plane[k]) e
  let face_z k (e: element) = e[k]
  let (west, east) = faces between_x (face_x 4 xs.0) (face_x 0 q) (face_x 4 q) (face_x 0 xs.1)
  let (south, north) = faces between_y (face_y 4 ys.0) (face_y 0 q) (face_y 4 q) (face_y 0 ys.1)
  let (below, above) = faces between_z (face_z 4 zs.0) (face_z 0 q) (face_z 4 q) (face_z 0 zs.1)
  let fx = map (map (map flux_x)) q
  let fy = map (map (map flux_y)) q
  let fz = map (map (map flux_z)) q
  in tabulate_3d 5 5 5 (\k j i ->
                          let x = along i (\m -> fx[k, j, m]) west[k, j] east[k, j]
                          let y = along j (\m -> fy[k, m, i]) south[k, i] north[k, i]
                          let z = along k (\m -> fz[m, j, i]) below[j, i] above[j, i]
                          in ((-2 / h.x) *. x +. (-2 / h.y) *. y) +. (-2 / h.z) *. z)

def tendency [nz] [ny] [nx] (q: field [nz] [ny] [nx]) : field [nz] [ny] [nx] =
  let h = {x = side / f64.i64 nx, y = side / f64.i64 ny, z = side / f64.i64 nz}
  in tabulate_3d nz ny nx (\k j i ->
                             tendency_of h
                                         q[k, j, i]
                                         (q[k, j, (i + nx - 1) % nx], q[k, j, (i + 1) % nx])
                                         (q[k, (j + ny - 1) % ny, i], q[k, (j + 1) % ny, i])
                                         (q[(k + nz - 1) % nz, j, i], q[(k + 1) % nz, j, i]))

-- ---------------------------------------------------------------- time

-- | How much of the stages before, and of the new one, each of the five stages takes.
def stages : [5](f64, f64) =
  [ (0, 1432997174477 / 9575080441755)
  , (-567301805773 / 1357537059087, 5161836677717 / 13612068292357)
  , (-2404267990393 / 2016746695238, 1720146321549 / 2090206949498)
  , (-3550918686646 / 2091501179385, 3134564353537 / 4481467310338)
  , (-1275806237668 / 842570457699, 2277821191437 / 14882151754819)
  ]

def each [nz] [ny] [nx] (f: conserved -> conserved -> conserved)
         (a: field [nz] [ny] [nx])
         (b: field [nz] [ny] [nx]) : field [nz] [ny] [nx] =
  map2 (map2 (map2 (map2 (map2 (map2 f))))) a b

def step [nz] [ny] [nx] (dt: f64) (q: field [nz] [ny] [nx]) : field [nz] [ny] [nx] =
  let rest = map (map (map (map (map (map (0 *.)))))) q
  in (loop (q, change) = (q, rest)
      for (a, b) in stages do
        let change = each (\c t -> a *. c +. dt *. t) change (tendency q)
        in (each (\q c -> q +. b *. c) q change, change)).0

-- | The gradient keeps the state at each stage, and executes each step once.
def steps [nz] [ny] [nx] (n: i64) (dt: f64) (q: field [nz] [ny] [nx]) : field [nz] [ny] [nx] =
  #[keep] loop q for _i < n do step dt q

-- ---------------------------------------------------------------- runs

-- | A vortex that a wind carries along the diagonal of x and y without change (Shu 1998).
def vortex (time: f64) (p: {x: f64, y: f64, z: f64}) : conserved =
  let near d = d - side * f64.round (d / side)
  let (x, y) = (near (p.x - side / 2 - time), near (p.y - side / 2 - time))
  let strength = 5 / (2 * f64.pi) * f64.exp (0.5 * (1 - x * x - y * y))
  let (u, v) = (1 - strength * y, 1 + strength * x)
  let temperature = 1 - (ratio - 1) / (2 * ratio) * strength * strength
  let mass = temperature ** (1 / (ratio - 1))
  in { mass
     , x = mass * u
     , y = mass * v
     , z = 0
     , energy = mass * temperature / (ratio - 1) + 0.5 * mass * (u * u + v * v)
     }

def sample nz ny nx (f: {x: f64, y: f64, z: f64} -> conserved) : field [nz] [ny] [nx] =
  let at n e k = side / f64.i64 n * (f64.i64 e + 0.5 * (1 + points[k]))
  let element c b a =
    tabulate_3d 5 5 5 (\k j i -> f {x = at nx a i, y = at ny b j, z = at nz c k})
  in tabulate_3d nz ny nx element

def sum [nz] [ny] [nx] (f: [nz][ny][nx][5][5][5]f64) : f64 =
  f64.sum (flatten (flatten (flatten (flatten (flatten f)))))

def inner [nz] [ny] [nx] (a: field [nz] [ny] [nx]) (b: field [nz] [ny] [nx]) : f64 =
  let product (a: conserved) (b: conserved) =
    a.mass * b.mass + a.x * b.x + a.y * b.y + a.z * b.z + a.energy * b.energy
  in sum (map2 (map2 (map2 (map2 (map2 (map2 product))))) a b)

-- | A step that is stable for the vortex on elements of this width.
def safe_step (width: f64) : f64 = 0.03 * width

-- | The largest error of the vortex's mass after half a unit of time, on n² elements.
def error (n: i64) : f64 =
  let dt = safe_step (side / f64.i64 n)
  let count = i64.f64 (f64.ceil (0.5 / dt))
  let last = steps count (0.5 / f64.i64 count) (sample 1 n n (vortex 0))
  let off (a: conserved) (b: conserved) = f64.abs (a.mass - b.mass)
  let offs = map2 (map2 (map2 (map2 (map2 (map2 off))))) last (sample 1 n n (vortex 0.5))
  in f64.maximum (flatten (flatten (flatten (flatten (flatten offs)))))

-- | Whether elements of half the width have at most a sixteenth of the error.
entry order (n: i64) : bool =
  let (coarse, fine) = loop (_, last) = (0, 0) for k in [n, 2 * n] do (last, error k)
  in fine * 16 <= coarse

-- | A state that no symmetry favours, around gas at rest.
def disturbed (seed: i64) (nz: i64) (ny: i64) (nx: i64) : field [nz] [ny] [nx] =
  let one c b a k j i =
    let u v = noise (seed + v) (((((c * ny + b) * nx + a) * 5 + k) * 5 + j) * 5 + i) - 0.5
    in {mass = 1 + 0.2 * u 0, x = 0.2 * u 1, y = 0.2 * u 2, z = 0.2 * u 3, energy = 2.5 + 0.2 * u 4}
  in tabulate_3d nz ny nx (\c b a -> tabulate_3d 5 5 5 (one c b a))

-- | Mass, momentum and energy in the box, by quadrature.
def totals [nz] [ny] [nx] (q: field [nz] [ny] [nx]) : [5]f64 =
  let weights: [5]f64 = [end_weight, 49 / 90, 32 / 45, 49 / 90, end_weight]
  let weigh part (e: element) =
    tabulate_3d 5 5 5 (\k j i -> weights[k] * weights[j] * weights[i] * part e[k, j, i])
  let total (part: conserved -> f64) = sum (map (map (map (weigh part))) q)
  in [total (.mass), total (.x), total (.y), total (.z), total (.energy)]

entry conserves (nz: i64) (ny: i64) (nx: i64) : bool =
  let before = disturbed 1 nz ny nx
  let after = steps 10 0.01 before
  let scale = f64.sum (map f64.abs (totals before))
  in all (\d -> f64.abs d <= 1e-13 * scale) (map2 (-) (totals after) (totals before))

-- | A field as one array of numbers, the five quantities first.
type numbers [nz] [ny] [nx] = [5][nz][ny][nx][5][5][5]f64

def to_numbers [nz] [ny] [nx] (q: field [nz] [ny] [nx]) : numbers [nz] [ny] [nx] =
  let part (f: conserved -> f64) = map (map (map (map (map (map f))))) q
  in [part (.mass), part (.x), part (.y), part (.z), part (.energy)]

def from_numbers [nz] [ny] [nx] (f: numbers [nz] [ny] [nx]) : field [nz] [ny] [nx] =
  let one c b a k j i =
    let part v = f[v, c, b, a, k, j, i]
    in {mass = part 0, x = part 1, y = part 2, z = part 3, energy = part 4}
  in tabulate_3d nz ny nx (\c b a -> tabulate_3d 5 5 5 (one c b a))

entry generate (nz: i64) (ny: i64) (nx: i64) (n: i64) : (i64, f64, numbers [nz] [ny] [nx]) =
  let dt = safe_step (side / f64.i64 (i64.max nx (i64.max ny nz)))
  in (n, dt, to_numbers (sample nz ny nx (vortex 0)))

entry primal [nz] [ny] [nx] (n: i64) (dt: f64) (q: numbers [nz] [ny] [nx])
  : numbers [nz] [ny] [nx] =
  to_numbers (steps n dt (from_numbers q))

entry gradient [nz] [ny] [nx] (n: i64) (dt: f64) (q: numbers [nz] [ny] [nx])
  : numbers [nz] [ny] [nx] =
  to_numbers (vjp (steps n dt) (from_numbers q) (disturbed 2 nz ny nx))

-- | Along one direction: by the gradient, and by differences.
def slopes_along [nz] [ny] [nx] (n: i64) (dt: f64) (q: field [nz] [ny] [nx]) : (f64, f64) =
  let towards = disturbed 3 nz ny nx
  let loss t = inner (disturbed 2 nz ny nx) (steps n dt (each (\a b -> a +. t *. b) q towards))
  in (inner towards (vjp (steps n dt) q (disturbed 2 nz ny nx)), difference loss)

entry slopes [nz] [ny] [nx] (n: i64) (dt: f64) (q: numbers [nz] [ny] [nx]) : (f64, f64) =
  slopes_along n dt (from_numbers q)

-- | Reverse, forward, differences.
entry check (n: i64) : bool =
  let q = disturbed 1 n n n
  let (slope, by_differences) = slopes_along 3 0.01 q
  let tangent = jvp (steps 3 0.01) q (disturbed 3 n n n)
  let forward = inner (disturbed 2 n n n) tangent
  in f64.abs (slope - by_differences) <= 1e-6 * f64.max 1 (f64.abs slope)
     && f64.abs (slope - forward) <= 1e-10 * f64.abs slope
