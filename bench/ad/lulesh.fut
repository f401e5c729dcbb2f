-- | LULESH 2.0: Sedov's point blast on a mesh of hexahedra that moves with the gas (Karlin, Keasler
-- and Neely 2013, LLNL-TR-641973).  Elements find their nodes, and nodes their elements, through
-- lists, as in the reference.  Regions differ in how often their equation of state is evaluated;
-- all are the same ideal gas.  The gradient is that of the sum of final energies, with respect to
-- the initial ones, through all time steps and their lengths.
-- Published: 72, 231 and 575 steps, and final energies at the origin of 7.853665e3, 2.720531e4 and
-- 9.668856e4, for 5, 10 and 20 elements along an edge.
-- memory: gradient n=8: gradient <= 4 * primal + 170 * 8 * 27 * (n + 1) ** 3
-- memory: long_gradient over primal n=8: gradient <= 4 * primal + 2 * 14 * 8 * 11 * (n + 1) ** 3
-- ==
-- entry: blast
-- input { 5i64 } output { 72i64 7853.665 }
-- ==
-- entry: check
-- input { 3i64 } output { true }

import "data"

-- ---------------------------------------------------------------- vectors

type vector = {x: f64, y: f64, z: f64}

def (+.) (a: vector) (b: vector) : vector = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def (-.) (a: vector) (b: vector) : vector = {x = a.x - b.x, y = a.y - b.y, z = a.z - b.z}
def (*.) (s: f64) (a: vector) : vector = {x = s * a.x, y = s * a.y, z = s * a.z}
def inner (a: vector) (b: vector) : f64 = a.x * b.x + a.y * b.y + a.z * b.z

def cross (a: vector) (b: vector) : vector =
  {x = a.y * b.z - a.z * b.y, y = a.z * b.x - a.x * b.z, z = a.x * b.y - a.y * b.x}

def zero : vector = {x = 0, y = 0, z = 0}
def total [n] (vs: [n]vector) : vector = reduce (+.) zero vs

-- ---------------------------------------------------------------- the mesh

-- | Corners of an element go round its lower face, 0 to 3, then round its upper one, 4 to 7.
-- `corners`: nodes of an element.  `around`: the corners at a node, as element · 8 + corner or -1.
-- `before`, `after`: neighbours along the three axes; -1 where nothing is.  At the three planes
-- through the origin the mesh is its own mirror image: an element is its own neighbour there, and
-- nodes do not leave the plane (`free` is 0).
type mesh [nodes] [elements] =
  { places: [nodes]vector
  , corners: [elements][8]i64
  , around: [nodes][8]i64
  , before: [elements][3]i64
  , after: [elements][3]i64
  , free: [nodes]vector
  , mass: [nodes]f64
  , rest: [elements]f64 -- volumes at the start; at density 1, masses as well
  , repetitions: [elements]i64
  }

def edge : f64 = 1.125

-- | What lies at corner `c` of an element, as steps along x, y, z.
def offset (c: i64) : (i64, i64, i64) =
  (i64.bool (c % 4 == 1 || c % 4 == 2), i64.bool (c % 4 >= 2), c / 4)

-- | The determinant of three vectors.
def triple (a: vector) (b: vector) (c: vector) : f64 = inner a (cross b c)

def volume_of (p: [8]vector) : f64 =
  (triple ((p[3] -. p[1]) +. (p[7] -. p[2])) (p[6] -. p[3]) (p[2] -. p[0])
   + triple ((p[4] -. p[3]) +. (p[5] -. p[7])) (p[6] -. p[4]) (p[7] -. p[0])
   + triple ((p[1] -. p[4]) +. (p[2] -. p[5])) (p[6] -. p[1]) (p[5] -. p[0]))
  / 12

def position_at (n: i64) (node: i64) : vector =
  let k = n + 1
  let at i = edge * f64.i64 i / f64.i64 n
  in {x = at (node % k), y = at (node / k % k), z = at (node / (k * k))}

-- | A cube of n³ elements.  Half of the regions are cheap; the last one costs most.
def cube (n: i64) (region: [n * n * n]i64) : mesh [(n + 1) * (n + 1) * (n + 1)] [n * n * n] =
  let k = n + 1
  let place e = (e % n, e / n % n, e / (n * n))
  let corners_of e =
    let (i, j, l) = place e
    in tabulate 8 (\c -> let (a, b, d) = offset c in ((l + d) * k + j + b) * k + i + a)
  let around_of node =
    let (i, j, l) = (node % k, node / k % k, node / (k * k))
    in tabulate 8 (\c ->
                     let (a, b, d) = offset c
                     let (i, j, l) = (i - a, j - b, l - d)
                     let inside = i >= 0 && i < n && j >= 0 && j < n && l >= 0 && l < n
                     in if inside then ((l * n + j) * n + i) * 8 + c else -1)
  let along =
    tabulate (n * n * n) (\e -> let (i, j, l) = place e in [(i, e, 1), (j, e, n), (l, e, n * n)])
  let corners = tabulate (n * n * n) corners_of
  let rest = map (\cs -> volume_of (map (position_at n) cs)) corners
  let around = tabulate (k * k * k) around_of
  let share a = if a < 0 then 0 else rest[a / 8] / 8
  in { places = tabulate (k * k * k) (position_at n)
     , corners = corners
     , around = around
     , before = map (map (\(i, e, step) -> if i == 0 then e else e - step)) along
     , after = map (map (\(i, e, step) -> if i == n - 1 then -1 else e + step)) along
     , free =
         tabulate (k * k * k) (\node ->
                                 let p = position_at n node
                                 let moves q = f64.bool (q != 0)
                                 in {x = moves p.x, y = moves p.y, z = moves p.z})
     , mass = map (\cs -> f64.sum (map share cs)) around
     , rest = rest
     , repetitions = map (\r -> if r < 5 then 1 else if r < 10 then 2 else 20) region
     }

-- ---------------------------------------------------------------- forces

-- | The gradients of the corners' shape functions, times the volume, and the volume.
def shape_gradients (p: [8]vector) : ([8]vector, f64) =
  let (d60, d53, d71, d42) = (p[6] -. p[0], p[5] -. p[3], p[7] -. p[1], p[4] -. p[2])
  let xi = 0.125 *. ((d60 +. d53) -. (d71 +. d42))
  let eta = 0.125 *. ((d60 -. d53) +. (d71 -. d42))
  let zeta = 0.125 *. ((d60 +. d53) +. (d71 +. d42))
  let (a, b, c) = (cross eta zeta, cross zeta xi, cross xi eta)
  let g0 = zero -. (a +. b +. c)
  let g1 = a -. (b +. c)
  let g2 = (a +. b) -. c
  let g3 = b -. (a +. c)
  in ([g0, g1, g2, g3, zero -. g2, zero -. g3, zero -. g0, zero -. g1], 8 * inner eta b)

-- | A quarter of a face's normal; its length is a quarter of the area.
def face_normal (a: vector) (b: vector) (c: vector) (d: vector) : vector =
  0.0625 *. cross ((d +. c) -. (b +. a)) ((c +. b) -. (d +. a))

-- | At each corner, the sum of its three faces' shares.
def normals (p: [8]vector) : [8]vector =
  let f0 = face_normal p[0] p[1] p[2] p[3]
  let f1 = face_normal p[0] p[4] p[5] p[1]
  let f2 = face_normal p[1] p[5] p[6] p[2]
  let f3 = face_normal p[2] p[6] p[7] p[3]
  let f4 = face_normal p[3] p[7] p[4] p[0]
  let f5 = face_normal p[4] p[7] p[6] p[5]
  in [ f0 +. f1 +. f4
     , f0 +. f1 +. f2
     , f0 +. f2 +. f3
     , f0 +. f3 +. f4
     , f1 +. f4 +. f5
     , f1 +. f2 +. f5
     , f2 +. f3 +. f5
     , f3 +. f4 +. f5
     ]

-- | The derivative of the volume with respect to each corner.
def volume_gradients (p: [8]vector) : [8]vector =
  let towards a b c d e f =
    (1 / 12)
    *. (cross (p[b] +. p[c]) (p[a] +. p[b]) +. cross (p[a] +. p[e]) (p[d] +. p[e])
        +. cross (p[d] +. p[f]) (p[c] +. p[f]))
  in [ towards 1 2 3 4 5 7
     , towards 2 3 0 5 6 4
     , towards 3 0 1 6 7 5
     , towards 0 1 2 7 4 6
     , towards 7 6 5 0 3 1
     , towards 4 7 6 1 0 2
     , towards 5 4 7 2 1 3
     , towards 6 5 4 3 2 0
     ]

-- | The four ways in which a hexahedron deforms without a change of its mean strain.
def modes : [4][8]f64 =
  [ [1, 1, -1, -1, -1, -1, 1, 1]
  , [1, -1, -1, 1, -1, 1, 1, -1]
  , [1, -1, 1, -1, 1, -1, 1, -1]
  , [-1, 1, -1, 1, 1, -1, 1, -1]
  ]

-- | Forces against these modes (Flanagan and Belytschko 1981).
def hourglass_forces volume sound mass (p: [8]vector) (v: [8]vector) : [8]vector =
  let gradients = volume_gradients p
  let shapes =
    map (\mode ->
           let moment = total (map2 (*.) mode p)
           in map2 (\m g -> m - inner g moment / volume) mode gradients)
        modes
  let speeds = map (\shape -> total (map2 (*.) shape v)) shapes
  let strength = -0.03 * sound * mass / volume ** (1 / 3)
  in map (\c -> strength *. total (map2 (\shape speed -> shape[c] *. speed) shapes speeds)) (iota 8)

-- ---------------------------------------------------------------- artificial viscosity

-- | Along xi, eta, zeta: the size of an element, and the gradient of velocity.
def extents (volume: f64) (p: [8]vector) (v: [8]vector) : ([3]f64, [3]f64) =
  let tiny = 1e-36
  let along_xi (q: [8]vector) =
    0.25 *. ((q[1] +. q[2] +. q[6] +. q[5]) -. (q[0] +. q[3] +. q[7] +. q[4]))
  let along_eta (q: [8]vector) =
    0.25 *. ((q[3] +. q[2] +. q[6] +. q[7]) -. (q[0] +. q[1] +. q[5] +. q[4]))
  let along_zeta (q: [8]vector) =
    0.25 *. ((q[4] +. q[5] +. q[6] +. q[7]) -. (q[0] +. q[1] +. q[2] +. q[3]))
  let (xi, eta, zeta) = (along_xi p, along_eta p, along_zeta p)
  let one area speed =
    (volume / f64.sqrt (inner area area + tiny), inner area speed / (volume + tiny))
  let (length_xi, slope_xi) = one (cross eta zeta) (along_xi v)
  let (length_eta, slope_eta) = one (cross zeta xi) (along_eta v)
  let (length_zeta, slope_zeta) = one (cross xi eta) (along_zeta v)
  in ([length_xi, length_eta, length_zeta], [slope_xi, slope_eta, slope_zeta])

-- | How smooth the flow is along one axis, from 0 at a shock to 1.
def limiter (here: f64) (before: f64) (after: f64) : f64 =
  let tiny = 1e-36
  let (before, after) = (before / (here + tiny), after / (here + tiny))
  in f64.min 1 (f64.max 0 (f64.min (0.5 * (before + after)) (f64.min (2 * before) (2 * after))))

-- | Linear and quadratic terms of the viscosity (Christensen 1990).
def viscosity density (rate: f64) (lengths: [3]f64) (slopes: [3]f64) (limits: [3]f64) : (f64, f64) =
  let jumps = map2 (\l s -> f64.min 0 (l * s)) lengths slopes
  in if rate > 0
     then (0, 0)
     else ( -0.5 * density * f64.sum (map2 (\j phi -> j * (1 - phi)) jumps limits)
          , 2 / 3 * density * f64.sum (map2 (\j phi -> j * j * (1 - phi * phi)) jumps limits)
          )

-- ---------------------------------------------------------------- the gas

type gas = {energy: f64, pressure: f64, viscosity: f64}

def cut (x: f64) : f64 = if f64.abs x < 1e-7 then 0 else x

def pressure_of (compression: f64) (energy: f64) : f64 =
  f64.max 0 (cut (2 / 3 * (compression + 1) * energy))

def sound_of (compression: f64) (volume: f64) (energy: f64) (pressure: f64) : f64 =
  let squared = 2 / 3 * energy + volume * volume * (2 / 3 * (compression + 1)) * pressure
  in if squared <= 0.1111111e-36 then 0.3333333e-18 else f64.sqrt squared

-- | Energy and pressure after a change of volume, in three stages, and the speed of sound.
def equation_of_state (old: gas) volume change linear quadratic : (gas, f64) =
  let volume = f64.min 1e9 (f64.max 1e-9 volume)
  let compression = 1 / volume - 1
  let half_way = 1 / (volume - 0.5 * change) - 1
  let floor = f64.max (-1e15)
  let term compression volume energy pressure =
    if change > 0
    then 0
    else sound_of compression volume energy pressure * linear + quadratic
  let e = floor (old.energy - 0.5 * change * (old.pressure + old.viscosity))
  let p_half = pressure_of half_way e
  let q = term half_way (1 / (1 + half_way)) e p_half
  let e =
    floor (cut (e + 0.5 * change * (3 * (old.pressure + old.viscosity) - 4 * (p_half + q))))
  let p = pressure_of compression e
  let q_tilde = term compression volume e p
  let e =
    floor (cut (e
                - (7 * (old.pressure + old.viscosity) - 8 * (p_half + q) + (p + q_tilde))
                  * change
                  / 6))
  let p = pressure_of compression e
  let q = if change <= 0 then cut (term compression volume e p) else q
  in ({energy = e, pressure = p, viscosity = q}, sound_of compression volume e p)

-- ---------------------------------------------------------------- a time step

type state [nodes] [elements] =
  { position: [nodes]vector
  , velocity: [nodes]vector
  , gas: [elements]gas
  , volume: [elements]f64 -- over that at the start
  , sound: [elements]f64
  , time: f64
  , step: f64
  , limit: f64 -- of the next step
  , cycle: i64
  }

def stop_time : f64 = 1e-2

-- | The length of the next step: it grows by at most a fifth, and only if by a tenth.
def next_step (cycle: i64) (time: f64) (step: f64) (limit: f64) : f64 =
  let ratio = limit / step
  let step =
    if cycle == 0
    then step
    else f64.min 1e-2 (if ratio >= 1 && ratio < 1.1
                       then step
                       else if ratio > 1.2
                       then step * 1.2
                       else limit)
  let left = stop_time - time
  let left = if left > step && left < 4 * step / 3 then 2 * step / 3 else left
  in f64.min left step

-- | Stress and hourglass forces, summed at the nodes.
def forces [n] [m] (mesh: mesh [n] [m]) (s: state [n] [m]) : [n]vector =
  let of_element cs (gas: gas) volume sound rest =
    let p = map (\c -> s.position[c]) cs
    let v = map (\c -> s.velocity[c]) cs
    in map2 (\normal hourglass -> (gas.pressure + gas.viscosity) *. normal +. hourglass)
            (normals p)
            (hourglass_forces (rest * volume) sound rest p v)
  let at_corners = flatten (map5 of_element mesh.corners s.gas s.volume s.sound mesh.rest)
  in map (\cs -> total (map (\c -> if c < 0 then zero else at_corners[c]) cs)) mesh.around

-- | How long sound takes through an element (Courant, Friedrichs and Lewy), and its volume to
-- change by a tenth.
def times (sound: f64) (length: f64) (rate: f64) : (f64, f64) =
  let squared = sound * sound + (if rate < 0 then 256 * length * length * rate * rate else 0)
  in if rate == 0
     then (1e20, 1e20)
     else (length / f64.sqrt squared, 0.1 / (f64.abs rate + 1e-20))

-- | The longest step that all elements allow.
def step_limit (sound: f64) (change: f64) : f64 =
  if change < sound / 2 then change * 2 / 3 else sound / 2

-- | Of an element at its new place: volume over that at the start, length, and rate of expansion.
def kinematics (step: f64) (rest: f64) (p: [8]vector) (v: [8]vector) : (f64, f64, f64) =
  let volume = volume_of p
  let area a b c d =
    let (f, g) = ((p[c] -. p[a]) -. (p[d] -. p[b]), (p[c] -. p[a]) +. (p[d] -. p[b]))
    in inner f f * inner g g - inner f g * inner f g
  let widest =
    f64.maximum [ area 0 1 2 3
                , area 4 5 6 7
                , area 0 1 5 4
                , area 1 2 6 5
                , area 2 3 7 6
                , area 3 0 4 7
                ]
  let (gradients, half_way) = shape_gradients (map2 (\a b -> a -. (0.5 * step) *. b) p v)
  let rate =
    (inner gradients[0] (v[0] -. v[6]) + inner gradients[1] (v[1] -. v[7])
     + inner gradients[2] (v[2] -. v[4])
     + inner gradients[3] (v[3] -. v[5]))
    / half_way
  in (volume / rest, 4 * volume / f64.sqrt widest, rate)

-- | One step of the leapfrog: nodes, then elements, then the limit of the next step.
def advance [n] [m] (mesh: mesh [n] [m]) (s: state [n] [m]) : state [n] [m] =
  let step = next_step s.cycle s.time s.step s.limit
  let move f mass free v =
    let faster a m v = cut (v + a / mass * m * step)
    in {x = faster f.x free.x v.x, y = faster f.y free.y v.y, z = faster f.z free.z v.z}
  let velocity = map4 move (forces mesh s) mesh.mass mesh.free s.velocity
  let position = map2 (\p v -> p +. step *. v) s.position velocity
  let of_element cs rest =
    let p = map (\c -> position[c]) cs
    let v = map (\c -> velocity[c]) cs
    let (volume, length, rate) = kinematics step rest p v
    let (lengths, slopes) = extents (rest * volume) p v
    in (volume, length, rate, lengths, slopes)
  let (volume, length, rate, lengths, slopes) = unzip5 (map2 of_element mesh.corners mesh.rest)
  let limits =
    map3 (\here before after ->
            map4 (\k here b a -> limiter here slopes[b, k] (if a < 0 then 0 else slopes[a, k]))
                 (iota 3)
                 here
                 before
                 after)
         slopes
         mesh.before
         mesh.after
  let update (old: gas) old_volume volume rate ls ss phis repetitions =
    let (linear, quadratic) = viscosity (1 / volume) rate ls ss phis
    in loop (_, _) = (old, 0)
       for _i < repetitions do
         equation_of_state old volume (volume - old_volume) linear quadratic
  let (gas, sound) =
    unzip (tabulate m (\e ->
                         update s.gas[e]
                                s.volume[e]
                                volume[e]
                                rate[e]
                                lengths[e]
                                slopes[e]
                                limits[e]
                                mesh.repetitions[e]))
  let (through, tenth) = unzip (map3 times sound length rate)
  in { position
     , velocity
     , gas
     , sound
     , step
     , volume = map (\v -> if f64.abs (v - 1) < 1e-10 then 1 else v) volume
     , time = s.time + step
     , limit = step_limit (f64.minimum through) (f64.minimum tenth)
     , cycle = s.cycle + 1
     }

-- ---------------------------------------------------------------- runs

def start [n] [m] (mesh: mesh [n] [m]) (energy: [m]f64) : state [n] [m] =
  { position = mesh.places
  , velocity = replicate n zero
  , gas = map (\e -> {energy = e, pressure = 0, viscosity = 0}) energy
  , volume = replicate m 1
  , sound = replicate m 0
  , time = 0
  , step = 0.5 * mesh.rest[0] ** (1 / 3) / f64.sqrt (2 * energy[0])
  , limit = 1e20
  , cycle = 0
  }

-- | Until the end.
def run [n] [m] (mesh: mesh [n] [m]) (energy: [m]f64) : state [n] [m] =
  loop s = start mesh energy while s.time < stop_time do advance mesh s

-- | Final energies, after so many steps.  The gradient keeps what a step computes, about twice as
-- much as the state, and executes each step once.
def energies [n] [m] (mesh: mesh [n] [m]) (cycles: i64) (energy: [m]f64) : [m]f64 =
  let end = #[keep] loop s = start mesh energy for _i < cycles do advance mesh s
  in map (.energy) end.gas

-- | The same until the end, for runs so long that not every step's state can be kept.
def energies_at_the_end [n] [m] (mesh: mesh [n] [m]) (energy: [m]f64) : [m]f64 =
  let end = #[stripmine(2)] loop s = start mesh energy while s.time < stop_time do advance mesh s
  in map (.energy) end.gas

-- | Sedov's blast: all energy in the element at the origin.
def blast_energy (n: i64) : [n * n * n]f64 =
  let scale = f64.i64 n / 45
  in tabulate (n * n * n) (\e -> if e == 0 then 3.948746e7 * scale * scale * scale else 0)

def regions (n: i64) : [n * n * n]i64 =
  tabulate (n * n * n) (\e -> i64.f64 (11 * noise 5 (e / 16)))

def steps_to_the_end (n: i64) : i64 = (run (cube n (regions n)) (blast_energy n)).cycle

entry generate (n: i64) : (i64, i64, [n * n * n]i64, [n * n * n]f64) =
  (n, steps_to_the_end n, regions n, blast_energy n)

type cells [n] = [n * n * n]f64

entry primal (n: i64) (cycles: i64) (region: [n * n * n]i64) (energy: cells [n]) : cells [n] =
  energies (cube n region) cycles energy

entry gradient (n: i64) (cycles: i64) (region: [n * n * n]i64) (energy: cells [n]) : cells [n] =
  vjp (energies (cube n region) cycles) energy (replicate (n * n * n) 1)

-- | Executes each step three times, and keeps about twice the square root of their number.
entry long_gradient (n: i64) (_: i64) (region: [n * n * n]i64) (energy: cells [n]) : cells [n] =
  vjp (energies_at_the_end (cube n region)) energy (replicate (n * n * n) 1)

-- | The sum of final energies over factors of the initial ones.
def loss_of_factors [n] [m] (mesh: mesh [n] [m])
                    cycles
                    (energy: [m]f64)
                    (factors: [m]f64) : f64 =
  f64.sum (energies mesh cycles (map2 (*) factors energy))

-- | Along one direction: by the gradient, and by differences.
entry slopes (n: i64) (cycles: i64) (region: [n * n * n]i64) (energy: cells [n]) : (f64, f64) =
  both_slopes (loss_of_factors (cube n region) cycles energy)
              (replicate (n * n * n) 1)
              (map2 (*) energy (gradient n cycles region energy))

-- | A blast into gas that is warm, so that no energy lies at a cut: forward, reverse, differences.
entry check (n: i64) : bool =
  let energy = map2 (\u e -> 20 + 10 * u + e / 1000) (noise_1d 3 (n * n * n)) (blast_energy n)
  let loss = loss_of_factors (cube n (regions n)) 30 energy
  let ones = replicate (n * n * n) 1f64
  let adjoint = vjp loss ones 1
  let tangent = jvp loss ones (direction (n * n * n))
  in is_gradient loss ones adjoint
     && f64.abs (tangent - dot adjoint (direction (n * n * n))) <= 1e-10 * f64.abs tangent

-- | Steps, and the final energy at the origin to seven digits.
entry blast (n: i64) : (i64, f64) =
  let s = run (cube n (regions n)) (blast_energy n)
  in (s.cycle, f64.round (s.gas[0].energy * 1000) / 1000)
