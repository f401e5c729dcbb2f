-- | The gradient of a sequential loop keeps its state at the start of every iteration, n·s numbers;
-- strip-mined, about 2·√n·s.
--
-- memory: plain_gradient s=1024 n=256: gradient <= 2.1 * primal + 8 * n * s
-- memory: plain_gradient s=1024 n=1024: 8 * n * s <= gradient <= 2.1 * primal + 8 * n * s
-- memory: stripmined_gradient s=1024 n=1024: gradient <= 2.1 * primal + 8 * 2 * 32 * s
-- memory: stripmined_gradient s=1024 n=4096: gradient <= 2.1 * primal + 8 * 2 * 64 * s
-- memory: stripmined_3_gradient s=1024 n=4096: gradient <= 3 * primal + 8 * 3 * 16 * s
--
-- A `while` keeps as much, and a number for each iteration; its bound says how many there may be.
--
-- memory: while_gradient s=1024 n=256: 8 * n * s <= gradient <= 2.2 * primal + 8 * n * (s + 2)
-- memory: bounded_gradient s=1024 n=256: 8 * n * s <= gradient <= 2.2 * primal + 8 * n * (s + 2)
-- memory: generous_gradient s=1024 n=256: 8 * 2 * n * s <= gradient <= 2.2 * primal + 8 * 2 * n * (s + 2)
-- memory: stripmined_while_gradient s=1024 n=1024: gradient <= 2.2 * primal + 8 * 2 * 33 * (s + 2)
-- memory: stripmined_bound_gradient s=1024 n=1024: gradient <= 2.2 * primal + 8 * 2 * 33 * (s + 2)
--
-- A loop inside a loop keeps its states for one iteration of the outer one; for all of them if the
-- program says so.
--
-- memory: nested_gradient s=1024 n=64: 8 * 2 * n * s <= gradient <= 3.1 * primal + 8 * 2 * n * s
-- memory: kept_gradient s=1024 n=64: 8 * n * n * s <= gradient <= 2.1 * primal + 8 * n * n * s
--
-- What a step needs of the state after it, is the next step's.
--
-- memory: squashed_gradient s=1024 n=63: 8 * n * s <= gradient <= 2.1 * primal + 8 * (n + 1) * s
--
-- A loop over the rows of the outer loop's array keeps a row in each iteration, for all iterations of
-- the outer loop, which itself keeps nothing then.
--
-- memory: rows_gradient s=64 n=128: 8 * n * n * s <= gradient <= 3.1 * primal + 8 * n * n * s
--
-- Of an array that is read and written element by element, what is read is kept.
--
-- memory: elements_gradient s=1 n=4096: gradient <= 3.1 * primal + 8 * n
--
-- Nothing is kept of an array that the loop only fills, if the program says so: n·s·n otherwise.
--
-- memory: filled_gradient s=64 n=256: gradient <= 2.1 * primal
-- memory: undeclared_gradient s=64 n=256: 8 * n * n * s <= gradient

def step [s] (i: i64) (x: [s]f64) : *[s]f64 =
  map2 (\a b -> f64.sin (a + 0.1 * b) + f64.i64 i * 0.001) x (rotate 1 x)

entry generate (s: i64) (n: i64) : ([s]f64, i64) = (map (\i -> f64.i64 i / f64.i64 s) (iota s), n)

def plain [s] (n: i64) (x: [s]f64) : f64 = f64.sum (loop x for i < n do step i x)

def stripmined [s] (n: i64) (x: [s]f64) : f64 =
  f64.sum (#[stripmine(2)] loop x for i < n do step i x)

entry plain_primal [s] (x: [s]f64) (n: i64) : f64 = plain n x
entry plain_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (plain n) x 1
entry stripmined_primal [s] (x: [s]f64) (n: i64) : f64 = stripmined n x
entry stripmined_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (stripmined n) x 1

def stripmined_3 [s] (n: i64) (x: [s]f64) : f64 =
  f64.sum (#[stripmine(3)] loop x for i < n do step i x)

entry stripmined_3_primal [s] (x: [s]f64) (n: i64) : f64 = stripmined_3 n x
entry stripmined_3_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (stripmined_3 n) x 1

def unbounded [s] (n: i64) (x: [s]f64) : f64 =
  f64.sum (loop (x, i) = (x, 0) while i < n do (step i x, i + 1)).0

def bounded [s] (n: i64) (x: [s]f64) : f64 =
  f64.sum (#[bound(n)] loop (x, i) = (x, 0) while i < n do (step i x, i + 1)).0

def generous [s] (n: i64) (x: [s]f64) : f64 =
  let twice = 2 * n
  in f64.sum (#[bound(twice)] loop (x, i) = (x, 0) while i < n do (step i x, i + 1)).0

def stripmined_while [s] (n: i64) (x: [s]f64) : f64 =
  f64.sum (#[stripmine(2)] loop (x, i) = (x, 0) while i < n do (step i x, i + 1)).0

def stripmined_bound [s] (n: i64) (x: [s]f64) : f64 =
  f64.sum (#[bound(n)] #[stripmine(2)] loop (x, i) = (x, 0) while i < n do (step i x, i + 1)).0

entry while_primal [s] (x: [s]f64) (n: i64) : f64 = unbounded n x
entry while_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (unbounded n) x 1
entry bounded_primal [s] (x: [s]f64) (n: i64) : f64 = bounded n x
entry bounded_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (bounded n) x 1
entry generous_primal [s] (x: [s]f64) (n: i64) : f64 = generous n x
entry generous_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (generous n) x 1

entry stripmined_while_primal [s] (x: [s]f64) (n: i64) : f64 = stripmined_while n x
entry stripmined_while_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (stripmined_while n) x 1
entry stripmined_bound_primal [s] (x: [s]f64) (n: i64) : f64 = stripmined_bound n x
entry stripmined_bound_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (stripmined_bound n) x 1

def nested [s] (n: i64) (x: [s]f64) : f64 =
  f64.sum (loop x for i < n do loop x for j < n do step (i + j) x)

entry nested_primal [s] (x: [s]f64) (n: i64) : f64 = nested n x
entry nested_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (nested n) x 1

-- | Row i is computed of the row before it.
def next [s] [m] (x: [s]f64) (rows: [m][s]f64) (i: i64) : *[s]f64 =
  step i (if i == 0 then x else copy rows[i - 1])

def filled [s] (n: i64) (x: [s]f64) : f64 =
  let rows =
    loop #[true_dep] rows = replicate n (replicate s 0)
    for i < n do
      rows with [i] = next x rows i
  in f64.sum (map f64.sum rows)

def undeclared [s] (n: i64) (x: [s]f64) : f64 =
  let rows = loop rows = replicate n (replicate s 0) for i < n do rows with [i] = next x rows i
  in f64.sum (map f64.sum rows)

entry filled_primal [s] (x: [s]f64) (n: i64) : f64 = filled n x
entry filled_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (filled n) x 1
entry undeclared_primal [s] (x: [s]f64) (n: i64) : f64 = undeclared n x
entry undeclared_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (undeclared n) x 1

def kept [s] (n: i64) (x: [s]f64) : f64 =
  f64.sum (#[keep] loop x for i < n do loop x for j < n do step (i + j) x)

entry kept_primal [s] (x: [s]f64) (n: i64) : f64 = kept n x
entry kept_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (kept n) x 1

def squashed [s] (n: i64) (x: [s]f64) : f64 =
  f64.sum (#[keep] loop x for _i < n do map (\a -> f64.tanh (a * 1.1 + 0.1)) x)

entry squashed_primal [s] (x: [s]f64) (n: i64) : f64 = squashed n x
entry squashed_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (squashed n) x 1

def by_rows [s] (n: i64) (x: [s]f64) : f64 =
  let rows =
    loop rows = replicate n x
    for i < n do
      loop rows for j < n do rows with [j] = map (\a -> f64.sin (a * x[i % s] + f64.i64 j)) rows[j]
  in f64.sum (map f64.sum rows)

entry rows_primal [s] (x: [s]f64) (n: i64) : f64 = by_rows n x
entry rows_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (by_rows n) x 1

def by_elements [s] (n: i64) (x: [s]f64) : f64 =
  let ys = loop ys = replicate n x[0] for i < n - 1 do ys with [i + 1] = f64.sin (ys[i] * ys[i + 1])
  in f64.sum ys

entry elements_primal [s] (x: [s]f64) (n: i64) : f64 = by_elements n x
entry elements_gradient [s] (x: [s]f64) (n: i64) : [s]f64 = vjp (by_elements n) x 1
