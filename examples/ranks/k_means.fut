-- | Lloyd's algorithm, for points that many processes share (docs/ranks.md): `dagaz build
-- --ranks=mpi k_means.fut`, then `mpirun -n 64 ./k_means`.  Nothing here says so.  In each step a
-- process sends one message: the sums and counts of its own points by cluster, k·(d+1) numbers.
-- ==
-- entry: clusters
-- input { 3i64 [[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0], [0.1, 0.2]]
--         [[1.0, 1.0], [4.0, 4.0]] }
-- output { [[0.1, 0.1], [5.1, 5.05]] }
-- random input { 10i64 [500][3]f64 [5][3]f64 } auto output

def distance [d] (a: [d]f64) (b: [d]f64) : f64 = f64.sum (map2 (\x y -> (x - y) ** 2) a b)

-- | The index of the centre that is nearest, the first of several.
def nearest [k] [d] (centres: [k][d]f64) (x: [d]f64) : i64 =
  let least (i, a) (j, b) = if b < a || (b == a && j < i) then (j, b) else (i, a)
  in (reduce least (k, f64.inf) (zip (iota k) (map (distance x) centres))).0

-- | The mean of the points that are nearest to each centre; a centre without points stays.
def step [n] [k] [d] (xs: [n][d]f64) (centres: [k][d]f64) : [k][d]f64 =
  let near = map (nearest centres) xs
  let counts = hist (+) 0 k near (replicate n 1i64)
  let sums = reduce_by_index (replicate k (replicate d 0f64)) (map2 (+)) (replicate d 0) near xs
  in map3 (\c sum count -> if count == 0 then c else map (/ f64.i64 count) sum) centres sums counts

-- | The centres after some steps.
entry clusters [n] [k] [d] (steps: i64) (xs: [n][d]f64) (centres: [k][d]f64) : [k][d]f64 =
  loop centres for _i < steps do step xs centres
