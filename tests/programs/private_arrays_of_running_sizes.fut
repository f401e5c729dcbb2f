-- Points that make arrays of their own, whose sizes follow from what earlier points have summed up: a
-- size that goes on from point to point is not known before the loop over them.
-- ==
-- entry: of_running_sums
-- input { 2i64 [[10i64, 2i64, 3i64], [4i64, 5i64, 6i64]] } output { [19i64, 19i64] }
-- input { 0i64 [[1i64]] } output { [3i64] }

entry of_running_sums [n] [m] (k: i64) (xss: [n][m]i64) : [n]i64 =
  map (\xs ->
         let sums = scan (+) 0 xs
         let picked = map (\sum -> (opaque (map (+ 2) (iota sum)))[k]) sums
         in picked[k] + sums[k])
      xss

-- ==
-- entry: of_running_products
-- input { [2i64, 1i64, 3i64] } output { [1i64, 1i64, 15i64] }

entry of_running_products (xs: []i64) : []i64 =
  let (results, _) =
    loop (results, size) = (map (const 0) xs, 1)
    for i < length xs do
      let size = size * xs[i]
      let own = opaque (iota size)
      in (results with [i] = i64.sum own, size)
  in results
