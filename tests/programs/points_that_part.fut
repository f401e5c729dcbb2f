-- Points of one map that go different ways: branches and loops under masks in vector lanes.  Each
-- function meets its inputs many times, so that there are blocks of lanes and points left over.

def rounds : i64 = 41

-- What `f` gives for each of `xs`, and whether it gave the same every time.
def for_many 'a [n] (f: a -> f64) (xs: [n]a) : ([n]f64, bool) =
  let rows = unflatten (map f (flatten (replicate rounds xs)))
  in (rows[rounds / 2], all id (map (\row -> all id (map2 (==) row rows[0])) rows))

-- A loop that points leave one after another.
-- ==
-- entry: collatz
-- input { [1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 9i64, 10i64, 27i64, 97i64, 871i64, 0i64, -5i64] }
-- output { [0f64, 1f64, 7f64, 2f64, 5f64, 8f64, 16f64, 3f64, 19f64, 6f64, 111f64, 118f64, 178f64, 0f64, 0f64] true }
entry collatz (starts: []i64) =
  let steps (start: i64) : f64 =
    (loop (x, n) = (start, 0)
     while x > 1 && n < 1000 do
       (if x % 2 == 0 then x / 2 else 3 * x + 1, n + 1)).1
  in for_many steps starts

-- As many iterations as the data say, with reads under the mask; the index is of another type.
-- ==
-- entry: prefixes
-- input { [3i16, 0i16, 5i16, 1i16, 4i16, 2i16, 5i16, 3i16, 9i16, -2i16] [1.0, 2.0, 4.0, 8.0, 16.0] }
-- output { [7.0, 0.0, 31.0, 1.0, 15.0, 3.0, 31.0, 7.0, 31.0, 0.0] true }
entry prefixes [n] (counts: []i16) (values: [n]f64) =
  for_many (\count -> loop sum = 0 for i < i16.min (i16.i64 n) count do sum + values[i64.i16 i])
           counts

-- A division that only some points may do.
-- ==
-- entry: guarded_division
-- input { [7, 8, 9, -10, 11, 12, 13, 14, 15] [2, 0, 3, 0, -4, 0, 5, 0, 1] }
-- output { [9f64, -24f64, 9f64, 30f64, -9f64, -36f64, 6f64, -42f64, 45f64] true }
entry guarded_division (xs: []i32) (ys: []i32) =
  for_many (\(x, y) ->
              loop sum = 0
              for _i < 3 do
                sum + f64.i32 (if y == 0 then -x else x / y))
           (zip xs ys)

-- Reads outside of the array but for the condition.
-- ==
-- entry: guarded_reads
-- input { [5i64, -1i64, 0i64, 9i64, 4i64, 1i64, 100i64, 3i64, 2i64] [10.0, 20.0, 30.0, 40.0, 50.0] }
-- output { [-1.0, -1.0, 30.0, -1.0, 60.0, 50.0, -1.0, 90.0, 70.0] true }
entry guarded_reads [n] (at: []i64) (values: [n]f64) =
  for_many (\i ->
              loop x = 0
              for _k < 2 do
                if i >= 0 && i < n then values[i] + values[(i + 1) % n] else -1)
           at

-- The program ends where a point that takes the branch reads outside.
-- ==
-- entry: fails_where_taken
-- input { [0i64, 1i64, 7i64] [false, true, false] [1.0, 2.0, 3.0] } output { [0.0, 2.0, 0.0] true }
-- input { [0i64, 1i64, 7i64] [false, true, true] [1.0, 2.0, 3.0] } error: out of bounds
entry fails_where_taken (at: []i64) (take: []bool) (values: []f64) =
  for_many (\(i, t) ->
              loop x = 0 for _k < 2 do if t then f64.max x (values[i] - f64.i64 (i / 2)) else 0)
           (zip at take)

-- Small arrays of each point's own, written in one side of a branch only.
-- ==
-- entry: own_arrays
-- input { [0i64, 1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64, 9i64] }
-- output { [3f64, 103f64, 5f64, 303f64, 7f64, 503f64, 9f64, 703f64, 11f64, 903f64] true }
entry own_arrays (xs: []i64) =
  for_many (\x ->
              let a = [x, 1, 2]
              let b =
                if x % 2 == 0
                then a
                else loop c = copy a for i < 3 do c with [i] = if i == 0 then 100 * x else c[i]
              in f64.i64 (b[0] + b[1] + b[2]))
           xs

-- Each side makes an array.
-- ==
-- entry: arrays_of_branches
-- input { [1f64, -2f64, 3f64, -4f64, 5f64, -6f64] } output { [321f64, -198f64, 963f64, -396f64, 1605f64, -594f64] true }
entry arrays_of_branches (xs: []f64) =
  for_many (\x ->
              let a =
                loop a = [0, 0, 0]
                for i < 3 do
                  if x > 0 then a with [i] = x * f64.i64 (i + 1) else [-x, 0, x]
              in a[0] + 10 * a[1] + 100 * a[2])
           xs

-- Points that write over copies of what they share, and read it otherwise.
-- ==
-- entry: shared_array
-- input { [0i64, 1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64] [1.0, 2.0, 3.0, 4.0] }
-- output { [1.0, 12.0, 3.0, 14.0, 1.0, 12.0, 3.0, 14.0] true }
entry shared_array (at: []i64) (values: [4]f64) =
  for_many (\i ->
              loop x = 0
              for _k < 2 do
                if i % 2 == 1
                then (let own = copy values with [i % 4] = values[i % 4] + 10 in own[i % 4])
                else values[i % 4])
           at

-- A branch inside a loop inside a branch.
-- ==
-- entry: nested
-- input { [0i64, 1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64] }
-- output { [0f64, -1f64, 0f64, -1f64, 11f64, -1f64, 85f64, -1f64, 322f64] true }
entry nested (ns: []i64) =
  for_many (\n ->
              if n % 2 == 1
              then -1
              else loop sum = 0
                   for i < n do
                     if i > 1 then loop s = sum for j < i do s + f64.i64 (i * j) else sum)
           ns

-- Derivatives add to what all points share, some to one place, some nowhere.
-- ==
-- entry: additions
-- input { [0i64, 1i64, 2i64, 3i64, 4i64, 5i64, 6i64, 7i64, 8i64] [1f64, 2f64, 3f64, 4f64] }
-- output { 1599f64 [1107f64, 205f64, 164f64, 123f64] }
entry additions (at: []i64) (values: [4]f64) : (f64, [4]f64) =
  let energy (values: [4]f64) : f64 =
    f64.sum (map (\i ->
                    if i == 3
                    then 0
                    else loop x = values[i % 4]
                         for k < i % 3 do
                           x + values[(i + k) % 4] * values[0])
                 (flatten (replicate rounds at)))
  in (energy values, vjp energy values 1)

-- Each point differentiates a function that adds to an array of the point's own.
-- ==
-- entry: own_derivatives
-- input { [1f64, -2f64, 3f64, -4f64, 5f64, 0f64, 7f64] }
-- output { [4f64, 0f64, 12f64, 0f64, 20f64, 0f64, 28f64] true }
entry own_derivatives (xs: []f64) =
  for_many (\x ->
              let f (a: [3]f64) : f64 =
                loop s = 0 for i < 4 do if a[i % 3] > 0 then s + a[i % 3] * a[i % 3] else s
              in if x >= 0 then f64.sum (vjp f [x, -x, 0] 1) else f64.sum (vjp f [x, 2 * x, x] 1))
           xs

-- The escape time of a point of the Mandelbrot set and the derivative of a smooth colour there.
-- ==
-- entry: colours
-- input { [0.4f64, -0.6f64, 0.3f64, 1.0f64, -1.5f64] [0.4f64, 0.6f64, 0.5f64, 1.0f64, 0.1f64] }
-- output { [5.0308375263753655f64, 6.328276071653861f64, 36.31556052080311f64, 0.4242424242424242f64, 2.7994068386420126f64] [-17.954107772244193f64, 57.74243668161188f64, -47.14779293570824f64, -0.3709825528007346f64, 8.781955934660086f64] true }
entry colours (res: []f64) (ims: []f64) =
  let colour (re: f64, im: f64) : f64 =
    (loop (x, y, c, n) = (0, 0, 0, 0i32)
     while n < 50 && x * x + y * y < 4 do
       let xx = x * x - y * y + re
       let yy = 2 * x * y + im
       in (xx, yy, c + 1 / (1 + xx * xx + yy * yy), n + 1)).2
  let (values, same) = for_many colour (zip res ims)
  let (slopes, same') = for_many (\p -> (vjp colour p 1).0) (zip res ims)
  in (values, slopes, same && same')
