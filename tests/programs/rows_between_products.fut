-- A nest of products and of operations on rows between them gives the same whole, by threads of a
-- block for each row, and in parts, of which the products are tiles.
-- ==
-- entry: attention scores_that_stay normalised
-- input { 20i64 9i64 } output { true }
-- input { 37i64 19i64 } output { true }
-- input { 9i64 70i64 } output { true }
-- input { 100i64 90i64 } output { true }
-- input { 130i64 64i64 } output { true }
-- input { 0i64 5i64 } output { true }
-- input { 1i64 1i64 } output { true }
def q (i: i64) (k: i64) : i64 = (i * 7 + k * 13 + i * k) % 31
def r (j: i64) (k: i64) : i64 = (k * 5 + j * 11 + k * j) % 29

def score (d: i64) (i: i64) (j: i64) : i64 = (loop s = 0 for k < d do s + q i k * r j k) / 3

def dot [k] (x: [k]i64) (y: [k]i64) : i64 = i64.sum (map2 (*) x y)

-- The greatest and the total of the scores of a row, from which its weights are made.
def scales (n: i64) (d: i64) (i: i64) : (i64, i64) =
  let most = loop m = i64.lowest for j < n do i64.max m (score d i j)
  in (most, loop t = 1 for j < n do t + (most - score d i j) % 17)

entry attention (n: i64) (d: i64) : bool =
  let a = tabulate_2d n d q
  let b = tabulate_2d n d r
  let out =
    map (\x ->
           let scores = map (\y -> dot x y / 3) b
           let most = i64.maximum scores
           let far = map (\s -> (most - s) % 17) scores
           let total = i64.sum far + 1
           let weights = map (\f -> f * 1000 / total) far
           in map (\column -> dot weights column) (transpose b))
        a
  in and (map2 (\i row ->
                  let (most, total) = scales n d i
                  let weights =
                    loop ws = replicate n 0
                    for j < n do
                      ws with [j] = (most - score d i j) % 17 * 1000 / total
                  in and (map2 (\k x -> x == (loop s = 0 for j < n do s + weights[j] * r j k))
                               (iota d)
                               row))
               (iota n)
               out)

-- Scores are a result, and so is what their rows give.
entry scores_that_stay (n: i64) (d: i64) : bool =
  let a = tabulate_2d n d q
  let b = tabulate_2d n d r
  let (scores, mosts, totals) =
    unzip3 (map (\x ->
                   let scores = map (\y -> dot x y / 3) b
                   let most = i64.maximum scores
                   in (scores, most, 1 + i64.sum (map (\s -> (most - s) % 17) scores)))
                a)
  in and (map2 (\i row -> and (map2 (\j s -> s == score d i j) (iota n) row)) (iota n) scores)
     && and (map3 (\i most total -> (most, total) == scales n d i) (iota n) mosts totals)

-- Rows before the product.
entry normalised (n: i64) (d: i64) : bool =
  let a = tabulate_2d n d q
  let b = tabulate_2d n d r
  let out =
    map (\x ->
           let least = i64.minimum x
           let moved = map (\u -> u - least) x
           let total = i64.sum moved + 1
           let parts = map (\u -> u * 100 / total) moved
           in map (\y -> dot parts y - total) b)
        a
  in and (map2 (\i row ->
                  let least = loop m = i64.highest for k < d do i64.min m (q i k)
                  let total = loop t = 1 for k < d do t + q i k - least
                  in and (map2 (\j x ->
                                  x
                                  == (loop s = -total
                                      for k < d do
                                        s + (q i k - least) * 100 / total * r j k))
                               (iota n)
                               row))
               (iota n)
               out)
