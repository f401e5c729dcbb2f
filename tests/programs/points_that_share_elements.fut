-- Points that have nothing but the elements of a sum in common: few of them share these between
-- blocks of a GPU, and what these have is put together.
-- ==
-- entry: sums
-- input { 0i64 100i64 } output { true }
-- input { 130i64 0i64 } output { true }
-- input { 130i64 40i64 } output { true }
-- input { 200i64 100i64 } output { true }
-- input { 300i64 1000i64 } output { true }
-- input { 1000i64 333i64 } output { true }
-- input { 9000i64 33i64 } output { true }
-- ==
-- entry: greatest
-- input { 200i64 100i64 } output { true }
-- input { 300i64 1000i64 } output { true }
-- ==
-- entry: again
-- input { 5i64 256i64 200i64 } output { true }

def numbers (n: i64) : [n]i32 = map (\i -> i32.i64 (i * 7919 % 1009)) (iota n)

def force (x: i32) (y: i32) (m: i32) : i32 = (m * (x - y)) ^ (x + y)

def one_by_one (x: i32) (ys: []i32) : i32 =
  loop sum = 0 for y in ys do sum + force x y (y % 7)

entry sums (n: i64) (m: i64) : bool =
  let (xs, ys) = (numbers n, numbers m)
  let ms = map (% 7) ys
  let found = map (\x -> i32.sum (map2 (force x) ys ms)) xs
  in and (map2 (\x sum -> sum == one_by_one x ys) xs found)

-- Something is made of each sum, of two that a point has.
entry greatest (n: i64) (m: i64) : bool =
  let (xs, ys) = (numbers n, numbers m)
  let far (x: i32) (y: i32) = i32.abs (x - y)
  let found =
    map (\x -> 2 * i32.maximum (map (far x) ys) - i32.sum (map (far x) ys)) xs
  let looped x =
    let (most, sum) =
      loop (most, sum) = (i32.lowest, 0)
      for y in ys do
        (i32.max most (far x y), sum + far x y)
    in 2 * most - sum
  in and (map2 (\x y -> y == looped x) xs found)

-- What is counted by one is counted anew by the next.
entry again (steps: i64) (n: i64) (m: i64) : bool =
  let ys = numbers m
  let step [k] (xs: [k]i32) = map (\x -> i32.sum (map (\y -> (x ^ y) & 255) ys)) xs
  let slow [k] (xs: [k]i32) =
    map (\x -> loop sum = 0 for y in ys do sum + ((x ^ y) & 255)) xs
  let found = loop xs = numbers n for _i < steps do step xs
  let expected = loop xs = numbers n for _i < steps do slow xs
  in and (map2 (==) found expected)
