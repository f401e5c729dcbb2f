-- More tangents than are put side by side share the values of the function: also where it consumes
-- arrays of its own, reads them before that, or branches.
-- ==
-- entry: agrees
-- input { [0.5, -1.0, 2.0, 0.25] } output { true true true true }

def units (n: i64) : [n][n]f64 = tabulate_2d n n (\i j -> f64.bool (i == j))

def smooth [n] (x: [n]f64) : [n]f64 =
  let squares = map (\a -> a * a) x
  let total = f64.sum squares
  in map (\s -> f64.sin s / total) squares

-- `before` reads an array that is overwritten after; the sum sees both.
def consuming [n] (x: [n]f64) : [n]f64 =
  let a = map (* 2) x
  let front = a[0:2]
  let before = f64.product front
  let a = copy a with [0] = before * a[1]
  let a = loop a for i < n - 1 do a with [i + 1] = a[i] * a[i + 1]
  in map (+ before) a

def overwriting [n] (x: [n]f64) : [n]f64 =
  let a = map (* 3) x
  let seen = a[0] * a[1]
  let a[1] = seen * seen
  let a[0] = f64.exp a[1]
  in map (* seen) a

def branching [n] (x: [n]f64) : [n]f64 =
  let y = map (\a -> a * a * a) x
  let z = if f64.sum x > 0 then map (* 2) y else x
  in map2 (*) y z

def is_jacobian [n] (f: [n]f64 -> [n]f64) (x: [n]f64) : bool =
  let padded = units n ++ units n ++ units n
  let all = jmp f x padded
  let one_by_one = map (\unit -> jvp f x unit) padded
  let close a b = f64.abs (a - b) <= 1e-12 * f64.max 1 (f64.abs b)
  in and (map2 close (flatten all) (flatten one_by_one))

entry agrees (x: []f64) : (bool, bool, bool, bool) =
  (is_jacobian smooth x, is_jacobian consuming x, is_jacobian overwriting x, is_jacobian branching x)
