-- | Sorting: `import "/prelude/sort"` gives a module for each type of numbers, `sort_i8` to
-- `sort_f64`, and `merge_sort` for any order.  Everything here is stable: equal elements stay in the
-- order in which they come.
--
-- The order of numbers is total: that of `<=`, with -0 before +0, and NaNs behind infinity, those
-- with a sign last and all of them by their bits.
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
-- pieces, says where the elements of a piece with a digit begin; and each piece hands out places in
-- order.

-- What becomes of a number: another of so many bits in the same order.  No two have the same.
local module type keys = {
  type t
  type key
  val bits : i64

  -- Whether the numbers are integers with a sign.
  val has_sign : bool
  val key : t -> key

  -- The bits from one on that a mask leaves, of a number without a sign in the same order.
  val digit : (shift: i64) -> (mask: i64) -> key -> i64
}

-- A CPU has tasks for such pieces, a GPU blocks of threads, or for short arrays a thread for each.
local def on_gpu () : bool = intrinsics.by_device 0 1 == 1

-- How many bits a digit has.  Wide ones spare passes over elements, but have more values than the nearest
-- cache has lines, in each of which one's elements go on: that pays for many elements.
local def width (bits: i64) (n: i64) : i64 = if bits > 16 && n >= 1 << 16 then 11 else 8

-- How many elements a piece has, for digits of so many values: many beside their counts.
local def length (radix: i64) (n: i64) : i64 = i64.max (8 * radix) (i64.min 131072 (n / 32))

-- How many elements of each piece have each digit.  Neighbours count in different tables: often they
-- have the same digit, and an addition to a count waits for the one before.
local def count_digits [n] 'e (radix: i64)
                       (pieces: i64)
                       (piece: i64)
                       (digit: e -> i64)
                       (elements: [n]e) : *[pieces][radix]u32 =
  tabulate pieces (\p ->
                     let first = p * piece
                     in loop counts = replicate 2 (replicate radix 0)
                        for i < i64.min piece (n - first) do
                          #[unsafe]
                          let d = digit elements[first + i]
                          in counts with [i & 1, d] = counts[i & 1, d] + 1)
  |> map (\counts -> map2 (+) counts[0] counts[1])

-- Where the elements of each piece with each digit begin.
local def starts [pieces] [radix] (counts: [pieces][radix]u32) : [pieces][radix]i64 =
  let lengths = map i64.u32 (flatten (transpose counts))
  in transpose (unflatten (map2 (-) (scan (+) 0 lengths) lengths))

-- The elements where they go: those of a piece with a digit side by side, from a place in `starts` on.
local def distributed [n] [pieces] [radix] 'e (piece: i64)
                      (starts: [pieces][radix]i64)
                      (digit: e -> i64)
                      (elements: [n]e) : *[n]e =
  intrinsics.scatter_stream (#[scratch] (copy elements))
                            (\(out: *intrinsics.acc ([n]e)) p ->
                               let first = p * piece
                               in (loop (out, next) = (out, copy starts[p])
                                   for i < i64.min piece (n - first) do
                                     #[unsafe]
                                     let e = elements[first + i]
                                     let d = digit e
                                     let place = next[d]
                                     let out = intrinsics.acc_write out place e
                                     in (out, next with [d] = place + 1)).0)
                            (iota pieces)

-- The same by digits of `bits` bits, pass by pass, on a CPU.
local def in_order_by_tasks [n] 'e (bits: i64) (digit: i64 -> i64 -> e -> i64) (elements: [n]e) : *[n]e =
  let width = width bits n
  let radix = 1 << width
  let piece = length radix n
  let pieces = i64.max 1 ((n + piece - 1) / piece)
  in copy (loop elements for at < (bits + width - 1) / width do
             let digit = digit (at * width) (radix - 1)
             let counts = count_digits radix pieces piece digit elements
             let all_share (d: i64) =
               i64.sum (map (\of_piece -> #[unsafe] i64.u32 of_piece[d]) counts) == n
             -- A digit that all share changes nothing.
             in if n == 0 || all_share (#[unsafe] digit elements[0])
                then elements
                else distributed piece (starts counts) digit elements)

-- A thread of a GPU counts digits of four bits in registers: two words, with eight bits for each
-- count.  So a piece is short.  Blocks of threads put their pieces into memory of their own first,
-- where pieces of an odd length begin in different banks.
local def thread_piece : i64 = 15

local type thread_counts = (u64, u64)

local def count_in (word: u64) (d: i64) : i64 = i64.u64 ((word >> u64.i64 (8 * (d & 7))) & 255)

local def count_of ((low, high): thread_counts) (d: i64) : i64 =
  count_in (if d < 8 then low else high) d

local def with_one_more ((low, high): thread_counts) (d: i64) : thread_counts =
  let one = 1 << u64.i64 (8 * (d & 7))
  in if d < 8 then (low + one, high) else (low, high + one)

-- The elements in order of one digit.
local def distributed_by_threads [n] 'e (digit: e -> i64) (elements: [n]e) : *[n]e =
  let pieces = (n + thread_piece - 1) / thread_piece
  let at (p: i64) (i: i64) = #[unsafe] elements[i64.min (p * thread_piece + i) (n - 1)]
  let exists (p: i64) (i: i64) = p * thread_piece + i < n
  let (low, high) =
    unzip (tabulate pieces (\p ->
                              loop counts = (0, 0)
                              for i < thread_piece do
                                let more = with_one_more counts (digit (at p i))
                                in if exists p i then more else counts))
  let words = low ++ high
  let count (d: i64) (p: i64) = #[unsafe] count_in words[(d >> 3) * pieces + p] d
  -- Of all pieces with digit 0, then of those with digit 1, …
  let ends =
    scan (+) 0 (tabulate (16 * pieces) (\k -> let d = k / pieces in count d (k - d * pieces)))
  in intrinsics.scatter_stream (#[scratch] (copy elements))
                               (\(out: *intrinsics.acc ([n]e)) p ->
                                  let counts = #[unsafe] (words[p], words[pieces + p])
                                  in (loop (out, before) = (out, (0, 0))
                                      for i < thread_piece do
                                        let e = at p i
                                        let d = digit e
                                        let end = #[unsafe] ends[d * pieces + p]
                                        let first = end - count_of counts d
                                        let place =
                                          if exists p i then first + count_of before d else -1
                                        let out = intrinsics.acc_write out place e
                                        in (out, with_one_more before d)).0)
                               (iota pieces)

-- The same by digits of four bits: of arrays that are short, or have more elements than 32 bits count.
local def in_order_by_threads [n] 'e (bits: i64) (digit: i64 -> i64 -> e -> i64) (elements: [n]e) : *[n]e =
  copy (loop elements for at < (bits + 3) / 4 do
          distributed_by_threads (digit (at * 4) 15) elements)

-- How many elements have each value of each digit of eight bits: all are counted while elements are
-- read once.
local def count_bytes [n] 'e (digits: i64) (digit: i64 -> e -> i64) (elements: [n]e) : [digits][256]u32 =
  unflatten (intrinsics.hist_stream (replicate (digits * 256) 0)
                                    (+)
                                    0
                                    (\(counts: *intrinsics.acc ([]u32)) e ->
                                       loop counts for at < digits do
                                         intrinsics.acc_write counts (256 * at + digit at e) 1)
                                    elements)

-- The elements in order of one digit, where those with each value begin at `starts`.  A GPU cuts this
-- loop in tiles, one for each block of threads, which puts the tile's elements in order in memory
-- of its own and learns from the tiles before where they go.
local def distributed_by_blocks [n] 'e (starts: [256]i64) (digit: e -> i64) (elements: [n]e) : *[n]e =
  intrinsics.scatter_stream (#[scratch] (copy elements))
                            (\(out: *intrinsics.acc ([n]e)) _ ->
                               (loop (out, next) = (out, copy starts)
                                for i < n do
                                  #[unsafe]
                                  let e = elements[i]
                                  let d = digit e
                                  let place = next[d]
                                  let out = intrinsics.acc_write out place e
                                  in (out, next with [d] = place + 1)).0)
                            (iota 1)

-- The same by digits of eight bits: a block's threads have one value each.
local def in_order_by_blocks [n] 'e (bits: i64) (digit: i64 -> i64 -> e -> i64) (elements: [n]e) : *[n]e =
  let digit (at: i64) = digit (at * 8) 255
  let starts =
    map (\counts -> let counts = map i64.u32 counts in map2 (-) (scan (+) 0 counts) counts)
        (count_bytes (bits / 8) digit elements)
  in copy (loop elements for at < bits / 8 do
             distributed_by_blocks (#[unsafe] starts[at]) (digit at) elements)

-- The elements in the order of numbers of `bits` bits; `digit` gives those from one on that a mask
-- leaves.
local def in_order [n] 'e (bits: i64) (digit: i64 -> i64 -> e -> i64) (elements: [n]e) : *[n]e =
  if on_gpu ()
  then if n >= 256 && n < 1 << 32
       then in_order_by_blocks bits digit elements
       else in_order_by_threads bits digit elements
  else in_order_by_tasks bits digit elements

local module mk_sorts (K: keys) : sorts with t = K.t = {
  type t = K.t

  local def digit (shift: i64) (mask: i64) (x: t) = K.digit shift mask (K.key x)

  -- Numbers in order on a CPU.  Outside of parallel code the runtime does this, in vectors.
  #[sorts]
  local def sorted_without_sign [n] (xs: *[n]t) : *[n]t = in_order_by_tasks K.bits digit xs

  #[sorts(signed)]
  local def sorted_with_sign [n] (xs: *[n]t) : *[n]t = in_order_by_tasks K.bits digit xs

  -- A single digit is counted sooner.
  local def sorted [n] (xs: *[n]t) : *[n]t =
    if K.bits == 8
    then in_order_by_tasks K.bits digit xs
    else if K.has_sign then sorted_with_sign xs else sorted_without_sign xs

  -- Keys with their places in one number, whose order is that of the keys and, where these are equal,
  -- of the places.  Digits of the places are left out: they are in order.
  #[sorts]
  local def sorted_with_places [n] (xs: *[n]u64) : *[n]u64 =
    in_order_by_tasks K.bits (\shift mask x -> i64.u64 (x >> u64.i64 (32 + shift)) & mask) xs

  def argsort [n] (xs: [n]t) : *[n]i64 =
    if K.bits <= 32 && n < 1 << 32 && !(on_gpu ())
    then let with_place x i = u64.i64 (K.digit 0 ((1 << K.bits) - 1) (K.key x)) << 32 | u64.i64 i
         in map (\x -> i64.u64 (x & 0xffffffff)) (sorted_with_places (map2 with_place xs (iota n)))
    else map (.1) (in_order K.bits
                            (\shift mask (key, _) -> K.digit shift mask key)
                            (zip (map K.key xs) (iota n)))

  def rank [n] (xs: [n]t) : *[n]i64 = scatter (replicate n 0) (argsort xs) (iota n)

  def sort [n] (xs: [n]t) : *[n]t =
    if on_gpu () then in_order K.bits digit xs else sorted (copy xs)

  def sort_by_key [n] 'a (key: a -> t) (xs: [n]a) : *[n]a = permuted (argsort (map key xs)) xs
}

-- Floats have derivatives, which go where they go: derivatives see floats that are fetched from where
-- they were.
local module mk_sorts_of_floats (K: keys) : sorts with t = K.t = {
  local module numbers = mk_sorts K
  open numbers

  def sort [n] (xs: [n]t) : *[n]t =
    let twins (xs: [n]t) = (xs, permuted (argsort xs) xs, numbers.sort xs)
    let adjoint (xs: [n]t, result_adjoint: [n]t) = permuted (rank xs) result_adjoint
    in copy (intrinsics.with_vjp_twin twins adjoint xs)
}

local module keys_8 = {
  type key = u8
  def bits = 8i64
  def has_sign = false
  def digit (shift: i64) (mask: i64) (key: u8) = i64.u8 (key >> u8.i64 shift) & mask
}

module sort_i8 = mk_sorts {
  open keys_8
  type t = i8
  def key (x: i8) = u8.i8 x ^ 0x80
}

module sort_u8 = mk_sorts {
  open keys_8
  type t = u8
  def key (x: u8) = x
}

local module keys_16 = {
  type key = u16
  def bits = 16i64
  def has_sign = false
  def digit (shift: i64) (mask: i64) (key: u16) = i64.u16 (key >> u16.i64 shift) & mask
}

module sort_i16 = mk_sorts {
  type t = i16
  type key = i16
  def bits = 16i64
  def has_sign = true
  def key (x: i16) = x

  def digit (shift: i64) (mask: i64) (key: i16) =
    keys_16.digit shift mask (u16.i16 key ^ 0x8000)
}

module sort_u16 = mk_sorts {
  open keys_16
  type t = u16
  def key (x: u16) = x
}

local module keys_32 = {
  type key = u32
  def bits = 32i64
  def has_sign = false
  def digit (shift: i64) (mask: i64) (key: u32) = i64.u32 (key >> u32.i64 shift) & mask
}

module sort_i32 = mk_sorts {
  type t = i32
  type key = i32
  def bits = 32i64
  def has_sign = true
  def key (x: i32) = x

  def digit (shift: i64) (mask: i64) (key: i32) =
    keys_32.digit shift mask (u32.i32 key ^ 0x80000000)
}

module sort_u32 = mk_sorts {
  open keys_32
  type t = u32
  def key (x: u32) = x
}

local module keys_64 = {
  type key = u64
  def bits = 64i64
  def has_sign = false
  def digit (shift: i64) (mask: i64) (key: u64) = i64.u64 (key >> u64.i64 shift) & mask
}

module sort_i64 = mk_sorts {
  type t = i64
  type key = i64
  def bits = 64i64
  def has_sign = true
  def key (x: i64) = x

  def digit (shift: i64) (mask: i64) (key: i64) =
    keys_64.digit shift mask (u64.i64 key ^ 0x8000000000000000)
}

module sort_u64 = mk_sorts {
  open keys_64
  type t = u64
  def key (x: u64) = x
}

-- The bits of negative numbers grow with their size: they are turned round.  -infinity becomes 0, and
-- what was below it, NaNs with a sign, the largest.
module sort_f16 = mk_sorts_of_floats {
  open keys_16
  type t = f16

  def lowest = 0x03ffu16

  def key (x: f16) =
    let bits = f16.to_bits x
    in (bits ^ (u16.i16 (i16.u16 bits >> 15) | 0x8000)) - lowest
}

module sort_f32 = mk_sorts_of_floats {
  open keys_32
  type t = f32

  def lowest = 0x007fffffu32

  def key (x: f32) =
    let bits = f32.to_bits x
    in (bits ^ (u32.i32 (i32.u32 bits >> 31) | 0x80000000)) - lowest
}

module sort_f64 = mk_sorts_of_floats {
  open keys_64
  type t = f64

  def lowest = 0x000fffffffffffffu64

  def key (x: f64) =
    let bits = f64.to_bits x
    in (bits ^ (u64.i64 (i64.u64 bits >> 63) | 0x8000000000000000)) - lowest
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
