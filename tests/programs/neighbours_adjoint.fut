-- | Adjoints of reading neighbours of elements that are arrays: around a ring and a box, behind
-- conditions at edges, twice at one place, at fixed places, further away than there are elements.
-- Each derivative by reverse mode is compared with forward mode along a direction.
-- ==
-- entry: ring box edges far fixed batch
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 3i64 } output { true }
-- input { 9i64 } output { true }
-- input { 17i64 } output { true }

def noise (seed: i64) (k: i64) : f64 = f64.sin (f64.i64 (seed * 37 + k * 11) * 0.7)

def near (a: f64) (b: f64) : bool = f64.abs (a - b) <= 1e-10 * f64.max 1 (f64.abs a)

def inner [n] (a: [n]f64) (b: [n]f64) : f64 = f64.sum (map2 (*) a b)

-- | Whether both modes agree at a point of `n` elements of `k` numbers.
def agree [n] [k] [m] (f: [n][k]f64 -> [m]f64) (x: [n][k]f64) : bool =
  let towards = tabulate_2d n k (\i j -> noise 2 (i * k + j))
  let seed = tabulate m (noise 3)
  in near (inner seed (jvp f x towards)) (inner (flatten (vjp f x seed)) (flatten towards))

-- What a point makes of itself and of a number of each neighbour: no plain arithmetic.
def mixed [k] (own: [k]f64) (left: f64) (right: f64) : [k]f64 =
  let sums = scan (+) 0 own
  in map2 (\x s -> x * left + f64.sin (s * right)) own sums

def in_ring [n] (xs: [n][4]f64) : [n * 4]f64 =
  flatten (tabulate n (\i -> mixed xs[i] xs[(i + n - 1) % n, 3] xs[(i + 1) % n, 0]))

entry ring (n: i64) : bool = agree in_ring (tabulate_2d n 4 (\i j -> noise 1 (4 * i + j)))

def in_box [a] [b] [c] (xs: [a][b][c][2][2]f64) : [a][b][c][2][2]f64 =
  tabulate_3d a b c (\z y x ->
                       let own = xs[z, y, x]
                       let west = xs[z, y, (x + c - 1) % c]
                       let south = xs[z, (y + b - 1) % b, x]
                       let north = xs[z, (y + 1) % b, x]
                       let above = xs[(z + 1) % a, y, x]
                       in tabulate_2d 2 2 (\j i ->
                                             let sum = f64.sum (map (\o -> o[i] * west[j, 1]) own)
                                             in sum * f64.cos south[1, i] + north[0, i] * own[j, i]
                                                + above[j, i] * above[j, i]))

entry box (n: i64) : bool =
  let (a, b, c) = (i64.min n 3, n, i64.min n 10)
  let from (seed: i64) =
    tabulate_3d a b c (\z y x ->
                         tabulate_2d 2 2 (\j i ->
                                            noise seed ((((z * b + y) * c + x) * 2 + j) * 2 + i)))
  let all (xs: [a][b][c][2][2]f64) = flatten (flatten (flatten (flatten xs)))
  let (x, towards, seed) = (from 1, from 2, from 3)
  in near (inner (all seed) (all (jvp in_box x towards))) (inner (all (vjp in_box x seed)) (all towards))

def with_edges [n] (xs: [n][3]f64) : [n * 3]f64 =
  flatten (tabulate n (\i ->
                         let left = if i > 0 then xs[i - 1, 2] * xs[i - 1, 2] else 1
                         let right = if i < n - 1 then xs[i + 1, 0] else 0.5
                         in mixed xs[i] left right))

entry edges (n: i64) : bool = agree with_edges (tabulate_2d n 3 (\i j -> noise 4 (3 * i + j)))

def from_far [n] (xs: [n][3]f64) : [n * 3]f64 =
  flatten (tabulate n (\i -> mixed xs[i] xs[(i + 3) % n, 1] xs[(i + 2 * n - 2) % n, 1]))

entry far (n: i64) : bool = agree from_far (tabulate_2d n 3 (\i j -> noise 5 (3 * i + j)))

def from_first [n] (xs: [n][3]f64) : [n * 3]f64 =
  flatten (tabulate n (\i -> mixed xs[i] xs[0, 1] xs[i, 2]))

entry fixed (n: i64) : bool = agree from_first (tabulate_2d n 3 (\i j -> noise 6 (3 * i + j)))

entry batch (n: i64) : bool =
  all (\seed ->
         agree (\xs -> map f64.exp (in_ring xs)) (tabulate_2d n 4 (\i j -> noise seed (4 * i + j))))
      [7, 8, 9]
