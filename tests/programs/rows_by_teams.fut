-- Rows that the threads of a team share through a chain of operations are those that loops give.
-- ==
-- entry: normalises scans crosses mixes counts_two_widths finds_labels marks repeats widens
-- input { 0i64 5i64 } output { true }
-- input { 3i64 1i64 } output { true }
-- input { 1i64 31i64 } output { true }
-- input { 9i64 32i64 } output { true }
-- input { 2i64 33i64 } output { true }
-- input { 3i64 255i64 } output { true }
-- input { 2i64 256i64 } output { true }
-- input { 1i64 770i64 } output { true }
-- input { 300i64 40i64 } output { true }
def matrix (n: i64) (m: i64) : [n][m]i64 =
  tabulate_2d n m (\i j -> (i * 7919 + j * 104729 + i * j) % 1009)

def equal [n] [m] (a: [n][m]i64) (b: [n][m]i64) : bool =
  and (map2 (\x y -> and (map2 (==) x y)) a b)

def most_of [m] (r: [m]i64) : i64 = loop a = i64.lowest for x in r do i64.max a x
def sum_of [m] (r: [m]i64) : i64 = loop a = 0 for x in r do a + x

def sums_until [m] (r: [m]i64) : [m]i64 =
  (loop (a, out) = (0, copy r)
   for j < m do
     let b = a + r[j]
     in (b, out with [j] = b)).1

def normalised [m] (r: [m]i64) : [m]i64 =
  let most = i64.maximum r
  let e = map (\x -> (most - x) % 97) r
  let s = i64.sum e
  in map (\x -> 3 * x - s) e

def normalised_in_loops [m] (r: [m]i64) : [m]i64 =
  let most = most_of r
  let s = loop a = 0 for x in r do a + (most - x) % 97
  in loop out = copy r for j < m do out with [j] = 3 * ((most - r[j]) % 97) - s

entry normalises (n: i64) (m: i64) : bool =
  let a = matrix n m
  in equal (map normalised a) (map normalised_in_loops a)

-- A scan between what needs it whole.
entry scans (n: i64) (m: i64) : bool =
  let a = matrix n m
  let f [k] (r: [k]i64) : [k]i64 =
    let s = scan (+) 0 (map (\x -> x - 500) r)
    let most = i64.maximum s
    in map2 (\x y -> x * y - most) s r
  let g [k] (r: [k]i64) : [k]i64 =
    let s = sums_until (copy (loop out = copy r for j < k do out with [j] = r[j] - 500))
    let most = most_of s
    in loop out = copy r for j < k do out with [j] = s[j] * r[j] - most
  in equal (map f a) (map g a)

-- Threads read what others have made.
entry crosses (n: i64) (m: i64) : bool =
  let a = matrix n m
  let f [k] (r: [k]i64) : [k]i64 =
    let d = map (\x -> x * 2 + 1) r
    let p = tabulate k (\j -> d[k - 1 - j] - d[j * 3 % k])
    let q = tabulate k (\j -> p[j / 2] + i64.sum d)
    in map4 (\w x y z -> w - x + y * z) d p q r
  let g [k] (r: [k]i64) : [k]i64 =
    let d (j: i64) = r[j] * 2 + 1
    let p (j: i64) = d (k - 1 - j) - d (j * 3 % k)
    let s = loop a = 0 for j < k do a + d j
    in loop out = copy r for j < k do out with [j] = d j - p j + (p (j / 2) + s) * r[j]
  in equal (map f a) (map g a)

-- Elements of several sizes, and several results.
entry mixes (n: i64) (m: i64) : bool =
  let a = matrix n m
  let f [k] (r: [k]i64) : ([k]i32, i64, [k]i64) =
    let large = map (> 500) r
    let small = map i32.i64 r
    let count = i64.sum (map i64.bool large)
    let steps = scan (+) 0 (map2 (\l x -> if l then x else 1) large small)
    let total = i64.i32 (i32.sum steps)
    in ( map2 (\s l -> if l then s else -s) steps large
       , count + total
       , map2 (\x s -> x * count + i64.i32 s) r small
       )
  let (x, y, z) = unzip3 (map f a)
  let g [k] (r: [k]i64) : ([k]i64, i64, [k]i64) =
    let count = loop c = 0 for v in r do c + i64.bool (v > 500)
    let steps =
      sums_until (loop out = copy r
                  for j < k do
                    out with [j] = if r[j] > 500 then r[j] else 1)
    in ( loop out = copy steps
         for j < k do
           out with [j] = if r[j] > 500 then steps[j] else -steps[j]
       , count + sum_of steps
       , loop out = copy r for j < k do out with [j] = r[j] * (count + 1)
       )
  let (u, v, w) = unzip3 (map g a)
  in equal (map (map i64.i32) x) u && and (map2 (==) y v) && equal z w

entry counts_two_widths (n: i64) (m: i64) : bool =
  let a = matrix n m
  let b = matrix n (2 * m + 1)
  let f [k] [l] (r: [k]i64) (q: [l]i64) : ([k]i64, [l]i64) =
    let s = i64.sum r
    let t = i64.maximum q
    let e = map (\x -> x * x - t) r
    let d = map (\x -> x - s) q
    let both = i64.sum e + i64.sum d
    in (map (+ both) e, map2 (\x y -> x * y - both) d q)
  let (x, y) = unzip (map2 f a b)
  let g [k] [l] (r: [k]i64) (q: [l]i64) : ([k]i64, [l]i64) =
    let s = sum_of r
    let t = most_of q
    let both = (loop c = 0 for v in r do c + v * v - t) + (loop c = 0 for v in q do c + v - s)
    in ( loop out = copy r for j < k do out with [j] = r[j] * r[j] - t + both
       , loop out = copy q for j < l do out with [j] = (q[j] - s) * q[j] - both
       )
  let (u, v) = unzip (map2 g a b)
  in equal x u && equal y v

-- A number for each row; an element is picked from what the row has become.
entry finds_labels (n: i64) (m: i64) : bool =
  let a = matrix n m
  let f [k] (r: [k]i64) (label: i64) : i64 =
    let most = i64.maximum r
    let e = map (\x -> (most - x) * (most - x) % 1013) r
    let s = i64.sum e
    in s * 1000 - e[label % k]
  let g [k] (r: [k]i64) (label: i64) : i64 =
    let most = most_of r
    let e (x: i64) = (most - x) * (most - x) % 1013
    in (loop c = 0 for x in r do c + e x) * 1000 - e r[label % k]
  in and (map2 (==) (map2 f a (iota n)) (map2 g a (iota n)))

-- Single elements change, one of them where a condition says so.
entry marks (n: i64) (m: i64) : bool =
  let a = matrix n m
  let f [k] (r: [k]i64) (label: i64) : [k]i64 =
    let z = replicate k 0 with [label % k] = 5
    let s = i64.sum r
    let e = map2 (\x y -> x * s + y) r z
    let w = i64.minimum (map2 (\x j -> if x % 3 == 0 then j else k) r (iota k))
    let e = if w < k / 2 then e with [w] = e[w] + e[k - 1 - w] else e
    in e with [label * 7 % k] = s
  let g [k] (r: [k]i64) (label: i64) : [k]i64 =
    let s = sum_of r
    let w = loop w = k for j < k do if r[j] % 3 == 0 then i64.min w j else w
    let e (j: i64) = r[j] * s + (if j == label % k then 5 else 0)
    in loop out = copy r
       for j < k do
         out with [j] = if j == label * 7 % k
                        then s
                        else if j == w && w < k / 2
                        then e j + e (k - 1 - w)
                        else e j
  in equal (map2 f a (iota n)) (map2 g a (iota n))

-- Rows that replace those that they are made of.
entry repeats (n: i64) (m: i64) : bool =
  let a = matrix n m
  let steps (f: [m]i64 -> [m]i64) = loop b = copy a for _i < 3 do map (\r -> map (% 1009) (f r)) b
  in equal (steps normalised) (steps normalised_in_loops)

-- Reductions of narrow values, then a scan of wide ones.
entry widens (n: i64) (m: i64) : bool =
  let xs =
    map (\r ->
           let most = f32.maximum r
           let e = map (\x -> x - most + 1) r
           let s = f32.sum e
           in map (/ s) e)
        (replicate n (replicate m 0f32))
  let ys = map (scan (+) 0i64) (replicate n (replicate m 0))
  in n == 0 || xs[ys[0, 0], 0] == 1 / f32.i64 m
