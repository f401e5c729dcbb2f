-- What a filter or a part of a partition keeps, beside what a loop appends: element types of all
-- sizes, tuples of them, many sizes around those of vectors, nothing kept and everything.
-- ==
-- entry: bytes shorts halves ints floats longs doubles flags
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- input { 8i64 } output { true }
-- input { 15i64 } output { true }
-- input { 16i64 } output { true }
-- input { 17i64 } output { true }
-- input { 33i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 70003i64 } output { true }

-- ==
-- entry: tuples parts three_parts mapped few_and_many indirect joined kept_twice
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 7i64 } output { true }
-- input { 8i64 } output { true }
-- input { 15i64 } output { true }
-- input { 16i64 } output { true }
-- input { 17i64 } output { true }
-- input { 33i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 70003i64 } output { true }

-- Numbers without a pattern.
def number (i: i64) : i64 = let x = (i + 1) * 2654435761 in (x ^ (x >> 15)) % 1009

-- The first `count` of `xs`, and how many were appended, one after another.
def appended [n] 't (p: t -> bool) (xs: [n]t) : ([n]t, i64) =
  #[sequential]
  loop (out, count) = (copy xs, 0)
  for i < n do
    if p xs[i] then (out with [count] = xs[i], count + 1) else (out, count)

def agrees [n] [k] 't (same: t -> t -> bool) (p: t -> bool) (xs: [n]t) (kept: [k]t) : bool =
  let (expected, count) = appended p xs
  in k == count && and (map (\i -> same kept[i] expected[i]) (iota k))

def check 't (same: t -> t -> bool) (p: t -> bool) (of_number: i64 -> t) (n: i64) : bool =
  let xs = map (\i -> of_number (number i)) (iota n)
  in agrees same p xs (filter p xs)

entry bytes (n: i64) : bool = check (==) (> 10) i8.i64 n
entry shorts (n: i64) : bool = check (==) (< 500) u16.i64 n
entry halves (n: i64) : bool = check (==) (> 300) f16.i64 n
entry ints (n: i64) : bool = check (==) (\x -> x % 3 != 0) i32.i64 n
entry floats (n: i64) : bool = check (==) (> 500) f32.i64 n
entry longs (n: i64) : bool = check (==) (\x -> x % 2 == 0) id n
entry doubles (n: i64) : bool = check (==) (<= 77) f64.i64 n
entry flags (n: i64) : bool = check (==) id (\x -> x % 5 > 1) n

entry tuples (n: i64) : bool =
  let of_number (x: i64) = (i8.i64 x, f32.i64 x, (x, x % 2 == 0), f64.i64 x)
  let same (a: (i8, f32, (i64, bool), f64)) (b: (i8, f32, (i64, bool), f64)) =
    a.0 == b.0 && a.1 == b.1 && a.2.0 == b.2.0 && a.2.1 == b.2.1 && a.3 == b.3
  let p (a: i8, b: f32, (c: i64, d: bool), _: f64) = d || a > 20 && b > 9 && c % 7 == 0
  in check same p of_number n

entry parts (n: i64) : bool =
  let xs = map number (iota n)
  let p x = x % 4 == 1
  let (yes, no) = partition p xs
  in agrees (==) p xs yes && agrees (==) (\x -> !(p x)) xs no

entry three_parts (n: i64) : bool =
  let xs = map (\i -> f32.i64 (number i)) (iota n)
  let (low, middle, high) = partition2 (< 100) (< 900) xs
  in agrees (==) (< 100) xs low
     && agrees (==) (\x -> x >= 100 && x < 900) xs middle
     && agrees (==) (>= 900) xs high

-- What is kept is computed in the same loop.
entry mapped (n: i64) : bool =
  let f (i: i64) = f32.i64 (number i) * 2 - 700
  let kept = filter (> 0) (map f (iota n))
  in agrees (==) (> 0) (map f (iota n)) kept

entry few_and_many (n: i64) : bool =
  let xs = map (\i -> i32.i64 (number i)) (iota n)
  in length (filter (< 0) xs) == 0
     && agrees (==) (>= 0) xs (filter (>= 0) xs)
     && agrees (==) (== 5) xs (filter (== 5) xs)

-- Elements and conditions come from other places.
entry indirect (n: i64) : bool =
  let xs = map number (iota n)
  let at i = xs[(n - 1 - i) % i64.max n 1]
  let places = filter (\i -> at i % 3 == 0) (iota n)
  in agrees (==) (\i -> at i % 3 == 0) (iota n) places

-- Parts of one array, behind each other.
entry joined (n: i64) : bool =
  let xs = map (\i -> i32.i64 (number i)) (iota n)
  let all = filter (\x -> x % 2 == 0) xs ++ [-1] ++ filter (\x -> x % 2 == 1) xs
  let (even, a) = appended (\x -> x % 2 == 0) xs
  let (odd, b) = appended (\x -> x % 2 == 1) xs
  in length all == a + b + 1
     && and (map (\i -> all[i] == (if i < a then even[i] else if i == a then -1 else odd[i - a - 1]))
                 (indices all))

-- What was mapped is needed again.
entry kept_twice (n: i64) : bool =
  let xs = map (\i -> number i - 300) (iota n)
  let kept = filter (> 0) xs
  in agrees (==) (> 0) (map (\i -> number i - 300) (iota n)) kept
     && reduce (+) 0 xs == reduce (+) 0 (map (\i -> number i - 300) (iota n))

-- | In a loop, from one that is longer each time.
-- ==
-- entry: sieve
-- input { 100i64 } output { 25i64 97i64 }
-- input { 30000i64 } output { 3245i64 29989i64 }
entry sieve (n: i64) : (i64, i64) =
  let (primes, _, _) =
    loop (primes, rest, least) = ([] : []i64, map (+ 2) (iota (n - 2)), 2)
    while least * least < n do
      let next = filter (\x -> x % least != 0) rest
      in (primes ++ [least], next, head next)
  let (found, left, _) =
    loop (found, left, least) = (0i64, map (+ 2) (iota (n - 2)), 2)
    while least * least < n do
      let next = filter (\x -> x % least != 0) left
      in (found + 1, next, head next)
  in (found + length left, last left + 0 * length primes)

-- | A loop that keeps half of what it has: the derivative of a sum of squares of what is left.
-- ==
-- entry: gradient
-- input { [3.0, -1.0, 5.0, 0.5] } output { [6.0, 0.0, 10.0, 1.0] }
entry gradient [n] (xs: [n]f64) : [n]f64 =
  vjp (\ys -> f64.sum (map (\y -> y * y) (filter (> 0) ys))) xs 1
