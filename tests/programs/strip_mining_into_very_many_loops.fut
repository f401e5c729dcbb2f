-- A request for more nested loops than are of use makes as many as are.
-- ==
-- entry: same
-- input { 0.5f64 10i64 } output { true }
def f (n: i64) (x: f64) : f64 = loop y = x for i < n do y * f64.sin (y + f64.i64 i)

def g (n: i64) (x: f64) : f64 =
  #[stripmine(99999999999)] loop y = x for i < n do y * f64.sin (y + f64.i64 i)

entry same (x: f64) (n: i64) : bool = f64.abs (vjp (f n) x 1 - vjp (g n) x 1) < 1e-12
