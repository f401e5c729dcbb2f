-- | What programs state by masks, by neighbours around edges, and by matrices that loops use again.

def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

-- | Attention of each place to those before it.
def back [n] [d] (q: [n][d]f32) (k: [n][d]f32) (v: [n][d]f32) : [n][d]f32 =
  let row r i =
    let scores =
      map2 (\s j -> if j <= i then dot r s / f32.sqrt (f32.i64 d) else -1e9) k (iota n)
    let top = f32.maximum scores
    let powers = map (\s -> f32.exp (s - top)) scores
    let total = f32.sum powers
    in map (\c -> dot powers c / total) (transpose v)
  in map2 row q (iota n)

entry back_gradient [h] [n] [d]
                    (q: [h][n][d]f32)
                    (k: [h][n][d]f32)
                    (v: [h][n][d]f32)
                    (adjoint: [h][n][d]f32) : ([h][n][d]f32, [h][n][d]f32, [h][n][d]f32) =
  vjp (\(q, k, v) -> map3 back q k v) (q, k, v) adjoint

-- | Reaction and diffusion on a torus (Gray and Scott 1983).
def torus [n] [m] (u: [n][m]f32) (v: [n][m]f32) (feed: f32) (kill: f32) : ([n][m]f32, [n][m]f32) =
  let spread (a: [n][m]f32) i j =
    a[(i + 1) % n, j] + a[(i - 1) % n, j] + a[i, (j + 1) % m] + a[i, (j - 1) % m] - 4 * a[i, j]
  in loop (u, v) for _i < 20 do
       let cell i j =
         let (a, b) = (u[i, j], v[i, j])
         let r = a * b * b
         in ( a + 0.16 * spread u i j - r + feed * (1 - a)
            , b + 0.08 * spread v i j + r - (feed + kill) * b
            )
       in unzip (map unzip (tabulate_2d n m cell))

entry torus_steps [n] [m] (u: [n][m]f32) (v: [n][m]f32) (feed: f32) (kill: f32) : ([n][m]f32, [n][m]f32) =
  torus u v feed kill

entry torus_gradient [n] [m] (u: [n][m]f32)
                     (v: [n][m]f32)
                     (feed: f32)
                     (kill: f32)
                     (adjoint: [n][m]f32) : ([n][m]f32, [n][m]f32, f32, f32) =
  vjp (\(u, v, feed, kill) -> (torus u v feed kill).1) (u, v, feed, kill) adjoint

-- | A blur by rows and columns; outside of the image is what is nearest.
entry blur [n] [m] (weights: [7]f32) (image: [n][m]f32) : [n][m]f32 =
  let within size i = i64.max 0 (i64.min (size - 1) i)
  let by f = f32.sum (tabulate 7 (\t -> weights[t] * f (t - 3)))
  let rows = tabulate_2d n m (\i j -> by (\t -> image[i, within m (j + t)]))
  in tabulate_2d n m (\i j -> by (\t -> rows[within n (i + t), j]))

-- | Optimal transport with an entropy (Sinkhorn 1967, Cuturi 2013).
def transport [n] (cost: [n][n]f32) : f32 =
  let k = map (map (\c -> f32.exp (-10 * c))) cost
  let part a s = 1 / f32.i64 n / dot a s
  let (u, v) =
    loop (_u, v) = (replicate n 1, replicate n 1)
    for _i < 30 do
      let u = map (part v) k
      in (u, map (part u) (transpose k))
  in f32.sum (map3 (\row costs a -> a * f32.sum (map3 (\k c b -> k * c * b) row costs v)) k cost u)

entry transport_gradient [n] (cost: [n][n]f32) : [n][n]f32 = vjp transport cost 1

-- | A layer that doubles the length of rows.
entry enlarged [b] [c] [o] [t] (weights: [o][c][4]f32) (xs: [b][c][t]f32) : [b][o][]f32 =
  let at (w: [4]f32) (x: [t]f32) i =
    let j = i / 2
    in if i % 2 == 0
       then w[1] * x[j] + (if j > 0 then w[3] * x[j - 1] else 0)
       else w[2] * x[j] + (if j + 1 < t then w[0] * x[j + 1] else 0)
  in map (\x -> map (\w -> tabulate (2 * t) (\i -> f32.sum (map2 (\w x -> at w x i) w x))) weights)
         xs

-- | Whole windows of an image; outside of it is what is nearest.
def windows [n] [m] (weights: [5][5]f32) (image: [n][m]f32) : [n][m]f32 =
  let within size i = i64.max 0 (i64.min (size - 1) i)
  let sum f = f32.sum (tabulate 5 f)
  let at i j s t = weights[s, t] * image[within n (i + s - 2), within m (j + t - 2)]
  in tabulate_2d n m (\i j -> sum (\s -> sum (\t -> at i j s t)))

entry windows_gradient [n] [m] (weights: [5][5]f32)
                       (image: [n][m]f32)
                       (adjoint: [n][m]f32) : ([5][5]f32, [n][m]f32) =
  vjp (\(weights, image) -> windows weights image) (weights, image) adjoint
