-- Modules with abstract types, parametric modules applied twice, and local opens.
-- ==
-- entry: counters
-- input { 3 } output { 3 6 }

-- ==
-- entry: sums
-- input { [1, 2, 3] [1.5, 2.5] } output { 6 4.0 }

-- ==
-- entry: local_open
-- input { 2.0 } output { 4.0 }

module type counter = {
  type t
  val zero: t
  val tick: t -> t
  val value: t -> i32
}
module by_one: counter = {
  type t = i32
  def zero = 0i32
  def tick (x: t) = x + 1
  def value (x: t) = x
}
module by_two: counter = {
  type t = {count: i32}
  def zero = {count = 0i32}
  def tick (x: t) = {count = x.count + 2}
  def value (x: t) = x.count
}
module run (C: counter) = {
  def times (n: i32) = C.value (loop c = C.zero for _i < n do C.tick c)
}
module run_one = run by_one
module run_two = run by_two

module type monoid = { type t val zero: t val add: t -> t -> t }
module sum_of (M: monoid) = { def sum (xs: []M.t) = reduce M.add M.zero xs }
module sum_i32 = sum_of { type t = i32 def zero = 0i32 def add (x: i32) (y: i32) = x + y }
module sum_f64 = sum_of { type t = f64 def zero = 0f64 def add (x: f64) (y: f64) = x + y }

entry counters (n: i32) = (run_one.times n, run_two.times n)
entry sums (a: []i32) (b: []f64) = (sum_i32.sum a, sum_f64.sum b)
entry local_open (x: f64) = f64.(sqrt (x ** i32 4))
