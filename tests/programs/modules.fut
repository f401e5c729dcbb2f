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

-- ==
-- entry: faded
-- input { [true, false] 3 } output { [true, false] [13, 3] }

-- ==
-- entry: four_deep
-- input { 5 } output { 1234i64 5 }

module type counter = {
  type t
  val zero : t
  val tick : t -> t
  val value : t -> i32
}

module by_one : counter = {
  type t = i32
  def zero = 0i32
  def tick (x: t) = x + 1
  def value (x: t) = x
}

module by_two : counter = {
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

module type monoid = {type t val zero : t val add : t -> t -> t}
module sum_of (M: monoid) = {def sum (xs: []M.t) = reduce M.add M.zero xs}
module sum_i32 = sum_of {type t = i32 def zero = 0i32 def add (x: i32) (y: i32) = x + y}
module sum_f64 = sum_of {type t = f64 def zero = 0f64 def add (x: f64) (y: f64) = x + y}

entry counters (n: i32) = (run_one.times n, run_two.times n)
entry sums (a: []i32) (b: []f64) = (sum_i32.sum a, sum_f64.sum b)
entry local_open (x: f64) = f64.(sqrt (x ** i32 4))

-- Parametric modules of several parameters, of which the later speak of the earlier ones.
module type cells = {type cell val init : bool -> cell}

module type world = {
  type cell
  val init [n] : [n]bool -> [n]cell
  val step [n] : [n]cell -> [n]cell
}

module world_of (R: {type cell val step : cell -> cell}) (C: cells with cell = R.cell) : world with cell = R.cell = {
  type cell = R.cell
  def init [n] (alive: [n]bool) : [n]cell = map C.init alive
  def step [n] (cells: [n]cell) : [n]cell = map R.step cells
}

module fading
  (Speed: {val speed : i32})
  (R: {type cell val step : cell -> cell})
  (C: cells with cell = R.cell) = {
  module with_age : world = {
    type cell = (R.cell, i32)

    open (world_of {
            type cell = cell
            def step ((c, age): cell) = (R.step c, age + Speed.speed)
          } {
            type cell = cell
            def init (b: bool) : cell = (C.init b, if b then 10 else 0)
          })
  }

  type cell = with_age.cell
  def run [n] (alive: [n]bool) (k: i32) = loop w = with_age.init alive for _i < k do with_age.step w
  module inner = R
}

module fade = fading {def speed = 1i32}
module fade_bool = fade {type cell = bool def step (c: cell) = c}
module faded_bool = fade_bool {type cell = bool def init (b: bool) = b}

module four
  (A: {type t val x : t})
  (B: {type t val f : A.t -> t})
  (C: {val g : B.t -> i64})
  (D: {type t val h : i64 -> A.t -> t}) : {type t val result : t} = {
  type t = D.t
  def result = D.h (C.g (B.f A.x)) A.x
}

module four_1 = four {type t = i32 def x = 4i32}
module four_2 = four_1 {type t = {y: i32} def f (x: i32) = {y = x + 30}}
module four_3 = four_2 {def g (b: {y: i32}) = i64.i32 b.y + 200}
module four_4 = four_3 {type t = i64 def h (a: i64) (_: i32) = a + 1000}

entry faded [n] (alive: [n]bool) (k: i32) = faded_bool.run alive k
entry four_deep (x: i32) = (four_4.result, x)
