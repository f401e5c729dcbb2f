-- What the derivatives of a function must satisfy, for the tests of each rule of differentiation.

-- Numbers that depend on their places.
def weighted [n] (ys: [n]f64) : f64 = f64.sum (map2 (\i y -> (1 + 0.25 * f64.i64 i) * y) (iota n) ys)

-- Forward mode is central differences; reverse mode is forward mode transposed; a zero cotangent
-- gives zeros; seeds side by side give what each gives alone.
def properties (f: [4]f64 -> f64) (x: [4]f64) : (bool, bool, bool, bool) =
  let close (e: f64) (a: f64) (b: f64) = f64.abs (a - b) <= e * (1 + f64.abs a + f64.abs b)
  let v = [0.7, -0.4, 1.1, 0.3]
  let at h = f (map2 (\a b -> a + h * b) x v)
  let along = jvp f x v
  let adjoints = vjp f x 1.5
  let many = mjp f x [1.5, 0]
  in ( close 1e-6 along ((at 1e-5 - at (-1e-5)) / 2e-5)
     , close 1e-10 (f64.sum (map2 (*) adjoints v)) (1.5 * along)
     , and (map (== 0) (vjp f x 0))
     , and (map2 (close 1e-12) many[0] adjoints) && and (map (== 0) many[1])
     )
