-- Nests whose points run in blocks on the CPU (vectors of points, rows of them in registers), on
-- sizes around those of the blocks: every result is compared with plain loops.  Numbers are small
-- integers, so that sums are exact in any order.
-- ==
-- entry: products
-- input { 0i64 3i64 5i64 } output { true }
-- input { 1i64 1i64 1i64 } output { true }
-- input { 3i64 16i64 0i64 } output { true }
-- input { 4i64 32i64 7i64 } output { true }
-- input { 5i64 33i64 2i64 } output { true }
-- input { 33i64 31i64 4i64 } output { true }
-- input { 36i64 65i64 9i64 } output { true }
-- input { 40i64 35i64 37i64 } output { true }
-- input { 64i64 32i64 1i64 } output { true }
-- ==
-- entry: gradients
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 15i64 } output { true }
-- input { 32i64 } output { true }
-- input { 37i64 } output { true }
-- ==
-- entry: points
-- input { 0i64 3i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 31i64 4i64 } output { true }
-- input { 32i64 1i64 } output { true }
-- input { 33i64 5i64 } output { true }
-- input { 64i64 0i64 } output { true }
-- input { 130i64 6i64 } output { true }
-- ==
-- entry: gates
-- input { 0i64 3i64 2i64 } output { true }
-- input { 5i64 40i64 3i64 } output { true }
-- input { 16i64 7i64 4i64 } output { true }
-- input { 16i64 8i64 1i64 } output { true }
-- input { 37i64 70i64 21i64 } output { true }
-- ==
-- entry: single_gates
-- input { 16i64 8i64 33i64 } output { true }
-- input { 35i64 41i64 53i64 } output { true }
-- ==
-- entry: small_results
-- input { 0i64 3i64 } output { true }
-- input { 1i64 0i64 } output { true }
-- input { 31i64 1i64 } output { true }
-- input { 32i64 5i64 } output { true }
-- input { 33i64 2i64 } output { true }
-- input { 75i64 9i64 } output { true }
-- ==
-- entry: failing_points
-- input { 100i64 0i64 } output { 29302i64 }
-- input { 98i64 1i64 } error: out of bounds

def f64_matrix (n: i64) (m: i64) : [n][m]f64 =
  tabulate_2d n m (\i j -> f64.i64 ((i * 7 + j * 3 + 1) % 11 - 5))

def f32_matrix (n: i64) (m: i64) : [n][m]f32 =
  tabulate_2d n m (\i j -> f32.i64 ((i * 5 + j * 2 + 3) % 7 - 3))

def i32_matrix (n: i64) (m: i64) : [n][m]i32 =
  tabulate_2d n m (\i j -> i32.i64 (i * 3 + j) % 9)

def dot [k] (x: [k]f64) (y: [k]f64) = f64.sum (map2 (*) x y)
def dot32 [k] (x: [k]f32) (y: [k]f32) = f32.sum (map2 (*) x y)

-- The product by updates, one element after the other.
def by_updates [n] [m] [k] (a: [n][k]f64) (b: [k][m]f64) : [n][m]f64 =
  loop c = replicate n (replicate m 0)
  for i < n do
    loop c for j < m do
      c with [i, j] = (loop sum = 0 for l < k do sum + a[i, l] * b[l, j])

def equal [n] [m] (a: [n][m]f64) (b: [n][m]f64) : bool =
  and (map2 (\x y -> and (map2 (==) x y)) a b)

entry products (n: i64) (m: i64) (k: i64) : bool =
  let a = f64_matrix n k
  let b = f64_matrix k m
  let straight = map (\x -> map (dot x) (transpose b)) a
  let left =
    let at = transpose (copy (transpose a))
    in map (\x -> map (dot x) (transpose b)) at
  let columns = let at = copy (transpose a) in map (\x -> map (dot x) (transpose b)) (transpose at)
  let rows = let bt = copy (transpose b) in map (\x -> map (dot x) bt) a
  let both =
    let at = copy (transpose a)
    let bt = copy (transpose b)
    in map (\x -> map (dot x) bt) (transpose at)
  let expected = by_updates a b
  let single = map (\x -> map (dot32 x) (transpose (f32_matrix k m))) (f32_matrix n k)
  let wide =
    map (\x -> map (dot x) (transpose (map (map f64.f32) (f32_matrix k m))))
        (map (map f64.f32) (f32_matrix n k))
  let tropical =
    map (\x -> map (\y -> i32.minimum (map2 (+) x y)) (transpose (i32_matrix k m)))
        (i32_matrix n k)
  let sums =
    map (\x -> map (\y -> reduce (+) 0 (map2 (*) x y)) (transpose (i32_matrix k m)))
        (i32_matrix n k)
  let least =
    tabulate_2d n m (\i j ->
                       loop s = i32.highest
                       for l < k do
                         i32.min s ((i32_matrix n k)[i, l] + (i32_matrix k m)[l, j]))
  let totals =
    tabulate_2d n m (\i j ->
                       loop s = 0
                       for l < k do
                         s + (i32_matrix n k)[i, l] * (i32_matrix k m)[l, j])
  in equal straight expected && equal left expected && equal columns expected
     && equal rows expected
     && equal both expected
     && equal (map (map f64.f32) single) wide
     && and (map2 (\x y -> and (map2 (==) x y)) tropical least)
     && and (map2 (\x y -> and (map2 (==) x y)) sums totals)

entry gradients (n: i64) : bool =
  let a = f64_matrix n n
  let b = map (map (+ 2)) (f64_matrix n n)
  let seed = map (map (* 3)) (f64_matrix n n)
  let product (x, y) = map (\row -> map (\column -> dot row column) (transpose y)) x
  let (da, db) = vjp product (a, b) seed
  in equal da (by_updates seed (transpose b)) && equal db (by_updates (transpose a) seed)

-- Bodies of several loops, with branches, scans, copies of rows and sums over all points.
def score [d] (weights: [d][d]f64) (point: [d]f64) : f64 =
  let rows = map (\row -> let y = dot row point in if y > 3 then y * 2 else y - 1) weights
  let running = scan (+) 0 rows
  in f64.sum (map2 (*) running point) + f64.maximum rows

def score_by_loops [d] (weights: [d][d]f64) (point: [d]f64) : f64 =
  let (sum, top, _) =
    loop (sum, top, running) = (0, -f64.inf, 0)
    for i < d do
      let y = loop y = 0 for j < d do y + weights[i, j] * point[j]
      let row = if y > 3 then y * 2 else y - 1
      let running = running + row
      in (sum + running * point[i], f64.max top row, running)
  in sum + top

entry points (n: i64) (d: i64) : bool =
  let weights = f64_matrix d d
  let all = f64_matrix n d
  let scores = map (score weights) all
  let expected = loop r = replicate n 0 for i < n do r with [i] = score_by_loops weights all[i]
  let total = f64.sum (map (\p -> f64.sum (map (\row -> dot row p) weights)) all)
  let expected_total =
    loop t = 0
    for i < n do
      loop t for j < d do loop t for k < d do t + weights[j, k] * all[i, k]
  let moved = map (\p -> map (\row -> dot row p) weights) all
  let gathered = map (\i -> i64.sum (map (\j -> (i * 3 + j * 5) % 7) (iota d))) (iota n)
  let expected_gathered =
    loop r = replicate n 0
    for i < n do
      r with [i] = (loop s = 0 for j < d do s + (i * 3 + j * 5) % 7)
  let gradient = vjp (\w -> f64.sum (map (\p -> f64.sum (map (\row -> dot row p) w)) all)) weights 1
  let expected_gradient =
    loop g = replicate d (replicate d 0)
    for i < n do
      loop g for j < d do
        loop g for k < d do
          g with [j, k] = g[j, k] + all[i, k]
  in and (map2 (==) scores expected) && total == expected_total
     && equal moved (by_updates all (transpose weights))
     && and (map2 (==) gathered expected_gathered)
     && equal gradient expected_gradient

-- Four products at once, whose sums go through more operations than registers hold, as a row that is
-- given back and multiplied again.
module gates_over (R: real) = {
  def dot [k] (x: [k]R.t) (y: [k]R.t) = R.sum (map2 (R.*) x y)

  def gate (x: R.t) (y: R.t) : R.t =
    let mix a b = R.(if a > b then a + a - b else b - a + i64 3)
    in R.(mix x (mix y (mix (x + y) (mix (x - y) (mix (x + x) (mix (y + y + y) (x + y + y)))))))

  def change (a: R.t) (b: R.t) (c: R.t) (d: R.t) : R.t = gate a b R.- gate c d

  def rows [n] [h] [d] (weights: [4][h][d]R.t) (all: [n][d]R.t) : ([n][h]R.t, [n][d]R.t) =
    let one x =
      let y =
        map4 (\a b c e -> change (dot a x) (dot b x) (dot c x) (dot e x))
             weights[0]
             weights[1]
             weights[2]
             weights[3]
      in (y, map (dot y) (transpose weights[2]))
    in unzip (map one all)

  def by_updates [n] [m] [k] (a: [n][k]R.t) (b: [k][m]R.t) : [n][m]R.t =
    loop c = replicate n (replicate m (R.i64 0))
    for i < n do
      loop c for j < m do
        c with [i, j] = (loop sum = R.i64 0 for l < k do sum R.+ a[i, l] R.* b[l, j])

  def equal [n] [m] (a: [n][m]R.t) (b: [n][m]R.t) : bool =
    and (map2 (\x y -> and (map2 (R.==) x y)) a b)

  def agree (n: i64) (h: i64) (d: i64) : bool =
    let all = tabulate_2d n d (\i j -> R.i64 ((i * 7 + j * 3 + 1) % 11 - 5))
    let weights = tabulate 4 (\k -> tabulate_2d h d (\i j -> R.i64 ((i + 2 * j + k) % 5 - 2)))
    let (rows, again) = rows weights all
    let by_gate k = by_updates all (transpose weights[k])
    let expected = map4 (map4 change) (by_gate 0) (by_gate 1) (by_gate 2) (by_gate 3)
    in equal rows expected && equal again (by_updates expected weights[2])
}

module gates_64 = gates_over f64
module gates_32 = gates_over f32

entry gates (n: i64) (h: i64) (d: i64) : bool = gates_64.agree n h d
entry single_gates (n: i64) (h: i64) (d: i64) : bool = gates_32.agree n h d

-- Each point makes a few numbers of known sizes, which go through rows of blocks and squares.
def made_of_sums (a: i64) (b: i64) (n: i64) (k: i64) : bool =
  let weights = tabulate_3d a b k (\i j l -> f64.i64 ((i * 3 + j * 5 + l) % 7 - 3))
  let all = f64_matrix n k
  let made = map (\x -> map (map (dot x)) weights) all
  let negative = map (\x -> map (map (\row -> i32.f64 (-dot x row))) weights) all
  let expected = by_updates all (transpose (flatten weights))
  in equal (map flatten made) expected
     && equal (map (map f64.i32) (map flatten negative)) (map (map f64.neg) expected)

entry small_results (n: i64) (k: i64) : bool =
  made_of_sums 3 26 n k && made_of_sums 1 8 n k && made_of_sums 2 7 n k
  && made_of_sums 9 17 n k
  && made_of_sums 16 1 n k
  && made_of_sums 5 33 n k

-- Some points of a block fail, others do not.
entry failing_points (n: i64) (more: i64) : i64 =
  let xs = iota n
  in i64.sum (map (\i -> i64.sum (map (\j -> xs[i + j] * (j + 1)) (iota 3))) (iota (n - 2 + more)))
