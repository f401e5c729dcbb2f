-- | Pseudo-random data that need no files, and what the checks of gradients share.

-- | A number in [0, 1) that depends on `seed` and `i` in no visible way: the finaliser of
-- splitmix64 (Steele, Lea and Flood 2014).
def noise (seed: i64) (i: i64): f64 =
  let x = u64.i64 i * 0x9e3779b97f4a7c15 + u64.i64 seed * 0xd1342543de82ef95 + 1
  let x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
  let x = (x ^ (x >> 27)) * 0x94d049bb133111eb
  let x = x ^ (x >> 31)
  in f64.u64 (x >> 11) / 9007199254740992  -- 2^53

def noise_1d (seed: i64) (n: i64): [n]f64 = map (noise seed) (iota n)

def noise_2d (seed: i64) (n: i64) (m: i64): [n][m]f64 =
  tabulate_2d n m (\i j -> noise seed (i * m + j))

def noise_3d (seed: i64) (n: i64) (m: i64) (k: i64): [n][m][k]f64 =
  tabulate_3d n m k (\i j l -> noise seed ((i * m + j) * k + l))

def dot [n] (x: [n]f64) (y: [n]f64): f64 = f64.sum (map2 (*) x y)

-- | The slope of `f` at 0, by central differences; a loop, so that `f` is compiled once.
def difference (f: f64 -> f64) : f64 =
  let h = 1e-5
  in (loop sum = 0 for side in [1, -1] do sum + side * f (side * h)) / (2 * h)

-- | Whether `slope` is the derivative of `f` at 0.
def is_slope (f: f64 -> f64) (slope: f64): bool =
  f64.abs (difference f - slope) <= 1e-6 * f64.max 1 (f64.abs slope)

-- | A direction that no symmetry favours.
def direction (n: i64): [n]f64 = map (\u -> u - 0.4) (noise_1d 77 n)

-- | The slope of `f` at `x` along a direction: by its gradient, and by differences.
def both_slopes [n] (f: [n]f64 -> f64) (x: [n]f64) (gradient: [n]f64): (f64, f64) =
  (dot gradient (direction n), difference (\t -> f (map2 (\a b -> a + t * b) x (direction n))))

-- | Whether `gradient` is that of `f` at `x`.
def is_gradient [n] (f: [n]f64 -> f64) (x: [n]f64) (gradient: [n]f64): bool =
  is_slope (\t -> f (map2 (\a b -> a + t * b) x (direction n))) (dot gradient (direction n))
