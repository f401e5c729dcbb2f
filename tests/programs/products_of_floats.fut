-- Products of floats that GPUs multiply in small matrices (`--gpu=sm_80 --tf32`) are those that loops
-- give, where all numbers are small integers: whichever side is transposed, in batches, with what
-- comes before and after, and with extents that tiles do not divide.
-- ==
-- entry: f16_of_f16 f32_of_f16 f32_of_f32 f64_of_f64
-- input { 70i64 67i64 45i64 } output { true }
-- input { 33i64 130i64 16i64 } output { true }
-- input { 129i64 35i64 33i64 } output { true }
-- input { 128i64 128i64 64i64 } output { true }
-- input { 40i64 3i64 20i64 } output { true }
-- input { 0i64 40i64 20i64 } output { true }
-- input { 40i64 40i64 0i64 } output { true }
-- input { 34i64 33i64 600i64 } output { true }

-- ==
-- entry: rounds_once
-- input { 64i64 64i64 100i64 } output { true }

-- ==
-- entry: sees_infinities
-- input { 64i64 64i64 37i64 } output { true }
def left (i: i64) (k: i64) : i64 = (i * 7 + k * 13 + i * k) % 5 - 2
def right (k: i64) (j: i64) : i64 = (k * 5 + j * 11 + k * j) % 3 - 1
def shift (i: i64) (j: i64) : i64 = (i + j) % 3

def in_loops (n: i64) (m: i64) (d: i64) (f: i64 -> i64 -> i64 -> i64) : [n][m]i64 =
  tabulate_2d n m (\i j -> loop s = 0 for k < d do s + f i j k)

module products
  (S: {
    type t
    val sum [k] : [k]t -> t
    val * : t -> t -> t
    val + : t -> t -> t
    val max : t -> t -> t
    val i64 : i64 -> t
    val to_i64 : t -> i64
  })
  (F: {type t val i64 : i64 -> t val widened : t -> S.t}) = {
  def equal [n] [m] (a: [n][m]S.t) (b: [n][m]i64) : bool =
    and (map2 (\x y -> and (map2 (\u v -> S.to_i64 u == v) x y)) a b)

  def dot [k] (x: [k]F.t) (y: [k]F.t) : S.t =
    S.sum (map2 (\u v -> F.widened u S.* F.widened v) x y)

  def mul [n] [k] [m] (a: [n][k]F.t) (b: [k][m]F.t) : [n][m]S.t =
    map (\row -> map (dot row) (transpose b)) a

  def shifted [k] (i: i64) (j: i64) (x: [k]F.t) (y: [k]F.t) : S.t =
    S.max (S.i64 0) (dot x y S.+ S.i64 (shift i j))

  def test (n: i64) (m: i64) (d: i64) : bool =
    let a = opaque (tabulate_2d n d (\i k -> F.i64 (left i k)))
    let b = opaque (tabulate_2d d m (\k j -> F.i64 (right k j)))
    let at = opaque (tabulate_2d d n (\k i -> F.i64 (left i k)))
    let bt = opaque (tabulate_2d m d (\j k -> F.i64 (right k j)))
    let want = in_loops n m d (\i j k -> left i k * right k j)
    let surrounded =
      map2 (\row i -> map2 (\column j -> shifted i j row column) (transpose b) (iota m)) a (iota n)
    let made = mul (tabulate_2d n d (\i k -> F.i64 (left i k))) b
    let stacked =
      map2 mul
           (opaque (tabulate_3d 3 n d (\l i k -> F.i64 (left (i + l) k))))
           (opaque (tabulate_3d 3 d m (\l k j -> F.i64 (right k (j + 2 * l)))))
    let of_batch l = in_loops n m d (\i j k -> left (i + l) k * right k (j + 2 * l))
    in equal (mul a b) want
       && equal (mul (transpose at) b) want
       && equal (mul a (transpose bt)) want
       && equal (mul (transpose at) (transpose bt)) want
       && equal made want
       && equal surrounded
                (tabulate_2d n m (\i j -> i64.max 0 (want[i, j] + shift i j)))
       && and (tabulate 3 (\l -> equal stacked[l] (of_batch l)))
}

module of_f16 = products f16 {type t = f16 def i64 = f16.i64 def widened (x: f16) = x}

module of_f32 = products f32 {type t = f32 def i64 = f32.i64 def widened (x: f32) = x}

module of_f64 = products f64 {type t = f64 def i64 = f64.i64 def widened (x: f64) = x}

module of_both = products f32 {type t = f16 def i64 = f16.i64 def widened = f32.f16}

entry f16_of_f16 = of_f16.test
entry f32_of_f32 = of_f32.test
entry f64_of_f64 = of_f64.test
entry f32_of_f16 = of_both.test

-- Within what factors of 11 bits give.
entry rounds_once (n: i64) (m: i64) (d: i64) : bool =
  let a = opaque (tabulate_2d n d (\i k -> 1 + f32.i64 (i * 31 + k * 17) / 4096))
  let b = opaque (tabulate_2d d m (\k j -> 1 + f32.i64 (k * 13 + j * 29) / 4096))
  let c = map (\row -> map (\column -> f32.sum (map2 (*) row column)) (transpose b)) a
  let exact i j =
    f64.sum (tabulate d (\k -> f64.f32 a[i, k] * f64.f32 b[k, j]))
  in and (flatten (tabulate_2d n m (\i j ->
                                      let s = exact i j
                                      in f64.abs (f64.f32 c[i, j] - s) <= s / 1024)))

-- What stands for elements after the end is multiplied by nothing but zeros.
entry sees_infinities (n: i64) (m: i64) (d: i64) : bool =
  let a = opaque (tabulate_2d n d (\_ k -> if k == d - 1 then f16.inf else 1))
  let b = opaque (tabulate_2d d m (\_ j -> if j == 0 then f16.nan else 2))
  let c = map (\row -> map (\column -> f16.sum (map2 (*) row column)) (transpose b)) a
  in and (map (\row -> f16.isnan row[0] && and (map (== f16.inf) (tail row))) c)
