-- Gradients of images that are blurred in two dimensions, with each rule for what lies beyond the edges: by reverse mode as
-- by forward mode, also of images smaller than the window.
-- ==
-- entry: nearest
-- input { 7i64 9i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 1i64 5i64 } output { true }
-- input { 2i64 1i64 } output { true }
-- input { 0i64 3i64 } output { true }
-- input { 3i64 40i64 } output { true }
-- ==
-- entry: other_end
-- input { 7i64 9i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 2i64 1i64 } output { true }
-- input { 0i64 3i64 } output { true }
-- input { 3i64 40i64 } output { true }
-- ==
-- entry: nothing
-- input { 7i64 9i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 2i64 1i64 } output { true }
-- input { 0i64 3i64 } output { true }
-- input { 3i64 40i64 } output { true }
-- ==
-- entry: farther
-- input { 9i64 8i64 } output { true }
-- input { 2i64 3i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 4i64 40i64 } output { true }
-- ==
-- entry: weighted
-- input { 6i64 20i64 } output { true }
-- input { 1i64 2i64 } output { true }
-- ==
-- entry: chosen
-- input { 6i64 20i64 } output { true }
-- input { 1i64 2i64 } output { true }
-- ==
-- entry: mixed
-- input { 6i64 20i64 } output { true }
-- input { 1i64 2i64 } output { true }
-- ==
-- entry: taps
-- input { 6i64 20i64 } output { true }
-- input { 1i64 2i64 } output { true }
-- input { 3i64 0i64 } output { true }
-- ==
-- entry: window
-- input { 7i64 20i64 } output { true }
-- input { 1i64 2i64 } output { true }
-- input { 0i64 3i64 } output { true }
-- input { 2i64 40i64 } output { true }
-- ==
-- entry: before
-- input { 3i64 20i64 } output { true }
-- input { 1i64 2i64 } output { true }
-- ==
-- entry: infinite
-- input { 7i64 20i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 3i64 2i64 } output { true }
def numbers (n: i64) (seed: i64) : [n]f64 =
  tabulate n (\i -> f64.i64 ((i * 37 + seed * 11) % 23 - 11) / 8)

-- The gradient, an element at a time.
def agree [n] (f: [n]f64 -> f64) (x: [n]f64) : bool =
  let forwards = tabulate n (\k -> jvp f x (tabulate n (\i -> f64.bool (i == k))))
  in and (map2 (\a b -> f64.abs (a - b) < 1e-12 * (1 + f64.abs a)) (vjp f x 1) forwards)

def squares [h] [w] (image: [h][w]f64) : f64 =
  f64.sum (map (\row -> f64.sum (map (\x -> x * x) row)) image)

def held (n: i64) (i: i64) : i64 = i64.max 0 (i64.min (n - 1) i)

def blurred (h: i64) (w: i64) (at: i64 -> i64 -> f64) : [h][w]f64 =
  tabulate_2d h w (\y x ->
                     (at (y - 1) (x - 1) + 2 * at (y - 1) x + at (y - 1) (x + 1)
                      + 2 * at y (x - 1)
                      + 4 * at y x
                      + 2 * at y (x + 1)
                      + at (y + 1) (x - 1)
                      + 2 * at (y + 1) x
                      + at (y + 1) (x + 1))
                     / 16)

def agrees (h: i64) (w: i64) (f: [h][w]f64 -> f64) : bool =
  agree (\flat -> f (unflatten flat)) (numbers (h * w) 1)

entry nearest (h: i64) (w: i64) : bool =
  agrees h w (\image -> squares (blurred h w (\y x -> image[held h y, held w x])))

entry other_end (h: i64) (w: i64) : bool =
  agrees h w (\image -> squares (blurred h w (\y x -> image[y % h, x % w])))

entry nothing (h: i64) (w: i64) : bool =
  agrees h w (\image ->
                squares (blurred h w (\y x ->
                                        if y >= 0 && y < h && x >= 0 && x < w
                                        then image[y, x]
                                        else 0)))

-- Along one dimension after the other, two points to each side.
entry farther (h: i64) (w: i64) : bool =
  agrees h w (\image ->
                let rows =
                  tabulate_2d h w (\y x ->
                                     image[y, x]
                                     + f64.sin image[y, held w (x - 2)]
                                     - 2 * image[y, held w (x + 2)]
                                     + 3 * image[y, held w (x - 1)])
                let columns =
                  tabulate_2d h w (\y x ->
                                     rows[y, x]
                                     + rows[held h (y - 2), x]
                                     - 2 * rows[held h (y + 2), x]
                                     + 3 * rows[held h (y + 1), x])
                in squares columns)

-- Weights that are differentiated as well.
entry weighted (h: i64) (w: i64) : bool =
  let f (image: [h][w]f64) (k: [4]f64) =
    squares (tabulate_2d h w (\y x ->
                                f64.exp (k[0] * image[held h (y - 1), x]
                                         + k[1] * image[y, x]
                                         + k[2] * image[y, held w (x + 1)]
                                         + k[3] * image[held h (y + 1), held w (x - 1)])))
  let k = numbers 4 2
  let image = numbers (h * w) 1
  in agree (\flat -> f (unflatten flat) k) image && agree (f (unflatten image)) k

-- What is added depends on which side of a branch a point takes.
entry chosen (h: i64) (w: i64) : bool =
  agrees h w (\image ->
                f64.sum (flatten (tabulate_2d h w (\y x ->
                                                     let above = image[held h (y - 1), x]
                                                     let below = image[held h (y + 1), x]
                                                     let right = image[y, (x + 1) % w]
                                                     in if above < below
                                                        then above * right * image[y, x]
                                                        else below * below * below - right))))

-- Each dimension by a rule of its own, and points that have no neighbour in time.
entry mixed (h: i64) (w: i64) : bool =
  agrees h w (\image ->
                squares (tabulate_2d h w (\y x ->
                                            let a = image[held h (y - 1), (x + 3) % w]
                                            let b = image[(y + 1) % h, i64.max 0 (x - 2)]
                                            let c =
                                              if y > 1
                                              then image[y - 2, i64.min (w - 1) (x + 1)]
                                              else 1
                                            in a * b + c * image[y, x])))

-- Sums of taps, which are differentiated as well: along rows and along columns.
entry taps (h: i64) (w: i64) : bool =
  let f (image: [h][w]f64) (k: [5]f64) =
    let by at = f64.sum (tabulate 5 (\t -> k[t] * at (t - 2)))
    let rows = tabulate_2d h w (\y x -> by (\t -> image[y, (x + t) % w]))
    in squares (tabulate_2d h w (\y x -> by (\t -> f64.sin rows[held h (y + t), x])))
  let k = numbers 5 2
  let image = numbers (h * w) 1
  in agree (\flat -> f (unflatten flat) k) image && agree (f (unflatten image)) k

def windows [h] [w] (k: [5][5]f64) (image: [h][w]f64) : [h][w]f64 =
  let sum f = f64.sum (tabulate 5 (\t -> f (t - 2)))
  in tabulate_2d h w (\y x ->
                        sum (\s -> sum (\t -> k[s + 2, t + 2] * image[held h (y + s), held w (x + t)])))

-- Whole windows, of more taps than can be written out.
entry window (h: i64) (w: i64) : bool =
  let k = unflatten (numbers (5 * 5) 2)
  let image = numbers (h * w) 1
  in agree (\flat -> squares (windows k (unflatten flat))) image
     && agree (\flat -> squares (windows (unflatten flat) (unflatten image))) (flatten k)

-- Windows that look back in time, and to both sides.
entry before (h: i64) (w: i64) : bool =
  let k = numbers 4 2
  let f (frames: [w][h]f64) =
    tabulate_2d w h (\time y ->
                       f64.sum (tabulate 4 (\t ->
                                              f64.sum (tabulate 7 (\s ->
                                                                     k[t] * f64.i64 (s + 1)
                                                                     * frames[i64.max 0 (time - t), held h (y + s - 3)])))))
  in agree (\flat -> squares (f (unflatten flat))) (numbers (w * h) 1)

-- One infinite tap is added where it is added to, and zero times nowhere.
entry infinite (h: i64) (w: i64) : bool =
  let k = tabulate_2d 5 5 (\s t -> if s == 1 && t == 3 then f64.inf else f64.i64 (s - t))
  let image = unflatten (numbers (h * w) 1) :> [h][w]f64
  let adjoint = tabulate_2d h w (\y x -> f64.i64 (1 + y + 2 * x))
  let points =
    flatten (flatten (flatten (tabulate_2d h w (\y x -> tabulate_2d 5 5 (\s t -> (y, x, s, t))))))
  let expected =
    loop sums = replicate h (replicate w 0)
    for (y, x, s, t) in points do
      let (i, j) = (held h (y + s - 2), held w (x + t - 2))
      in sums with [i, j] = sums[i, j] + k[s, t] * adjoint[y, x]
  in and (map2 (==) (flatten (vjp (windows k) image adjoint)) (flatten expected))
