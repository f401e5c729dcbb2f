-- Functions as arguments, results of functions, in records; composition and partial application.
-- ==
-- entry: composed
-- input { 5 } output { 12 11 }

-- ==
-- entry: twice
-- input { [1, 2] } output { [5, 6] }

-- ==
-- entry: in_a_record
-- input { 4 } output { 9 }

-- ==
-- entry: captured
-- input { [1, 2, 3] 10 } output { [11, 12, 13] }

def compose 'a 'b 'c (f: b -> c) (g: a -> b) : a -> c = \x -> f (g x)
def apply_twice 'a (f: a -> a) (x: a) : a = f (f x)

entry composed (x: i32) = (compose (* 2) (+ 1) x, (compose (+ 1) (* 2)) x)
entry twice (xs: []i32) = apply_twice (map (+ 2)) xs

entry in_a_record (x: i32) =
  let operations = {add = \a -> a + x, scale = \a -> a * 2}
  in operations.add (operations.scale 2) + 1

entry captured (xs: []i32) (y: i32) = let f x = x + y in map f xs

-- A local polymorphic function without a result type may be used in a lambda.
-- ==
-- entry: local_polymorphism
-- input { 3i64 } output { 3i64 4i64 true 4i64 [[0i64], [1i64]] }

entry local_polymorphism (n: i64) =
  let pair 't (x: t) = (x, n + 1)
  let single 't (x: t) = [x]
  let on_number = \y -> pair (y * 1)
  let (a, b) = on_number n
  let (c, d) = pair true
  in (a, b, c, d, map (\x -> single x) [0i64, 1])
