-- Products whose tiles GPUs copy to shared memory while others are multiplied (`--gpu=sm_80`) are
-- those that loops give: of elements of any width, from slices that begin anywhere or leave out
-- elements, of pairs, of rows that are looked up, and of windows with edges.
-- ==
-- entry: of_i8 of_i16 of_i32 of_i64 of_f16 of_f32 of_f64 of_largest of_pairs of_rows of_windows
-- input { 70i64 67i64 45i64 } output { true }
-- input { 130i64 33i64 16i64 } output { true }
-- input { 35i64 129i64 37i64 } output { true }
-- input { 128i64 128i64 48i64 } output { true }
-- input { 9i64 40i64 20i64 } output { true }
def left (i: i64) (k: i64) : i64 = (i * 7 + k * 13 + i * k) % 5 - 2
def right (k: i64) (j: i64) : i64 = (k * 5 + j * 11 + k * j) % 3 - 1

def in_loops (n: i64) (m: i64) (d: i64) (f: i64 -> i64 -> i64 -> i64) : [n][m]i64 =
  tabulate_2d n m (\i j -> loop s = 0 for k < d do s + f i j k)

def have_equal_rows [n] [m] (a: [n][m]i64) (b: [n][m]i64) : bool =
  and (map2 (\x y -> and (map2 (==) x y)) a b)

-- Asked twice, so that both are arrays.
def are_equal [n] [m] (a: [n][m]i64) (b: [n][m]i64) : bool =
  have_equal_rows a b && have_equal_rows (transpose a) (transpose b)

module products (T: numeric) = {
  def mul [n] [k] [m] (a: [n][k]T.t) (b: [k][m]T.t) : [n][m]i64 =
    map (\row -> map (\column -> T.to_i64 (T.sum (map2 (T.*) row column))) (transpose b)) a

  def test (n: i64) (m: i64) (d: i64) : bool =
    let want = in_loops n m d (\i j k -> left i k * right k j)
    let a = opaque (tabulate_2d n d (\i k -> T.i64 (left i k)))
    let b = opaque (tabulate_2d d m (\k j -> T.i64 (right k j)))
    let c = opaque (tabulate_2d (n + 1) (d + 3) (\i k -> T.i64 (left (i - 1) (k - 2))))
    let e = opaque (tabulate_2d (d + 1) (m + 2) (\k j -> T.i64 (right (k - 1) (j - 1))))
    let wide = opaque (tabulate_2d n (2 * d) (\i k -> T.i64 (left i (k / 2))))
    in are_equal (mul a b) want
       && are_equal (mul (c[1:, 2:d + 2] :> [n][d]T.t) (e[1:, 1:m + 1] :> [d][m]T.t)) want
       && are_equal (mul (wide[:, ::2] :> [n][d]T.t) b) want
       && are_equal (mul a (transpose (opaque (transpose b)))) want
}

module products_i8 = products i8
module products_i16 = products i16
module products_i32 = products i32
module products_i64 = products i64
module products_f16 = products f16
module products_f32 = products f32
module products_f64 = products f64

entry of_i8 = products_i8.test
entry of_i16 = products_i16.test
entry of_i32 = products_i32.test
entry of_i64 = products_i64.test
entry of_f16 = products_f16.test
entry of_f32 = products_f32.test
entry of_f64 = products_f64.test

entry of_largest (n: i64) (m: i64) (d: i64) : bool =
  let a = opaque (tabulate_2d n d (\i k -> f32.i64 (left i k)))
  let b = opaque (tabulate_2d d m (\k j -> f32.i64 (right k j)))
  let most = map (\row -> map (\column -> f32.maximum (map2 (+) row column)) (transpose b)) a
  let want =
    tabulate_2d n m (\i j -> loop s = -9 for k < d do i64.max s (left i k + right k j))
  in are_equal (map (map i64.f32) most) want

def times (a: f32, b: f32) (c: f32, d: f32) : (f32, f32) = (a * c - b * d, a * d + b * c)

entry of_pairs (n: i64) (m: i64) (d: i64) : bool =
  let a = opaque (tabulate_2d n d (\i k -> (f32.i64 (left i k), f32.i64 (left k i))))
  let b = opaque (tabulate_2d d m (\k j -> (f32.i64 (right k j), f32.i64 (right j k))))
  let c =
    map (\row ->
           map (\column ->
                  reduce (\(x, y) (u, v) -> (x + u, y + v)) (0, 0) (map2 times row column))
               (transpose b))
        a
  let want f = in_loops n m d f
  in are_equal (map (map (\(x, _) -> i64.f32 x)) c)
               (want (\i j k -> left i k * right k j - left k i * right j k))
     && are_equal (map (map (\(_, y) -> i64.f32 y)) c)
                  (want (\i j k -> left i k * right j k + left k i * right k j))

entry of_rows (n: i64) (m: i64) (d: i64) : bool =
  let places = opaque (tabulate n (\i -> (i * 7 + 3) % n))
  let a = opaque (tabulate_2d n d (\i k -> f32.i64 (left i k)))
  let b = opaque (tabulate_2d d m (\k j -> f32.i64 (right k j)))
  let c =
    tabulate_2d n m (\i j -> f32.sum (tabulate d (\k -> #[unsafe] a[places[i], k] * b[k, j])))
  in are_equal (map (map i64.f32) c)
               (in_loops n m d (\i j k -> left ((i * 7 + 3) % n) k * right k j))

entry of_windows (n: i64) (m: i64) (d: i64) : bool =
  let w = opaque (tabulate_3d n d 3 (\o c k -> f32.i64 (left (o + k) c)))
  let xs = opaque (tabulate_2d d m (\c x -> f32.i64 (right c x)))
  let at c x = if 0 <= x && x < m then #[unsafe] xs[c, x] else 0
  let ys =
    tabulate_2d n m (\o x ->
                       f32.sum (tabulate d (\c ->
                                              f32.sum (tabulate 3 (\k ->
                                                                     w[o, c, k]
                                                                     * at c (x + k - 1))))))
  let inside c x = if 0 <= x && x < m then right c x else 0
  in are_equal (map (map i64.f32) ys)
               (tabulate_2d n m (\o x ->
                                   loop s = 0
                                   for c < d do
                                     s
                                     + (loop t = 0
                                        for k < 3 do
                                          t + left (o + k) c * inside c (x + k - 1))))
