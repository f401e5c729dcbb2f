-- | Second-order array operations: the parallelism of the language.  Operators given to `reduce`,
-- `scan` and the histograms must be associative and have the neutral element that is given with
-- them; `reduce_comm` and the histograms need a commutative operator too.

-- | Applies a function to every element.
def map 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x =
  intrinsics.map f as

-- | The same as `map`.
def map1 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x =
  intrinsics.map f as

-- | Applies a function to the elements of two arrays, position by position.
def map2 'a 'b [n] 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b) : *[n]x =
  intrinsics.map (\(a, b) -> f a b) (intrinsics.zip as bs)

-- | `map2` for three arrays.
def map3 'a 'b 'c [n] 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n]x =
  intrinsics.map (\(a, (b, c)) -> f a b c) (intrinsics.zip as (intrinsics.zip bs cs))

-- | `map2` for four arrays.
def map4 'a 'b 'c 'd [n] 'x
         (f: a -> b -> c -> d -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n]x =
  intrinsics.map (\((a, b), (c, d)) -> f a b c d)
                 (intrinsics.zip (intrinsics.zip as bs) (intrinsics.zip cs ds))

-- | `map2` for five arrays.
def map5 'a 'b 'c 'd 'e [n] 'x
         (f: a -> b -> c -> d -> e -> x)
         (as: [n]a)
         (bs: [n]b)
         (cs: [n]c)
         (ds: [n]d)
         (es: [n]e) : *[n]x =
  intrinsics.map (\((a, b), (c, (d, e))) -> f a b c d e)
                 (intrinsics.zip (intrinsics.zip as bs)
                                 (intrinsics.zip cs (intrinsics.zip ds es)))

-- | Combines all elements; the neutral element if there are none.
def reduce [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a =
  intrinsics.reduce op ne as

-- | `reduce` for an operator that is also commutative, which can be faster.
def reduce_comm [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a =
  intrinsics.reduce_comm op ne as

-- | All inclusive prefix combinations: element `i` combines the elements up to and with `i`.
def scan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a =
  intrinsics.scan op ne as

-- | All exclusive prefix combinations: element `i` combines the elements before `i`.
def exscan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a =
  intrinsics.scatter (intrinsics.replicate n ne)
                     (intrinsics.map (\i -> i + 1) (intrinsics.iota n))
                     (intrinsics.scan op ne as)

-- | A histogram with `k` bins.  Element `i` of `as` is combined into bin `is[i]`; an index that
-- is no bin is ignored, and a bin without elements holds the neutral element.
def hist 'a [n] (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.hist_1d (intrinsics.replicate k ne) op ne is as

-- | A histogram that starts from the values in `dest`.
def reduce_by_index 'a [k] [n]
                    (dest: *[k]a) (op: a -> a -> a) (ne: a) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.hist_1d dest op ne is as

-- | `reduce_by_index` with bins in two dimensions.
def reduce_by_index_2d 'a [k] [n] [m]
                       (dest: *[k][m]a)
                       (op: a -> a -> a)
                       (ne: a)
                       (is: [n](i64, i64))
                       (as: [n]a) : *[k][m]a =
  intrinsics.hist_2d dest op ne is as

-- | `reduce_by_index` with bins in three dimensions.
def reduce_by_index_3d 'a [k] [n] [m] [l]
                       (dest: *[k][m][l]a)
                       (op: a -> a -> a)
                       (ne: a)
                       (is: [n](i64, i64, i64))
                       (as: [n]a) : *[k][m][l]a =
  intrinsics.hist_3d dest op ne is as

-- | Whether the predicate holds of every element.
def all [n] 'a (p: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce_comm (\x y -> x && y) true (intrinsics.map p as)

-- | Whether the predicate holds of some element.
def any [n] 'a (p: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce_comm (\x y -> x || y) false (intrinsics.map p as)

-- | An array of `k` elements that holds `vs[i]` at position `is[i]`, and `x` wherever nothing is
-- written.  An index that is no position is ignored; which value stays when several have the
-- same index is not specified.
def spread 't [n] (k: i64) (x: t) (is: [n]i64) (vs: [n]t) : *[k]t =
  intrinsics.scatter (intrinsics.replicate k x) is vs

-- | Writes `vs[i]` to position `is[i]` of `dest`, with the rules of `spread`.
def scatter 't [k] [n] (dest: *[k]t) (is: [n]i64) (vs: [n]t) : *[k]t =
  intrinsics.scatter dest is vs

-- | `scatter` into an array of two dimensions.
def scatter_2d 't [k] [n] [l] (dest: *[k][n]t) (is: [l](i64, i64)) (vs: [l]t) : *[k][n]t =
  intrinsics.scatter_2d dest is vs

-- | `scatter` into an array of three dimensions.
def scatter_3d 't [k] [n] [o] [l]
               (dest: *[k][n][o]t) (is: [l](i64, i64, i64)) (vs: [l]t) : *[k][n][o]t =
  intrinsics.scatter_3d dest is vs

-- | The elements that satisfy the predicate, in their order.
def filter [n] 'a (p: a -> bool) (as: [n]a) : *[]a =
  intrinsics.filter p as

-- | The elements that satisfy the predicate, and those that do not, both in their order.
def partition [n] 'a (p: a -> bool) (as: [n]a) : ?[k].([k]a, [n - k]a) =
  intrinsics.partition p as

-- | The elements that satisfy the first predicate, those of the others that satisfy the second,
-- and the rest, each in their order.
def partition2 [n] 'a
               (p1: a -> bool) (p2: a -> bool) (as: [n]a) : ?[k][l].([k]a, [l]a, [n - k - l]a) =
  let (firsts, others) = intrinsics.partition p1 as
  let (seconds, rest) = intrinsics.partition p2 others
  in (firsts, seconds, rest)

-- | Applies a function whose results have different lengths and puts them one behind another.
-- The function also returns a value of fixed size for each element.  The results are: the length
-- of each piece, a flag at the first element of each piece, where each piece starts, the pieces
-- themselves, and the values of fixed size.
def flatmap [n] 'a 'b 'c
            (f: a -> ?[k].([k]b, c)) (as: [n]a) : ?[m].([n]i64, [m]bool, [n]i64, [m]b, [n]c) =
  intrinsics.flatmap f as

-- | `flatmap` for functions without a value of fixed size.
def flatmap' [n] 'a 'b
             (f: a -> ?[k].[k]b) (as: [n]a) : ?[m].([n]i64, [m]bool, [n]i64, [m]b) =
  let (lengths, flags, starts, data, _) = intrinsics.flatmap (\x -> (f x, ())) as
  in (lengths, flags, starts, data)
