-- Reductions that read several places side by side: of lengths that do not divide, of fewer segments
-- than are read together, with operators that do not commute, and of several values.
-- ==
-- entry: whole
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 2i64 } output { true }
-- input { 15i64 } output { true }
-- input { 16i64 } output { true }
-- input { 17i64 } output { true }
-- input { 127i64 } output { true }
-- input { 128i64 } output { true }
-- input { 129i64 } output { true }
-- input { 1000i64 } output { true }
-- input { 4099i64 } output { true }

-- ==
-- entry: rows
-- input { 0i64 9i64 } output { true }
-- input { 1i64 1000i64 } output { true }
-- input { 3i64 0i64 } output { true }
-- input { 7i64 50i64 } output { true }
-- input { 8i64 129i64 } output { true }
-- input { 9i64 1i64 } output { true }
-- input { 33i64 47i64 } output { true }
-- input { 5i64 777i64 } output { true }

-- ==
-- entry: batches
-- input { 3i64 5i64 130i64 } output { true }
-- input { 2i64 11i64 70i64 } output { true }

-- ==
-- entry: first_and_last
-- input { 3i64 50i64 }
-- output { [0i64, 50i64, 100i64] [49i64, 99i64, 149i64] }
-- input { 9i64 129i64 }
-- output { [0i64, 129i64, 258i64, 387i64, 516i64, 645i64, 774i64, 903i64, 1032i64] [128i64, 257i64, 386i64, 515i64, 644i64, 773i64, 902i64, 1031i64, 1160i64] }
-- input { 8i64 5i64 }
-- output { [0i64, 5i64, 10i64, 15i64, 20i64, 25i64, 30i64, 35i64] [4i64, 9i64, 14i64, 19i64, 24i64, 29i64, 34i64, 39i64] }
-- input { 17i64 33i64 }
-- output { [0i64, 33i64, 66i64, 99i64, 132i64, 165i64, 198i64, 231i64, 264i64, 297i64, 330i64, 363i64, 396i64, 429i64, 462i64, 495i64, 528i64] [32i64, 65i64, 98i64, 131i64, 164i64, 197i64, 230i64, 263i64, 296i64, 329i64, 362i64, 395i64, 428i64, 461i64, 494i64, 527i64, 560i64] }

-- ==
-- entry: first_greatest
-- input { 1000i64 7i64 }
-- output { 6i64 }
-- input { 4099i64 2000i64 }
-- output { 1999i64 }
-- input { 5i64 9i64 }
-- output { 4i64 }

-- ==
-- entry: ends
-- input { 2003i64 }
-- output { 0i64 4004i64 2005003i64 }

-- ==
-- entry: large large_rows
-- input { 524297i64 }
-- output { 137443409956i64 }

-- ==
-- entry: vector
-- input { 11i64 300i64 }
-- output { [-4228i64, -4600i64, -4972i64, -5344i64, -5716i64, -6088i64, -6460i64, -6832i64, -7204i64, -7576i64, -7948i64] }
-- input { 3i64 77i64 }
-- output { [5390i64, 5390i64, 5390i64] }

-- Affine functions, modulo 2^32, composed.
def then_ (a: u32, b: u32) (c: u32, d: u32) = (a * c, b * c + d)

def function (seed: i64) (i: i64) = (2 * u32.i64 (i * 7 + seed) + 1, u32.i64 (i * i + seed))

def in_order [n] (functions: [n](u32, u32)) = loop f = (1, 0) for g in functions do then_ f g

entry whole (n: i64) =
  reduce then_ (1, 0) (tabulate n (function 3))
  == (loop f = (1, 0) for i < n do then_ f (function 3 i))

entry rows (n: i64) (m: i64) =
  let all = opaque (tabulate n (\row -> tabulate m (function row)))
  let reduced = opaque (map (reduce then_ (1, 0)) all)
  in and (map2 (==) reduced (map in_order all))

entry batches (k: i64) (n: i64) (m: i64) =
  let all = opaque (tabulate_3d k n m (\h i j -> function (h * 1000 + i * 100) j))
  let reduced = opaque (map (map (reduce then_ (1, 0))) all)
  in and (map2 (\a b -> and (map2 (==) a b)) reduced (map (map in_order) all))

-- | Of each row, by an operator that takes neither for the other.
entry first_and_last (n: i64) (m: i64) =
  let all = opaque (tabulate_2d n m (\i j -> i * m + j))
  let outer (a: i64, b: i64) (c, d) = (if a < 0 then c else a, if d < 0 then b else d)
  in unzip (map (\row -> reduce outer (-1, -1) (zip row row)) all)

-- | Of equal ones the first: the left argument stands before the right one.
entry first_greatest (n: i64) (period: i64) =
  let xs = map (% period) (iota n)
  in (reduce (\(x: i64, i) (y, j) -> if y > x then (y, j) else (x, i))
             (i64.lowest, -1)
             (zip xs (iota n))).1

entry ends (n: i64) =
  let xs = map (\i -> (i * 3) % n * 2) (iota n)
  in (i64.minimum xs, i64.maximum xs, i64.sum xs - n * (n - 1) + n * (n + 1) / 2 - n)

entry large (n: i64) = i64.sum (opaque (iota n))

entry large_rows (n: i64) =
  let row = opaque (iota (n / 9))
  let rest = opaque (map (+ (n / 9 * 9)) (iota (n % 9)))
  let rows = opaque (tabulate 9 (\k -> map (+ (k * (n / 9))) row))
  in i64.sum (map i64.sum rows) + i64.sum rest

entry vector (n: i64) (m: i64) : [n]i64 =
  let a = opaque (tabulate_2d n m (\i j -> i * 31 + j * 7))
  let x = opaque (map (\j -> j % 11 - 5) (iota m))
  in map (\row -> i64.sum (map2 (*) row x)) a
