-- | Sorting: `import "/prelude/sort"` gives a module for each type of numbers, `sort_i8` to
-- `sort_f64`, and `merge_sort` for any order.  Everything here is stable: equal elements stay in the
-- order in which they come.
--
-- The order of numbers is total: that of `<=`, with -0 before +0, and NaNs, which count as equal,
-- behind infinity.
--
-- Sorting is differentiable: the derivatives of the elements go where the elements go.  The order
-- itself has no derivative.

-- | What the module of a type of numbers has.
module type sorts = {
  -- | The numbers.
  type t

  -- | The elements in ascending order.
  val sort [n] : (xs: [n]t) -> *[n]t

  -- | Where each element of the sorted array is in `xs`.
  val argsort [n] : (xs: [n]t) -> *[n]i64

  -- | Where each element of `xs` is in the sorted array.
  val rank [n] : (xs: [n]t) -> *[n]i64

  -- | `xs` in ascending order of the keys that `key` gives.
  val sort_by_key [n] 'a : (key: a -> t) -> (xs: [n]a) -> *[n]a
}

-- The elements at these positions, all of which there are.
local def permuted [n] 'a (order: [n]i64) (xs: [n]a) : *[n]a =
  map (\i -> #[unsafe] xs[i]) order

-- ---------------------------------------------------------------- numbers
--
-- Radix sort (Knuth, The Art of Computer Programming 3, 5.2.5), digit by digit from the least.  The
-- array is cut in pieces.  Each counts its digits; a scan over digits, and for each over the
-- pieces, says where the first element with a digit of a piece goes; and each piece hands out places
-- in order.

-- What becomes of a number: an unsigned one in the same order, looked at in digits of a byte.
local module type digits = {
  type t
  type key
  val key : t -> key
  val digit : i64 -> key -> i64
  val count : i64
}

local def radix : i64 = 256

-- How many elements of each piece have each digit.
local def count_digits [n] 'e (pieces: i64)
                       (piece: i64)
                       (digit: e -> i64)
                       (elements: [n]e) : *[pieces][radix]i64 =
  tabulate pieces (\p ->
                     let first = p * piece
                     in loop counts = replicate radix 0
                        for i < i64.min piece (n - first) do
                          #[unsafe]
                          let d = digit elements[first + i]
                          in counts with [d] = counts[d] + 1)

-- The elements where they go; `next` says it of the first with each digit of each piece.
local def distributed [n] [pieces] 'e (piece: i64)
                      (next: [pieces][radix]i64)
                      (digit: e -> i64)
                      (elements: [n]e) : *[n]e =
  intrinsics.scatter_stream (copy elements)
                            (\(out: *intrinsics.acc ([n]e)) p ->
                               let first = p * piece
                               in (loop (out, next) = (out, copy next[p])
                                   for i < i64.min piece (n - first) do
                                     #[unsafe]
                                     let e = elements[first + i]
                                     let d = digit e
                                     let place = next[d]
                                     let out = intrinsics.acc_write out place e
                                     in (out, next with [d] = place + 1)).0)
                            (iota pieces)

-- The elements in the order of numbers of `count` digits; `digit` gives the one at a place.
local def in_order [n] 'e (count: i64) (digit: i64 -> e -> i64) (elements: *[n]e) : *[n]e =
  -- Enough pieces for many threads, but long beside their counts.
  let piece = i64.max 4096 (i64.min 65536 (n / 32))
  let pieces = (n + piece - 1) / piece
  in loop elements for at < count do
       let counts = transpose (count_digits pieces piece (digit at) elements)
       -- A digit that all share changes nothing.
       in if any (\one -> i64.sum one == n) counts
          then elements
          else let firsts = unflatten (exscan (+) 0 (flatten counts))
               in distributed piece (transpose firsts) (digit at) elements

-- Equal integers are the same, so that they can be made of their keys again.
local module type integers = {
  include digits
  val number : key -> t
}

local module mk_sorts (D: digits) : sorts with t = D.t = {
  type t = D.t

  def argsort [n] (xs: [n]t) : *[n]i64 =
    map (.1) (in_order D.count (\at (key, _) -> D.digit at key) (zip (map D.key xs) (iota n)))

  def rank [n] (xs: [n]t) : *[n]i64 = scatter (replicate n 0) (argsort xs) (iota n)
  def sort [n] (xs: [n]t) : *[n]t = permuted (argsort xs) xs
  def sort_by_key [n] 'a (key: a -> t) (xs: [n]a) : *[n]a = permuted (argsort (map key xs)) xs
}

local module mk_sorts_of_integers (D: integers) : sorts with t = D.t = {
  open mk_sorts D

  def sort [n] (xs: [n]t) : *[n]t = map D.number (in_order D.count D.digit (map D.key xs))
}

-- Numbers that have more than their keys, derivatives and the payload of a NaN, move themselves.
local module mk_sorts_of_floats (D: digits) : sorts with t = D.t = {
  open mk_sorts D

  def sort [n] (xs: [n]t) : *[n]t =
    let moved (xs: [n]t) = in_order D.count (\at x -> D.digit at (D.key x)) (copy xs)
    in copy (with_vjp_tape (\xs -> (xs, moved xs))
                           (\(xs, adjoint: [n]t) -> permuted (rank xs) adjoint)
                           xs)
}

module sort_i8 = mk_sorts_of_integers {
  type t = i8
  type key = u8
  def count = 1i64
  def key (x: i8) = u8.i8 x ^ 0x80
  def number (key: u8) = i8.u8 (key ^ 0x80)
  def digit (_: i64) (key: u8) = i64.u8 key
}

module sort_u8 = mk_sorts_of_integers {
  type t = u8
  type key = u8
  def count = 1i64
  def key (x: u8) = x
  def number (key: u8) = key
  def digit (_: i64) (key: u8) = i64.u8 key
}

local module digits_16 = {
  type key = u16
  def count = 2i64
  def digit (at: i64) (key: u16) = i64.u16 ((key >> u16.i64 (8 * at)) & 255)
}

module sort_i16 = mk_sorts_of_integers {
  open digits_16
  type t = i16
  def key (x: i16) = u16.i16 x ^ 0x8000
  def number (key: u16) = i16.u16 (key ^ 0x8000)
}

module sort_u16 = mk_sorts_of_integers {
  open digits_16
  type t = u16
  def key (x: u16) = x
  def number (key: u16) = key
}

local module digits_32 = {
  type key = u32
  def count = 4i64
  def digit (at: i64) (key: u32) = i64.u32 ((key >> u32.i64 (8 * at)) & 255)
}

module sort_i32 = mk_sorts_of_integers {
  open digits_32
  type t = i32
  def key (x: i32) = u32.i32 x ^ 0x80000000
  def number (key: u32) = i32.u32 (key ^ 0x80000000)
}

module sort_u32 = mk_sorts_of_integers {
  open digits_32
  type t = u32
  def key (x: u32) = x
  def number (key: u32) = key
}

local module digits_64 = {
  type key = u64
  def count = 8i64
  def digit (at: i64) (key: u64) = i64.u64 ((key >> u64.i64 (8 * at)) & 255)
}

module sort_i64 = mk_sorts_of_integers {
  open digits_64
  type t = i64
  def key (x: i64) = u64.i64 x ^ 0x8000000000000000
  def number (key: u64) = i64.u64 (key ^ 0x8000000000000000)
}

module sort_u64 = mk_sorts_of_integers {
  open digits_64
  type t = u64
  def key (x: u64) = x
  def number (key: u64) = key
}

-- The bits of negative numbers grow with their size: they are turned round.
module sort_f16 = mk_sorts_of_floats {
  open digits_16
  type t = f16

  def key (x: f16) =
    let bits = f16.to_bits x
    in if f16.isnan x
       then u16.highest
       else if bits >> 15 == 1 then !bits else bits | 0x8000
}

module sort_f32 = mk_sorts_of_floats {
  open digits_32
  type t = f32

  def key (x: f32) =
    let bits = f32.to_bits x
    in if f32.isnan x
       then u32.highest
       else if bits >> 31 == 1 then !bits else bits | 0x80000000
}

module sort_f64 = mk_sorts_of_floats {
  open digits_64
  type t = f64

  def key (x: f64) =
    let bits = f64.to_bits x
    in if f64.isnan x
       then u64.highest
       else if bits >> 63 == 1 then !bits else bits | 0x8000000000000000
}

-- ---------------------------------------------------------------- any order
--
-- Merge sort of positions in the array.  A task writes a part of the merged runs: where it begins
-- in the two runs is found by a binary search (Odeh, Green, Mwassi, Shmueli and Birk, Merge Path,
-- 2012).

local def part : i64 = 512

-- What is left to merge: positions from `a` and from `b`, and where these runs end.
local type runs = {a: i64, a_end: i64, b: i64, b_end: i64}

-- The runs of `width` elements that are merged to what begins at `first`, of `n` elements.
local def runs_at (n: i64) (width: i64) (first: i64) : runs =
  let middle = i64.min n (first + width)
  in {a = first, a_end = middle, b = middle, b_end = i64.min n (middle + width)}

-- What is left of the runs behind the first `count` elements of the merged run; an element of the
-- first run comes before one of the second that is equal.
local def behind (precedes: i64 -> i64 -> bool) (count: i64) (runs: runs) : runs =
  let least = i64.max 0 (count - (runs.b_end - runs.b))
  let (from_a, _) =
    loop (low, high) = (least, i64.min count (runs.a_end - runs.a))
    while low < high do
      let middle = (low + high) / 2
      in if precedes (runs.a + middle) (runs.b + count - 1 - middle)
         then (middle + 1, high)
         else (low, middle)
  in runs with a = runs.a + from_a with b = runs.b + (count - from_a)

-- The part from position `first` of the runs merged by twos: of each element, where it was.
local def merged (n: i64) (precedes: i64 -> i64 -> bool) (width: i64) (first: i64) : *[part]i64 =
  let begin = first - first % (2 * width)
  let start = behind precedes (first - begin) (runs_at n width begin)
  in (loop (runs, row) = (start, replicate part 0)
      for k < i64.min part (n - first) do
        let at = first + k
        let runs = if at % (2 * width) == 0 then runs_at n width at else runs
        in if runs.a < runs.a_end && (runs.b >= runs.b_end || precedes runs.a runs.b)
           then (runs with a = runs.a + 1, row with [k] = runs.a)
           else (runs with b = runs.b + 1, row with [k] = runs.b)).1

-- | `xs` in the order `precedes`: whether its first argument may stand before the second, as with
-- `(<=)`.
def merge_sort [n] 't (precedes: t -> t -> bool) (xs: [n]t) : *[n]t =
  let parts = (n + part - 1) / part
  -- Parts by themselves first: their positions stay in the cache.
  let short =
    tabulate parts (\p ->
                      let first = p * part
                      let count = i64.min part (n - first)
                      in (loop (order, width) = (map (+ first) (iota part), 1)
                          while width < count do
                            let at (i: i64) = #[unsafe] order[i]
                            let by_position a b = #[unsafe] precedes xs[at a] xs[at b]
                            in (map at (merged count by_position width 0), 2 * width)).0)
  let (order, _) =
    loop (order, width) = (flatten short, part)
    while width < n do
      let at (i: i64) = #[unsafe] order[i]
      let by_position a b = #[unsafe] precedes xs[at a] xs[at b]
      in ( flatten (tabulate parts (\p -> map at (merged n by_position width (p * part))))
         , 2 * width
         )
  in permuted (take n order) xs
