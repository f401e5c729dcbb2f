-- | Macroscopic cross sections of materials for particles of random energy, the memory-bound kernel
-- of Monte Carlo neutron transport (XSBench, Tramm et al. 2014), with the unionised energy grid.  The
-- gradient is with respect to the nuclides' tables, energies and cross sections alike.
-- Published size: 68 nuclides of 11303 points, 17 million lookups ("small", event based).
-- memory: gradient nuclides=68 points=1000 lookups=2000: gradient <= 2.1 * primal
-- ==
-- entry: check
-- input { 8i64 20i64 50i64 } output { true }

import "data"

-- | How many nuclides each of the twelve materials has, in the small model, and how often a particle
-- is found in it.
def nuclides_in: [12]i64 = [34, 5, 4, 4, 27, 21, 21, 21, 21, 21, 9, 9]
def share: [12]f64 =
  [0.140, 0.052, 0.275, 0.134, 0.154, 0.064, 0.066, 0.055, 0.008, 0.015, 0.025, 0.012]

-- | An energy and five cross sections.
type point = [6]f64

-- | The tables of nuclides, sorted by energy; all energies in one sorted grid; and where each nuclide
-- stands at each of them.  The g-th energies of all nuclides lie between g/points and (g+1)/points, so
-- that sorting is done in groups.
entry generate (nuclides: i64) (points: i64) (lookups: i64)
  : ([nuclides][points][6]f64, []f64, [][nuclides]i32, i64) =
  let table i =
    tabulate_2d points 6 (\g k ->
                            let u = noise (i * 6 + k) g
                            in if k == 0 then (f64.i64 g + u) / f64.i64 points else u)
  let tables = tabulate nuclides table
  let group g =
    let energies = map (\table -> table[g, 0]) tables
    let rank i e =
      i64.sum (map2 (\other j -> i64.bool (other < e || (other == e && j < i))) energies
                    (iota nuclides))
    let ranks = map2 rank (iota nuclides) energies
    in scatter (replicate nuclides 0) ranks energies
  let grid = tabulate points group
  let stand g u i =
    let below = if tables[i, g, 0] <= grid[g, u] then g else g - 1
    in i32.i64 (i64.max 0 (i64.min (points - 2) below))
  in ( tables, flatten grid
     , flatten (tabulate_2d points nuclides (\g u -> tabulate nuclides (stand g u))), lookups)

-- | The last position whose energy is not above `energy`; the first if there is none.
def search [e] (grid: [e]f64) (energy: f64): i64 =
  let (low, _) =
    loop (low, high) = (0, e)
    while high - low > 1 do
      let middle = (low + high) / 2
      in if grid[middle] <= energy then (middle, high) else (low, middle)
  in low

def material_of (u: f64): i64 =
  let (material, _) =
    loop (material, u) = (0, u)
    while material < 11 && u >= share[material] do (material + 1, u - share[material])
  in material

-- | The five cross sections of a nuclide between two points of its table.
def interpolate (low: point) (high: point) (energy: f64): [5]f64 =
  let f = (high[0] - energy) / (high[0] - low[0])
  in tabulate 5 (\k -> high[k + 1] - f * (high[k + 1] - low[k + 1]))

def lookup [n][g][e] (tables: [n][g][6]f64) (grid: [e]f64) (stands: [e][n]i32) (number: i64): [5]f64 =
  let energy = noise 1001 number
  let material = material_of (noise 1002 number)
  let position = search grid energy
  in loop sums = replicate 5 0
     for j < nuclides_in[material] do
       let nuclide = (j * 7 + material * 11) % n
       let density = noise 1003 (material * 34 + j)
       let at = i64.i32 stands[position, nuclide]
       let found = interpolate tables[nuclide, at] tables[nuclide, at + 1] energy
       in map2 (\sum x -> sum + density * x) sums found

def total [n][g][e] (grid: [e]f64) (stands: [e][n]i32) (lookups: i64) (tables: [n][g][6]f64): f64 =
  f64.sum (map (\i -> f64.sum (lookup tables grid stands i)) (iota lookups))

entry primal [n][g][e] (tables: [n][g][6]f64) (grid: [e]f64) (stands: [e][n]i32) (lookups: i64): f64 =
  total grid stands lookups tables

entry gradient [n][g][e] (tables: [n][g][6]f64) (grid: [e]f64) (stands: [e][n]i32) (lookups: i64)
  : [n][g][6]f64 =
  vjp (total grid stands lookups) tables 1

-- Central differences move the cross sections only: moving energies would reorder the grid.
def sections_of [n][g] (tables: [n][g][6]f64): [n * g * 5]f64 =
  flatten_3d (map (map (\p -> drop 1 p :> [5]f64)) tables)

def with_sections [n][g] (tables: [n][g][6]f64) (xs: [n * g * 5]f64): [n][g][6]f64 =
  map2 (map2 (\p x -> [p[0]] ++ x :> [6]f64)) tables (unflatten_3d xs)

-- | Along one direction: by the gradient, and by differences.
entry slopes [n][g][e] (tables: [n][g][6]f64) (grid: [e]f64) (stands: [e][n]i32) (lookups: i64)
  : (f64, f64) =
  both_slopes (\xs -> total grid stands lookups (with_sections tables xs)) (sections_of tables)
         (sections_of (gradient tables grid stands lookups))

entry check (nuclides: i64) (points: i64) (lookups: i64): bool =
  let (tables, grid, stands, _) = generate nuclides points lookups
  let grid = grid :> [points * nuclides]f64
  let stands = stands :> [points * nuclides][nuclides]i32
  in is_gradient (\xs -> total grid stands lookups (with_sections tables xs)) (sections_of tables)
                 (sections_of (gradient tables grid stands lookups))
