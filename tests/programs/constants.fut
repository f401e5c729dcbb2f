-- Constants that take work are computed once for all entry points; what depends on their sizes
-- fits together, also in recursive functions and in other constants.
-- ==
-- entry: sums
-- input { } output { 5050i64 338350i64 }

-- ==
-- entry: dot
-- input { 2i64 } output { 676700i64 }

-- ==
-- entry: lookups
-- input { [0i64, 3i64, 99i64] } output { [1i64, 4i64, 100i64] }
-- input { [0i64, 100i64] } error: out of bounds

-- ==
-- entry: recursive
-- input { 3i64 } output { 6i64 }

-- ==
-- entry: also_recursive
-- input { 4i64 } output { 10i64 }

-- ==
-- entry: whole
-- input { } output { [[1i64, 4i64], [9i64, 16i64]] 4i64 [true, false] }

-- ==
-- entry: of_a_functor
-- input { 1i64 } output { 11i64 21i64 }

-- ==
-- entry: updated
-- input { 7i64 } output { 7i64 1i64 }

def count = i64.sum (replicate 10 10)
def table : [count]i64 = scan (+) 0 (replicate count 1)
def squares = map (\x -> x * x) table
def small = [1i64, 2, 3, 4]

def record =
  { matrix = unflatten (map (\x -> x * x) (sized (2 * 2) small))
  , size = length small
  , flags = filter id [true, false, true] |> \fs -> [fs[0], !fs[1]]
  }

def adder = \x -> x + table[0]

entry sums = (i64.sum table, i64.sum squares)
entry dot (x: i64) = i64.sum (map2 (*) squares (replicate count x))
entry lookups (is: []i64) = map (\i -> table[i]) is

def climb (n: i64) : i64 = if n == 0 then 0 else table[n - 1] + climb (n - 1)
entry recursive (n: i64) = climb n
entry also_recursive (n: i64) = climb n

entry whole = (record.matrix, record.size, record.flags)

module scaled (P: {val factor : i64}) = {
  def multiples = scan (+) 0 (replicate 3 P.factor)
  def at (i: i64) = multiples[i] + small[0]
}

module tens = scaled {def factor = 5i64}
module twenties = scaled {def factor = 10i64}
entry of_a_functor (i: i64) = (tens.at i, twenties.at i)

entry updated (x: i64) =
  let mine = copy table with [0] = x
  in (mine[0], adder 0)
