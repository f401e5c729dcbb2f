-- | The gradient of a sequential loop keeps its state at the start of every iteration, n·s numbers;
-- strip-mined, about 2·√n·s.
--
-- memory: plain_gradient s=1024 n=256: gradient <= 2.1 * primal + 8 * n * s
-- memory: plain_gradient s=1024 n=1024: 8 * n * s <= gradient <= 2.1 * primal + 8 * n * s
-- memory: stripmined_gradient s=1024 n=1024: gradient <= 2.1 * primal + 8 * 2 * 32 * s

def step [s] (i: i64) (x: [s]f64): [s]f64 =
  map2 (\a b -> f64.sin (a + 0.1 * b) + f64.i64 i * 0.001) x (rotate 1 x)

entry generate (s: i64) (n: i64): ([s]f64, i64) = (map (\i -> f64.i64 i / f64.i64 s) (iota s), n)

def plain [s] (n: i64) (x: [s]f64): f64 = f64.sum (loop x for i < n do step i x)
def stripmined [s] (n: i64) (x: [s]f64): f64 =
  f64.sum (#[stripmine(2)] loop x for i < n do step i x)

entry plain_primal [s] (x: [s]f64) (n: i64): f64 = plain n x
entry plain_gradient [s] (x: [s]f64) (n: i64): [s]f64 = vjp (plain n) x 1
entry stripmined_primal [s] (x: [s]f64) (n: i64): f64 = stripmined n x
entry stripmined_gradient [s] (x: [s]f64) (n: i64): [s]f64 = vjp (stripmined n) x 1
