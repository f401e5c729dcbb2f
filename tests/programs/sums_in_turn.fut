-- Sums over different elements that are added to each other, and sums that go on from others in a
-- tile of a GPU, are the sums over all of these elements.
-- ==
-- entry: layers
-- input { 8i64 8i64 8i64 8i64 } output { true }
-- input { 40i64 17i64 30i64 33i64 } output { true }
-- input { 64i64 20i64 70i64 64i64 } output { true }
-- input { 130i64 3i64 5i64 70i64 } output { true }
-- input { 40i64 0i64 30i64 33i64 } output { true }
-- input { 40i64 30i64 0i64 33i64 } output { true }
-- input { 1i64 3i64 2i64 1i64 } output { true }
-- input { 0i64 3i64 2i64 4i64 } output { true }
-- input { 16i64 1100i64 2000i64 16i64 } output { true }
-- input { 32i64 5i64 1500i64 32i64 } output { true }
-- ==
-- entry: same
-- script input {
--   let (x, s, w, u, v, t, y, z) = inputs 40i64 17i64 30i64 33i64
--   in (ways x s w u, ways_wanted x s w u) }
-- output { true }
-- script input {
--   let (x, s, w, u, v, t, y, z) = inputs 16i64 1100i64 700i64 16i64
--   in (ways x s w u, ways_wanted x s w u) }
-- output { true }
-- script input {
--   let (x, s, w, u, v, t, y, z) = inputs 40i64 17i64 30i64 33i64
--   in (gates x s w u v t, gates_wanted x s w u v t) }
-- output { true }
-- script input {
--   let (x, s, w, u, v, t, y, z) = inputs 16i64 8i64 8i64 16i64
--   in (gates x s w u v t, gates_wanted x s w u v t) }
-- output { true }
-- script input {
--   let (x, s, w, u, v, t, y, z) = inputs 40i64 17i64 30i64 33i64
--   in (three x s y w u z, three_wanted x s y w u z) }
-- output { true }
-- script input {
--   let (x, s, w, u, v, t, y, z) = inputs 16i64 600i64 700i64 16i64
--   in (three x s y w u z, three_wanted x s y w u z) }
-- output { true }
def numbers (n: i64) (m: i64) (k: i64) : [n][m]i64 =
  tabulate_2d n m (\i j -> (i * 7 + j * k + i * j) % 11 - 5)

def dot [n] (a: [n]i64) (b: [n]i64) : i64 = i64.sum (map2 (*) a b)

def least [n] (a: [n]i64) (b: [n]i64) : i64 = i64.minimum (map2 (+) a b)

def joined [n] [d] [h] (a: [n][d]i64) (b: [n][h]i64) : [n][d + h]i64 = map2 (++) a b

def singles [n] [m] (a: [n][m]i64) : [n][m]f32 = map (map f32.i64) a
def doubles [n] [m] (a: [n][m]i64) : [n][m]f64 = map (map f64.i64) a

def single_layer [n] [d] [h] [m] (x: [n][d]f32)
                 (s: [n][h]f32)
                 (w: [m][d]f32)
                 (u: [m][h]f32)
                 (bias: [m]f32) : [n][m]f32 =
  let dot a b = f32.sum (map2 (*) a b)
  in map2 (\row state -> map3 (\a c b -> f32.max 0 (dot row a + dot state c + b)) w u bias) x s

def double_layer [n] [d] [h] [m] (x: [n][d]f64)
                 (s: [n][h]f64)
                 (w: [m][d]f64)
                 (u: [m][h]f64)
                 (bias: [m]f64) : [n][m]f64 =
  let dot a b = f64.sum (map2 (*) a b)
  in map2 (\row state -> map3 (\a c b -> f64.max 0 (dot row a + dot state c + b)) w u bias) x s

-- | Of f32 and f64 that are whole numbers.
entry layers (n: i64) (d: i64) (h: i64) (m: i64) : bool =
  let (x, s, w, u) = (numbers n d 3, numbers n h 5, numbers m d 2, numbers m h 8)
  let bias = numbers 1 m 4
  let wanted =
    map (\row -> map2 (\other b -> i64.max 0 (dot row other + b)) (joined w u) bias[0])
        (joined x s)
  let single = single_layer (singles x) (singles s) (singles w) (singles u) (singles bias)[0]
  let double = double_layer (doubles x) (doubles s) (doubles w) (doubles u) (doubles bias)[0]
  in and (map2 (\a b -> and (map2 (==) a b)) (singles wanted) single)
     && and (map2 (\a b -> and (map2 (==) a b)) (doubles wanted) double)

entry inputs (n: i64) (d: i64) (h: i64) (m: i64) =
  ( numbers n d 3
  , numbers n h 5
  , numbers m d 2
  , numbers m h 8
  , numbers m d 9
  , numbers m h 6
  , numbers n 9 4
  , numbers m 9 7
  )

-- | By another operator than addition.
entry ways [n] [d] [h] [m] (x: [n][d]i64) (s: [n][h]i64) (w: [m][d]i64) (u: [m][h]i64) : [n][m]i64 =
  map2 (\row state -> map2 (\a c -> 3 * i64.min (least row a) (least state c)) w u) x s

entry ways_wanted [n] [d] [h] [m] (x: [n][d]i64) (s: [n][h]i64) (w: [m][d]i64) (u: [m][h]i64) : [n][m]i64 =
  map (\row -> map (\other -> 3 * least row other) (joined w u)) (joined x s)

-- | Two sums of each point, of which something is made together.
entry gates [n] [d] [h] [m] (x: [n][d]i64)
            (s: [n][h]i64)
            (w: [m][d]i64)
            (u: [m][h]i64)
            (v: [m][d]i64)
            (t: [m][h]i64) : [n][m]i64 =
  map2 (\row state ->
          map4 (\a b c e -> (dot row a + dot state b) * 1000 - (dot row c + dot state e)) w u v t)
       x
       s

entry gates_wanted [n] [d] [h] [m] (x: [n][d]i64)
                   (s: [n][h]i64)
                   (w: [m][d]i64)
                   (u: [m][h]i64)
                   (v: [m][d]i64)
                   (t: [m][h]i64) : [n][m]i64 =
  let sums a b = map (\row -> map (dot row) (joined a b)) (joined x s)
  in map2 (map2 (\p q -> p * 1000 - q)) (sums w u) (sums v t)

entry three [n] [d] [h] [e] [m] (x: [n][d]i64)
            (s: [n][h]i64)
            (y: [n][e]i64)
            (w: [m][d]i64)
            (u: [m][h]i64)
            (z: [m][e]i64) : [n][m]i64 =
  map3 (\row state other -> map3 (\a b c -> dot row a + dot state b + dot other c) w u z) x s y

entry three_wanted [n] [d] [h] [e] [m] (x: [n][d]i64)
                   (s: [n][h]i64)
                   (y: [n][e]i64)
                   (w: [m][d]i64)
                   (u: [m][h]i64)
                   (z: [m][e]i64) : [n][m]i64 =
  map (\row -> map (dot row) (joined (joined w u) z)) (joined (joined x s) y)

entry same [n] [m] (a: [n][m]i64) (b: [n][m]i64) : bool =
  and (map2 (\a b -> and (map2 (==) a b)) a b)
