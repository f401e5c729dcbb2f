-- Functions marked `noinline` are called, those marked `inline` are not, with the same results: of
-- numbers, arrays and functions, in parallel operations, loops and derivatives.

type pair = {count: i64, mean: f64}

#[noinline]
def summary [n] (xs: [n]f64) : pair = {count = n, mean = f64.sum xs / f64.i64 n}

#[noinline]
def scaled [n] (k: f64) (xs: [n]f64) : [n]f64 = map (* k) xs

#[noinline]
def evens (xs: []i64) : []i64 = filter (\x -> x % 2 == 0) xs

#[noinline]
def twice 'a (f: a -> a) (x: a) : a = f (f x)

#[noinline]
def adder (a: f64) : f64 -> f64 = \x -> x + a

#[noinline]
def with_first [n] (xs: *[n]f64) (x: f64) : *[n]f64 = xs with [0] = x

#[noinline]
def logistic (x: f64) : f64 = 1 / (1 + f64.exp (-x))

#[noinline]
def loss [n] (xs: [n]f64) (w: f64) : f64 = f64.sum (map (\x -> logistic (w * x)) xs)

def plain [n] (xs: [n]f64) : f64 = f64.maximum xs

#[inline]
def forced (x: f64) : f64 = x * 3

-- ==
-- entry: host
-- input { [1.0, 2.0, 6.0] } output { 3i64 3.0 [2.0, 4.0, 12.0] 30.0 }
entry host (xs: []f64) : (i64, f64, []f64, f64) =
  let s = summary xs
  let doubled = scaled 2 xs
  in (s.count, s.mean, doubled, (summary (scaled 10 xs)).mean)

-- ==
-- entry: of_unknown_size
-- input { [1i64, 2i64, 4i64, 7i64] } output { [2i64, 4i64] [14i64, 18i64] }
entry of_unknown_size (xs: []i64) : ([]i64, []i64) = (evens xs, map (+ 10) (evens (map (* 2) xs))[1:3])

-- ==
-- entry: functions
-- input { 3.0 [1.0, 2.0] } output { 5.0 12.0 [3.0, 4.0] 6.0 }
entry functions (a: f64) (xs: [2]f64) : (f64, f64, [2]f64, f64) =
  (twice (+ 1) a, twice (* 2) a, twice (map (+ 1)) xs, adder a 3)

-- ==
-- entry: consumed
-- input { [1.0, 2.0] } output { [9.0, 2.0] [8.0, 2.0] }
entry consumed (xs: *[2]f64) : ([2]f64, [2]f64) =
  let ys = copy xs
  in (with_first xs 9, with_first ys 8)

-- ==
-- entry: in_parallel
-- input { [[1.0, 3.0], [2.0, 6.0]] }
-- output { [2.0, 4.0] [[3.0, 9.0], [6.0, 18.0]] [10.0, 13.0] [3.0, 6.0] }
entry in_parallel [n] [m] (xss: [n][m]f64) : ([n]f64, [n][m]f64, [n]f64, [n]f64) =
  ( map (\xs -> (summary xs).mean) xss
  , map (scaled 3) xss
  , map (\xs -> (with_first (copy xs) 7)[0] + xs[1]) xss
  , map (\xs -> #[noinline] plain xs) xss
  )

-- ==
-- entry: in_loops
-- input { 3i64 [1.0, 2.0] } output { [8.0, 16.0] 27.0 }
entry in_loops (k: i64) (xs: []f64) : ([]f64, f64) =
  ( loop ys = xs for _i < k do scaled 2 ys
  , loop x = 1.0 for _i < k do #[inline] forced x
  )

-- ==
-- entry: derivatives
-- input { [0.5, -1.0, 2.0] 0.25 }
-- output { -0.34839 [0.06226, 0.06154, 0.05875] [[2.0, 0.0], [0.0, 2.0]] [1.5, 1.5] 0.235 }
entry derivatives [n] (xs: [n]f64) (w: f64) : (f64, [n]f64, [2][2]f64, [2]f64, f64) =
  let round x = f64.round (x * 100000) / 100000
  in ( round (vjp (loss (map (\x -> x - 1) xs)) w 1)
     , map round (vjp (\ys -> loss ys w) xs 1)
     , map (\seed -> vjp (scaled 2) [1, 1] seed) [[1, 0], [0, 1]]
     , vjp (\k -> f64.sum (map (\x -> f64.sum (scaled x k)) [1, 2])) [1, 1] 0.5
     , round (jvp logistic 0.5 1)
     )

-- ==
-- entry: called_there
-- input { 2.0 } output { 8.0 }
entry called_there (x: f64) : f64 = #[noinline] twice (\y -> #[inline] logistic (0 * y) * 4 * y) x
