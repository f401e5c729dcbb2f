-- Points that put elements at the ends of lists, one for each digit: passes of radix sorts, which
-- blocks of a GPU's threads share.
-- ==
-- entry: bytes
-- input { 1i64 20000i64 } output { true true }
-- input { 3i64 2500i64 } output { true true }
-- input { 40i64 300i64 } output { true true }
-- input { 100i64 10i64 } output { true true }
-- input { 2i64 0i64 } output { true true }
-- ==
-- entry: other_digits
-- input { 1i64 7001i64 } output { true true }
-- input { 3i64 2500i64 } output { true true }
-- ==
-- entry: parities
-- input { 2i64 3000i64 } output { true true }

-- Where each point's elements with each digit are to begin.
def starts [points] [n] (radix: i64) (digits: [points][n]i64) : [points][radix]i64 =
  let counts = map (\ds -> hist (+) 0 radix ds (replicate n 1i64)) digits
  let lengths = flatten (transpose counts)
  in transpose (unflatten (map2 (-) (scan (+) 0 lengths) lengths))

-- The digits in order, and where each was.
def in_order [points] [n] (radix: i64) (digits: [points][n]i64) =
  let starts = starts radix digits
  in unzip (intrinsics.scatter_stream (replicate (points * n) (0u8, 0i64))
                                      (\(out: *intrinsics.acc ([](u8, i64))) p ->
                                         (loop (out, next) = (out, copy starts[p])
                                          for i < n do
                                            #[unsafe]
                                            let d = digits[p, i]
                                            let place = next[d]
                                            let e = (u8.i64 d, p * n + i)
                                            let out = intrinsics.acc_write out place e
                                            in (out, next with [d] = place + 1)).0)
                                      (iota points))

def is_in_order (points: i64) (n: i64) (radix: i64) =
  let digits = tabulate_2d points n (\p i -> (i * 2654435761 + 31 * p) % 4294967291 % radix)
  let (sorted, order) = in_order radix digits
  let all = flatten digits
  let before (i: i64) (k: i64) = all[i] < all[k] || all[i] == all[k] && i < k
  in ( and (map2 (\d k -> i64.u8 d == all[k]) sorted order)
     , and (map (\i -> i == 0 || before order[i - 1] order[i]) (indices order))
     )

entry bytes (points: i64) (n: i64) = is_in_order points n 256

entry other_digits (points: i64) (n: i64) = is_in_order points n 200

entry parities (points: i64) (n: i64) = is_in_order points n 2
