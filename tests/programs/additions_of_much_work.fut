-- Each point is much more work than the gradient of the weights is large, whatever the sizes: pieces
-- have copies of it, and there is no version with atomic additions.

def loss [n] [d] (w: [d]f64) (x: [n]f64) =
  f64.sum (map (\v ->
                  loop h = v
                  for i < d do
                    f64.sin (h * w[(i * 7 + i64.f64 (f64.abs h)) % d]))
               x)

def weights d = tabulate d (\j -> 1 + f64.i64 (j % 17) / 17)

-- | How far the gradient and differences are apart, along a direction of ones.
-- ==
-- entry: difference
-- input { 1i64 1i64 } output { true }
-- input { 7i64 3i64 } output { true }
-- input { 1000i64 40i64 } output { true }
-- input { 3i64 10000i64 } output { true }
-- input { 0i64 5i64 } output { true }
entry difference (n: i64) (d: i64) : bool =
  let x = tabulate n (\i -> 0.5 + f64.i64 (i % 13) / 26)
  let w = weights d
  let h = 1e-6
  let slope = f64.sum (vjp (\w -> loss w x) w 1)
  let ahead = loss (map (+ h) w) x
  let behind = loss (map (\v -> v - h) w) x
  let estimate = (ahead - behind) / (2 * h)
  in f64.abs (slope - estimate) <= 1e-4 * f64.max 1 (f64.abs estimate)
