-- What `import "/prelude/sort"` gives: stable sorting of numbers and by any order, and its derivatives.
-- ==
-- entry: floats
-- input { [3f32, -0f32, f32.nan, 0f32, -1f32, f32.inf, -f32.inf, 2.5f32, -0f32, f32.nan] }
-- output { [2147483648u32, 2147483648u32, 0u32] [6i64, 4i64, 1i64, 8i64, 3i64, 7i64, 0i64, 5i64, 2i64, 9i64] }
-- ==
-- entry: integers
-- input { [5i64, -3i64, 5i64, 0i64, -3i64] }
-- output { [-3i64, -3i64, 0i64, 5i64, 5i64] [1i64, 4i64, 3i64, 0i64, 2i64] [3i64, 0i64, 4i64, 2i64, 1i64] }
-- ==
-- entry: integers
-- input { empty([0]i64) }
-- output { empty([0]i64) empty([0]i64) empty([0]i64) }
-- ==
-- entry: every_type
-- input { [3i64, -1i64, 100i64, -100i64, 0i64, 3i64, 2i64] }
-- output { true }
-- ==
-- entry: by_key
-- input { [3i32, 1i32, 2i32, 1i32] }
-- output { [1i32, 1i32, 2i32, 3i32] [1i64, 3i64, 2i64, 0i64] }
-- ==
-- entry: agree
-- input { 0i64 } output { true true true }
-- input { 1i64 } output { true true true }
-- input { 511i64 } output { true true true }
-- input { 512i64 } output { true true true }
-- input { 513i64 } output { true true true }
-- input { 2305i64 } output { true true true }
-- input { 4608i64 } output { true true true }
-- input { 9000i64 } output { true true true }
-- ==
-- entry: wide_digits
-- compiled input { 65535i64 } output { true true true }
-- compiled input { 65536i64 } output { true true true }
-- compiled input { 65537i64 } output { true true true }
-- compiled input { 1048576i64 } output { true true true }
-- ==
-- entry: bits_are_kept
-- input { 1i64 } output { true true true }
-- input { 255i64 } output { true true true }
-- input { 256i64 } output { true true true }
-- compiled input { 65535i64 } output { true true true }
-- compiled input { 65536i64 } output { true true true }
-- compiled input { 140001i64 } output { true true true }
-- ==
-- entry: integers_are_kept
-- input { 257i64 } output { [true, true, true, true, true, true, true, true] }
-- compiled input { 70001i64 } output { [true, true, true, true, true, true, true, true] }
-- ==
-- entry: few_numbers
-- input { 1001i64 } output { true true true }
-- compiled input { 140001i64 } output { true true true }
-- ==
-- entry: adjoint
-- input { [3f64, 1f64, 2f64, -1f64, 1f64] [1f64, 2f64, 3f64, 4f64, 5f64] }
-- output { [5f64, 2f64, 4f64, 1f64, 3f64] [5f64, 2f64, 4f64, 1f64, 3f64] [5f64, 2f64, 4f64, 1f64, 3f64] }
-- ==
-- entry: tangent
-- input { [3f64, 1f64, 2f64, -1f64, 1f64] [1f64, 2f64, 3f64, 4f64, 5f64] }
-- output { [4f64, 2f64, 5f64, 3f64, 1f64] [4f64, 2f64, 5f64, 3f64, 1f64] }
-- ==
-- entry: median_slope
-- input { [3f64, 1f64, 2f64, -1f64, 10f64] }
-- output { 2f64 [0f64, 0f64, 1f64, 0f64, 0f64] }
-- ==
-- entry: rows
-- input { [[3i8, 1i8, 2i8], [0i8, -1i8, 7i8]] }
-- output { [[1i8, 2i8, 3i8], [-1i8, 0i8, 7i8]] [[3i8, 2i8, 1i8], [7i8, 0i8, -1i8]] }
-- ==
-- entry: long_rows
-- input { 3i64 100i64 } output { true }
-- input { 2i64 300i64 } output { true }
-- ==
-- entry: many_floats
-- input { 9000i64 } output { true true }
-- ==
-- entry: further_derivatives
-- input { [3f64, 1f64, 2f64] [1f64, 2f64, 3f64] }
-- output { [[162f64, 6f64, 48f64], [0f64, 0f64, 0f64]] [[18f64, 0f64, 0f64], [0f64, 2f64, 0f64], [0f64, 0f64, 8f64]] }

import "/prelude/sort"

-- The signs of zeros are seen in their bits.
entry floats [n] (xs: [n]f32) = (map f32.to_bits (sort_f32.sort xs)[2:5], sort_f32.argsort xs)

entry integers [n] (xs: [n]i64) = (sort_i64.sort xs, sort_i64.argsort xs, sort_i64.rank xs)

def ascends 't [n] (below: t -> t -> bool) (xs: [n]t) =
  and (map (\i -> i == 0 || !(below xs[i] xs[i - 1])) (iota n))

entry every_type [n] (xs: [n]i64) =
  ascends (i8.<) (sort_i8.sort (map i8.i64 xs)) && ascends (u8.<) (sort_u8.sort (map u8.i64 xs))
  && ascends (i16.<) (sort_i16.sort (map i16.i64 xs))
  && ascends (u16.<) (sort_u16.sort (map u16.i64 xs))
  && ascends (i32.<) (sort_i32.sort (map i32.i64 xs))
  && ascends (u32.<) (sort_u32.sort (map u32.i64 xs))
  && ascends (i64.<) (sort_i64.sort xs)
  && ascends (u64.<) (sort_u64.sort (map u64.i64 xs))
  && ascends (f16.<) (sort_f16.sort (map f16.i64 xs))
  && ascends (f32.<) (sort_f32.sort (map f32.i64 xs))
  && ascends (f64.<) (sort_f64.sort (map f64.i64 xs))

entry by_key [n] (xs: [n]i32) = unzip (sort_i32.sort_by_key (.0) (zip xs (iota n)))

-- Both sorts give the same, and leave equal elements in order.
entry agree (n: i64) =
  let xs = map (\i -> u32.i64 (i * 2654435761 % 4294967291)) (iota n)
  let small = map (% 10) xs
  in ( and (map2 (==) (sort_u32.sort xs) (merge_sort (<=) xs))
     , and (map2 (==)
                 (sort_u32.argsort small)
                 (map (.1) (merge_sort (\a b -> a.0 <= b.0) (zip small (iota n)))))
     , ascends (<) (sort_u32.sort xs)
     )

-- So many that digits are wider than a byte.
entry wide_digits (n: i64) =
  let xs = map (\i -> i32.i64 (i * 2654435761 % 4294967291 - 2147483648)) (iota n)
  let order = sort_i32.argsort (map (/ 65536) xs)
  let floats = sort_f32.sort (map f32.i32 xs)
  in ( ascends (<) (sort_i32.sort xs)
     , and (map2 (==) floats (map f32.i32 (sort_i32.sort xs)))
     , and (map (\i ->
                   let here = xs[order[i]] / 65536
                   let before = xs[order[i64.max 0 (i - 1)]] / 65536
                   in i == 0 || before < here || before == here && order[i - 1] < order[i])
                (iota n))
     )

-- Numbers in every order, with some twice.
def scattered (n: i64) = map (\i -> u64.i64 (i / 2) * 0x9e3779b97f4a7c15) (iota n)

-- Whether these are the elements of `xs` in the order `order`.
def in_place 't [n] (same: t -> t -> bool) (xs: [n]t) (order: [n]i64) (sorted: [n]t) =
  and (map2 (\i s -> same xs[i] s) order sorted)

-- NaNs, zeros and numbers that are not normal, too, come out as they went in.
entry bits_are_kept (n: i64) =
  let halves = map (\x -> f16.from_bits (u16.u64 (x >> 48))) (scattered n)
  let floats = map (\x -> f32.from_bits (u32.u64 (x >> 32))) (scattered n)
  let doubles = map f64.from_bits (scattered n)
  in ( in_place (\a b -> f16.to_bits a == f16.to_bits b)
                halves
                (sort_f16.argsort halves)
                (sort_f16.sort halves)
     , in_place (\a b -> f32.to_bits a == f32.to_bits b)
                floats
                (sort_f32.argsort floats)
                (sort_f32.sort floats)
     , in_place (\a b -> f64.to_bits a == f64.to_bits b)
                doubles
                (sort_f64.argsort doubles)
                (sort_f64.sort doubles)
     )

entry integers_are_kept (n: i64) =
  let xs = map (>> 3) (scattered n)
  let ascending 't (below: t -> t -> bool) (same: t -> t -> bool) (xs: [n]t) (order: [n]i64) (sorted: [n]t) =
    ascends below sorted && in_place same xs order sorted
  let i8s = map i8.u64 xs
  let u8s = map u8.u64 xs
  let i16s = map i16.u64 xs
  let u16s = map u16.u64 xs
  let i32s = map i32.u64 xs
  let u32s = map u32.u64 xs
  let i64s = map i64.u64 (scattered n)
  let u64s = scattered n
  in [ ascending (<) (==) i8s (sort_i8.argsort i8s) (sort_i8.sort i8s)
     , ascending (<) (==) u8s (sort_u8.argsort u8s) (sort_u8.sort u8s)
     , ascending (<) (==) i16s (sort_i16.argsort i16s) (sort_i16.sort i16s)
     , ascending (<) (==) u16s (sort_u16.argsort u16s) (sort_u16.sort u16s)
     , ascending (<) (==) i32s (sort_i32.argsort i32s) (sort_i32.sort i32s)
     , ascending (<) (==) u32s (sort_u32.argsort u32s) (sort_u32.sort u32s)
     , ascending (<) (==) i64s (sort_i64.argsort i64s) (sort_i64.sort i64s)
     , ascending (<) (==) u64s (sort_u64.argsort u64s) (sort_u64.sort u64s)
     ]

-- Elements beside each other have the same digits: all, most, or none of these.
entry few_numbers (n: i64) =
  let of_few (count: i64) =
    let xs = map (\i -> f32.i64 (i / 3 % count) - 1) (iota n)
    let order = sort_f32.argsort xs
    in in_place (==) xs order (sort_f32.sort xs)
       && and (map (\i ->
                      let (before, here) = (order[i64.max 0 (i - 1)], order[i])
                      in i == 0 || xs[before] < xs[here] || xs[before] == xs[here] && before < here)
                   (iota n))
  in (of_few 1, of_few 2, of_few 300)

entry adjoint [n] (xs: [n]f64) (seed: [n]f64) =
  ( vjp sort_f64.sort xs seed
  , vjp (merge_sort (<=)) xs seed
  , vjp (\ys -> (map (.1) (sort_f64.sort_by_key (.0) (zip xs ys)))) (replicate n 0) seed
  )

entry tangent [n] (xs: [n]f64) (direction: [n]f64) =
  (jvp sort_f64.sort xs direction, jvp (merge_sort (<=)) xs direction)

entry median_slope [n] (xs: [n]f64) = vjp2 (\xs -> (sort_f64.sort xs)[n / 2]) xs 1

entry rows (xss: [][]i8) = (map sort_i8.sort xss, map (merge_sort (>=)) xss)

entry long_rows (rows: i64) (n: i64) =
  let xss = tabulate_2d rows n (\p i -> (i * 2654435761 + p) % 97)
  in and (map2 (\xs sorted -> and (map2 (==) (merge_sort (<=) xs) sorted))
               xss
               (map sort_i64.sort xss))

-- Both sorts give the same, and derivatives go where elements go.
entry many_floats (n: i64) =
  let xs = map (\i -> f32.i64 (i * 2654435761 % 4294967291 - 2147483648)) (iota n)
  let weights = map f32.i64 (iota n)
  let weighed sort xs = f32.sum (map2 (*) weights (sort xs))
  in ( and (map2 (==) (sort_f32.sort xs) (merge_sort (<=) xs))
     , and (map2 (==)
                 (vjp (weighed sort_f32.sort) xs 1)
                 (vjp (weighed (merge_sort (<=))) xs 1))
     )

-- Of Σ w s³, s sorted: the gradient's derivative, in rows of a map too, is 6 w s where s came from.
entry further_derivatives [n] (xs: [n]f64) (weights: [n]f64) =
  let sum xs = f64.sum (map2 (\w s -> w * s * s * s) weights (sort_f64.sort xs))
  let units = tabulate_2d n n (\i j -> f64.bool (i == j))
  in ( map (\row -> jvp (\xs -> vjp sum xs 1) row row) [xs, replicate n 0]
     , jmp (\xs -> vjp sum xs 1) (map (/ 3) xs) units
     )
