-- Reductions whose operators do not commute, of sizes about those of tiles of warps and blocks.
-- ==
-- entry: whole
-- input { [0i64, 1i64, 31i64, 32i64, 33i64, 271i64, 544i64, 545i64, 4352i64, 4353i64, 50000i64] }
-- output { [true, true, true, true, true, true, true, true, true, true, true] }

-- ==
-- entry: rows
-- input { [1i64, 33i64, 3i64, 200i64] [5000i64, 40i64, 20001i64, 300i64] }
-- output { [true, true, true, true] }

-- ==
-- entry: mapped
-- input { 3000i64 }
-- output { true }

-- ==
-- entry: fails
-- input { 5000i64 4999i64 }
-- error: out of bounds

-- Affine functions, modulo 2^32, composed.
def then_ (a: u32, b: u32) (c: u32, d: u32) = (a * c, b * c + d)

def function (seed: i64) (i: i64) = (2 * u32.i64 (i * 7 + seed) + 1, u32.i64 (i * i + seed))

def in_order [n] (functions: [n](u32, u32)) = loop f = (1, 0) for g in functions do then_ f g

entry whole [n] (sizes: [n]i64) =
  map (\size ->
         let functions = tabulate size (function 3)
         in reduce then_ (1, 0) functions == in_order functions)
      sizes

entry rows [k] (counts: [k]i64) (sizes: [k]i64) =
  map2 (\count size ->
          let all = tabulate count (\row -> tabulate size (function row))
          in and (map2 (==) (map (reduce then_ (1, 0)) all) (map in_order all)))
       counts
       sizes

-- What is reduced is wanted, too.
entry mapped (n: i64) =
  let functions = map (function 5) (iota n)
  let whole = reduce then_ (1, 0) functions
  in whole == in_order functions && functions[n - 1] == function 5 (n - 1)

entry fails (n: i64) (size: i64) =
  let as = map u32.i64 (iota size)
  in reduce then_ (1, 0) (map (\i -> (as[i], as[i])) (iota n))
