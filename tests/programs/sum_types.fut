-- Sum types: construction, matching with nested patterns and literals, in arrays and loops.
-- ==
-- entry: areas
-- input { 2.0 3.0 } output { 12.566370614359172 6.0 0.0 }

-- ==
-- entry: parities
-- input { [0, 3, 8] } output { [0, 1, 2] }

-- ==
-- entry: optional
-- input { [4, 7, 9] 7 } output { 1i64 }
-- input { [4, 7, 9] 8 } output { -1i64 }

type shape = #circle f64 | #box f64 f64 | #nothing

def area (s: shape) : f64 =
  match s
  case #circle r -> f64.pi * r * r
  case #box a b -> a * b
  case #nothing -> 0

def classify (x: i32) : #zero | #odd | #even =
  match (x, x % 2)
  case (0, _) -> #zero
  case (_, 1) -> #odd
  case _ -> #even

type maybe 'a = #none | #some a

def find [n] (p: i32 -> bool) (xs: [n]i32) : maybe i64 =
  loop found = #none
  for i < n do
    match found
    case #none -> if p xs[i] then #some i else #none
    case #some _ -> found

entry areas (a: f64) (b: f64) =
  (area (#circle a), area (#box a b), area #nothing)

entry parities (xs: []i32) =
  map (\x -> match classify x case #zero -> 0 case #odd -> 1 case #even -> 2) xs

entry optional (xs: []i32) (x: i32) =
  match find (== x) xs case #some i -> i case #none -> -1
